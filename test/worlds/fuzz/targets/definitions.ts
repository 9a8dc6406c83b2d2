import fc from '../../../support/fast-check.ts';
import { defaultConfig, type Config } from '../../../../src/config/config.ts';
import type { Checked, Diagnostic } from '../../../../src/kernel/diagnostic.ts';
import type { Protocol } from '../../../../src/mail/format/protocol.ts';
import { parseConfig } from '../../../../src/config/read.ts';
import { renderDiagnostics } from '../../../../src/yaml/diagnostics.ts';
import { parseProtocol } from '../../../../src/mail/protocol/read.ts';
import { piecesOf, textsLike, yamlPieces } from '../edits.ts';
import { isMap, mapIn } from '../oracle.ts';
import { bounded, corpusFiles, Finding, type Target } from '../target.ts';

/*
 * Any text as a protocol or as mailroom.yaml: a value that holds what another reader finds in it, or located problems
 * that can be shown.
 */

function checkProblems(problems: readonly Diagnostic[], text: string): void {
  if (!problems.some(({ severity }) => severity === 'error'))
    throw new Finding('refused without an error', text);
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  for (const { place } of problems) {
    if (place === null) continue;
    const { line, column, length, text: shown } = place;
    const whole = lines[line - 1];
    const tooLong = text.length > 256 * 1024;
    if (!tooLong && shown !== whole) throw new Finding(`line ${String(line)} is not ${shown}`, text);
    if (column < 1 || column - 1 > shown.length || length < 1)
      throw new Finding('it is marked outside', text);
  }
  if (renderDiagnostics(problems) === '') throw new Finding('nothing is shown', text);
}

const names = (value: unknown): string[] => (isMap(value) ? Object.keys(value) : []);
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : value == null ? [] : [value]);

/** Everything that is said is there. */
function checkProtocol(value: Protocol, text: string): void {
  const said = mapIn(text) ?? {};
  const [roles, types] = [said['roles'], said['messages']];
  for (const role of names(roles))
    if (!value.roles.has(role)) throw new Finding(`role ${role} is lost`, text);
  if (value.types.size !== names(types).length) throw new Finding('types were lost or made up', text);
  for (const name of names(types)) {
    const type = value.types.get(name);
    const given = isMap(types) ? types[name] : null;
    if (!type || !isMap(given)) throw new Finding(`type ${name} is lost`, text);
    for (const key of ['from', 'to', 'reply'] as const)
      for (const one of list(given[key]))
        if (!(type[key] as readonly unknown[]).includes(one))
          throw new Finding(`${key} of ${name} lacks ${String(one)}`, text);
    if ((given['closes'] ?? false) !== type.closes) throw new Finding(`closes of ${name} is changed`, text);
  }
}

function checkSettings(value: Config, text: string): void {
  const said = mapIn(text) ?? {};
  for (const name of names(said['providers']))
    if (!value.providers.has(name)) throw new Finding(`provider ${name} is lost`, text);
  for (const key of ['sandbox', 'capabilities', 'concurrency'] as const)
    if (said[key] != null && said[key] !== value[key]) throw new Finding(`${key} is changed`, text);
}

function target<T>(
  name: string,
  words: readonly string[],
  parse: (text: string) => Checked<T>,
  check: (value: T, text: string) => void,
): Target {
  const attempt = (text: string) =>
    bounded(() => {
      const result = parse(text);
      if (result.ok) check(result.value, text);
      else checkProblems(result.problems, text);
    });
  const files = [...corpusFiles(name)].map(([file, bytes]) => [file, bytes.toString()] as const);
  const good = files.map(([, text]) => text);
  return {
    name,
    everyday: 41,
    property: fc.property(textsLike(good, piecesOf([...yamlPieces, ...words])), attempt),
    corpus: files.map(([file, text]) => ({ name: file, run: () => attempt(text) })),
  };
}

const stub = parseConfig('providers: { stub: { command: [x] } }', 'mailroom.yaml');

export const protocols = target(
  'protocols',
  (
    'roles: messages: expects: limits: from: to: reply: user maker qa 5m 30d blocking: timeout: on_timeout: fields: ' +
    'gates: workspace: closes: workflow notice'
  ).split(' '),
  (text) => parseProtocol([{ file: 'p.yaml', text }], stub.ok ? stub.value : defaultConfig),
  checkProtocol,
);

export const settings = target(
  'settings',
  (
    'providers: defaults: trail: off sandbox: auto required capabilities: strict limits: concurrency: notify: ' +
    'command: env: prices: budget: usd: 400k ~/x'
  ).split(' '),
  (text) => parseConfig(text, 'mailroom.yaml'),
  checkSettings,
);
