/**
 * Writes the manual pages of the program and of each command into man/, made from the help, for
 * `man mailroom` and `man mailroom-run`. Runs when the package is packed.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { makeProgram } from '../src/cli/program.ts';
import type { Terminal } from '../src/cli/terminal.ts';
import { extensions } from '../src/extensions/list.ts';
import metadata from '../package.json' with { type: 'json' };

/** The manual pages by the names of their files. */
export function manPages(): ReadonlyMap<string, string> {
  let text = '';
  const terminal = { columns: () => 100, write: (part: string) => void (text += part) };
  const call = () => Promise.reject(new Error('nothing is called'));
  const start = { name: 'mailroom', version: metadata.version, environment: {}, cwd: '/', call } as const;
  const { program } = makeProgram(start, terminal as unknown as Terminal, extensions);
  // In the order of the help, without what it does not list.
  const commands = program.createHelp().visibleCommands(program);
  const names = commands.map((command) => `mailroom-${command.name()}`);
  const page = (command: Command, name: string, others: readonly string[]) => {
    text = '';
    command.configureHelp({ ...command.configureHelp(), helpWidth: 100_000 }).outputHelp();
    return [`${name}.1`, manPage(name, text, others)] as const;
  };
  return new Map([
    page(program, 'mailroom', names),
    ...commands.map((command, at) => page(command, names[at] ?? '', ['mailroom'])),
  ]);
}

/** A manual page in roff, of a help text without wrapped lines. */
export function manPage(name: string, help: string, others: readonly string[]): string {
  const [usage = '', about = '', ...blocks] = help.trim().split('\n\n');
  const [, first = '', more = ''] = /^(.*?)(?:\. (.*))?$/.exec(about) ?? [];
  return [
    `.TH ${roff(name.toUpperCase())} 1 "" "mailroom ${roff(metadata.version)}" "User Commands"`,
    `.SH NAME\n${roff(name)} \\- ${roff(first)}`,
    `.SH SYNOPSIS\n.B ${roff(usage.replace('Usage: ', ''))}`,
    ...(more === '' ? [] : [`.SH DESCRIPTION\n${roff(more)}`]),
    ...blocks.map(section),
    `.SH SEE ALSO\n${others.map((other) => `.BR ${roff(other)} (1)`).join(',\n')}`,
    '',
  ].join('\n');
}

/** A heading with its items, each a term and what follows two spaces; or a paragraph. */
function section(block: string): string {
  const [, title, items = ''] = /^([A-Z][^\n]*):\n(.*)$/s.exec(block) ?? [];
  if (title === undefined) return `.PP\n${roff(block.replaceAll('\n', ' '))}`;
  const entries = items.split('\n').map((line) => {
    const [term = '', ...rest] = line.trim().split(/ {2,}/);
    return rest.length === 0 ? `.PP\n.B ${roff(term)}` : `.TP\n.B ${roff(term)}\n${roff(rest.join(' '))}`;
  });
  return `.SH ${roff(title.toUpperCase())}\n${entries.join('\n')}`;
}

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  '`': '\\(ga',
  "'": '\\(aq',
  '"': '\\(dq',
  '^': '\\(ha',
  '~': '\\(ti',
};

/** A text as roff shows it: no character, nor a dot at its beginning, means anything to it. */
export function roff(text: string): string {
  const plain = text.replaceAll(
    /[\\\-`'"^~]|[^\n -~]/gu,
    (one) => escapes[one] ?? `\\[u${one.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0') ?? ''}]`,
  );
  return plain.replaceAll(/^\./gm, '\\&.');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = new URL('../man/', import.meta.url);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [name, text] of manPages()) writeFileSync(new URL(name, folder), text);
}
