import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { builtInProviders, type Config } from '../../src/config/config.ts';
import { parseAgents, parseConfig } from '../../src/config/read.ts';
import { renderDiagnostics } from '../../src/yaml/diagnostics.ts';
import { parseMessage } from '../../src/mail/format/read-message.ts';
import { parseProtocol } from '../../src/mail/protocol/read.ts';
import { readProtocol } from '../../src/project/definition/protocol-files.ts';
import { MemoryDisk } from '../support/memory-disk.ts';
import { parseWorkflow } from '../../src/languages/parse.ts';
import { languages } from '../../src/languages/languages.ts';
import type { WorkflowLanguage } from '../../src/languages/shared/workflow-language.ts';
import { ofExtensions } from '../support/of-extensions.ts';
import { identityOf } from '../../src/languages/shared/identity.ts';
import { type Loaded, type LanguageContext } from '../../src/languages/shared/context.ts';
import { nowhere } from '../support/nowhere.ts';
import type { Diagnostic } from '../../src/kernel/diagnostic.ts';

/*
 * What a person sees for every kind of mistake, whole: test/golden/<name>.yaml (or .md) is read, test/golden/<name>.txt is
 * what is said about it, likewise in the folder `golden` of an extension with a language. The name tells the format; a
 * line `# file: <name>` begins another file, of the configuration where it is called mailroom.yaml or agents.yaml, of a
 * project where the name begins with extends. `beside/agents.yaml` is one beside a workflow.
 */

const added = await ofExtensions<{ readonly language: WorkflowLanguage }>('added-language.ts');
const known = [...languages, ...[...added.values()].map(({ language }) => language)];
const folders = ['golden', ...[...added.keys()].map((name) => `extensions/${name}/golden`)].map(
  (folder) => new URL(`../${folder}/`, import.meta.url),
);
const folderOf = new Map(folders.flatMap((url) => readdirSync(url).map((name) => [name, url] as const)));
const read = (name: string): string => readFileSync(new URL(name, folderOf.get(name)), 'utf8');
const sources = [...folderOf.keys()].filter((name) => !name.endsWith('.txt'));

function filesOf(name: string, text: string): { file: string; text: string }[] {
  const [first = '', ...rest] = text.split(/^# file: /m);
  const others = rest.map((part) => {
    const end = part.indexOf('\n');
    return { file: part.slice(0, end), text: part.slice(end + 1) };
  });
  return [{ file: name, text: first }, ...others];
}

/** The branch that is checked out where a file is read. */
const checkedOutOf = (name: string) => (name.includes('checked-out') ? 'main' : null);

const askers = new Map<string, true | string>([
  ['copilot', true],
  ['qwen', true],
  ['cursor', 'no test has shown that it asks'],
]);

const withoutMcp = new Map([
  ['human', 'a person has no MCP servers'],
  ['replay', 'it gets no MCP servers from Mailroom'],
]);

const broaderThanRequested = new Map<string, (rights: readonly string[]) => string[]>([
  ...builtInProviders.map((name) => [name, () => []] as const),
  [
    'codex',
    (rights: readonly string[]) => (rights.includes('RUN_COMMANDS') ? [] : ['it can run any command']),
  ],
]);

/** The protocol that workflows of the golden files belong to. */
function protocolOf() {
  const checked = parseProtocol([{ file: 'team.yaml', text: protocolText }]);
  if (!checked.ok) throw new Error('the protocol is wrong');
  return checked.value;
}

const protocolText = `
name: team
roles: { architect: { provider: claude, kinds: [5100] }, engineer: { provider: claude, kinds: [5100, 5200] } }
messages:
  task: { from: user, to: architect }
  design: { from: architect, to: engineer }
`;

function diagnoseWorkflow(name: string): readonly Diagnostic[] {
  const [first, ...others] = filesOf(name, read(name));
  const load = (path: string): Loaded => {
    if (path.startsWith('..')) return { ok: false, code: 'E_PATH', problem: 'it lies outside the project' };
    const found = [first!, ...others].find(({ file }) => `./${file}` === path);
    return found === undefined
      ? { ok: false, code: 'E_WORKFLOW', problem: 'there is no such file' }
      : { ok: true, ...found };
  };
  const beside = others.find(({ file }) => file === 'beside/agents.yaml') ?? null;
  const context: LanguageContext = {
    ...nowhere,
    protocol: protocolOf(),
    broaderThanRequested,
    withoutMcp,
    hasWorkers: configOf(others).workers !== null,
    checkedOut: checkedOutOf(name),
    profiles: configOf(others).profiles,
    agentsBeside: () => beside && parseAgents({ path: beside.file, text: beside.text }, configOf(others)),
    load,
    files: { ...nowhere.files, read: (path) => others.find(({ file }) => file === path)?.text ?? null },
    workflows: () =>
      others
        .filter(({ file }) => /^workflows\/(?!overrides)/.test(file))
        .map(({ file, text }) => identityOf(text, file)),
  };
  return problemsOf(parseWorkflow(first!.text, name, context, known));
}

function diagnose(name: string): readonly Diagnostic[] {
  const text = read(name);
  if (name.startsWith('workflow')) return diagnoseWorkflow(name);
  if (name.endsWith('.md')) return problemsOf(parseMessage(text, name));
  const files = filesOf(name, text);
  if (name.startsWith('extends')) return diagnoseExtended(files);
  if (name.startsWith('config')) return problemsOf(parseConfig(files[0]!.text, name, agentsIn(files)));
  const protocol = files.filter(({ file }) => !/^(?:mailroom|agents)\.yaml$/.test(file));
  return problemsOf(
    parseProtocol(protocol, configOf(files), {
      broaderThanRequested,
      withoutMcp,
      askers,
      checkedOut: checkedOutOf(name),
    }),
  );
}

/** The first file lies in protocols/, the others where their names say. */
function diagnoseExtended([first, ...others]: { file: string; text: string }[]): readonly Diagnostic[] {
  const disk = new MemoryDisk();
  disk.plant(`protocols/${first!.file}`, first!.text);
  for (const { file, text } of others) disk.plant(file, text);
  const { files, problems } = readProtocol(disk);
  return problemsOf(parseProtocol(files, undefined, { broaderThanRequested, withoutMcp, problems }));
}

function configOf(files: readonly { file: string; text: string }[]): Config {
  const settings = files.find(({ file }) => file === 'mailroom.yaml');
  const config = parseConfig(settings?.text ?? '', 'mailroom.yaml', agentsIn(files));
  if (!config.ok) throw new Error(renderDiagnostics(config.problems));
  return config.value;
}

function agentsIn(files: readonly { file: string; text: string }[]) {
  const agents = files.find(({ file }) => file === 'agents.yaml');
  return agents === undefined ? null : { path: agents.file, text: agents.text };
}

function problemsOf(
  result: { ok: true; warnings: readonly Diagnostic[] } | { ok: false; problems: readonly Diagnostic[] },
): readonly Diagnostic[] {
  return result.ok ? result.warnings : result.problems;
}

describe('what is said about', () => {
  test.each(sources)('%s', (name) => {
    expect(`${renderDiagnostics(diagnose(name))}\n`).toBe(read(name.replace(/\.\w+$/, '.txt')));
  });
});

test('there is a mistake for every code that reading a text can give', () => {
  const rooms = ['yaml', 'languages', 'config', 'mail/format', 'mail/protocol', 'workflow/check'].map(
    (room) => fileURLToPath(new URL(`../../src/${room}/`, import.meta.url)),
  );
  const code = rooms.flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(room + file, 'utf8')),
  );
  // A code that something is compared with is given elsewhere.
  const given = new Set(code.join('').match(/(?<=(?<![!=]== )')E_[A-Z_]+(?=')/g));
  const shown = new Set(sources.flatMap((name) => diagnose(name).map((problem) => problem.code)));
  expect([...shown].toSorted()).toEqual([...given].toSorted());
});
