import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { makeProgram } from '../../src/cli/program.ts';
import { extensions } from '../../src/extensions/list.ts';
import { ProjectFixture } from '../cli/project-fixture.ts';
import { blocksOf, pages } from './blocks.ts';

const fixture = new ProjectFixture();
const { program } = makeProgram(fixture.start(), fixture.terminal, extensions);
const globals = new Set(program.options.flatMap(({ short, long }) => [short, long]));

/** What is wrong with a command line of a page; null: nothing. */
function problemOf({ line, isWhole }: CommandLine): string | null {
  const words = line.split(/\s+/).slice(1);
  while (words[0] === '-C' || words[0] === '--project') words.splice(0, 2);
  const [name = '', ...rest] = words;
  if (!/^[a-z][a-z-]*$/.test(name)) return null;
  const command = program.commands.find((each) => each.name() === name || each.aliases().includes(name));
  if (command === undefined) return `there is no command ${name}`;
  const nested = command.commands.find((each) => each.name() === rest[0]);
  const known = [...command.options, ...(nested?.options ?? [])].flatMap(({ short, long }) => [short, long]);
  const unknown = rest
    .map((word) => /^(--?[a-z][a-z-]*)/.exec(word)?.[1])
    .find((flag) => flag !== undefined && flag !== '--help' && !known.includes(flag) && !globals.has(flag));
  if (unknown !== undefined) return `${name} has no option ${unknown}`;
  return isWhole ? argumentProblem(nested ?? command, nested === undefined ? rest : rest.slice(1)) : null;
}

/** What is wrong with the number of arguments of a command; null: nothing. */
function argumentProblem(command: Command, words: readonly string[]): string | null {
  const options = [...command.options, ...program.options];
  const takesValue = (flag: string) =>
    options.some(({ short, long, required }) => required && [short, long].includes(flag));
  const given = words.filter(
    (word, index) => !word.startsWith('-') && !takesValue(words[index - 1] ?? ''),
  ).length;
  const { registeredArguments: known } = command;
  const least = known.filter(({ required }) => required).length;
  const most = known.some(({ variadic }) => variadic) ? Infinity : known.length;
  if (given >= least && given <= most) return null;
  return `${command.name()} takes ${String(least)} to ${String(most)} arguments, and has ${String(given)}`;
}

/** A command line of a page, up to a comment, a pipe, quoted text or two spaces. */
interface CommandLine {
  readonly line: string;
  /** False: a part of it was left out, or it only names a command. */
  readonly isWhole: boolean;
}

/** The command lines in the code of a page: those of blocks can be typed, spans name commands. */
function commandLines(text: string): CommandLine[] {
  const typed = blocksOf('', text).filter(({ info }) => /^(?:sh|bash|text|yml|)$/.test(info));
  const spans = [...text.replace(/^( *)```[^]*?^\1```$/gm, '').matchAll(/`(mailroom [^`\n]+)`/g)].map(
    ([, span = '']) => span,
  );
  const commands = (found: readonly string[], isTyped: boolean) =>
    found
      .map((line) => line.replace(/^\s*(?:\$ |- run: )?/, ''))
      .filter((line) => line.startsWith('mailroom '))
      .map((line) => {
        const [whole = ''] = line.split(/\s{2,}|\s[#|>&;]/);
        const [known = ''] = whole.split(/\s["']|["'…<[]/);
        return { line: known.trim(), isWhole: isTyped && known === whole };
      });
  const lines = typed.flatMap((block) => block.text.split('\n'));
  return [...commands(lines, true), ...commands(spans, false)];
}

describe('the commands that pages name', () => {
  const lines = [...pages].flatMap(([file, text]) => commandLines(text).map((line) => ({ file, ...line })));

  it('exist, with their options', () => {
    expect(lines.length).toBeGreaterThan(200);
    const wrong = lines.flatMap(({ file, ...line }) => {
      const problem = problemOf(line);
      return problem === null ? [] : [`${file}: \`${line.line}\`: ${problem}`];
    });
    expect(wrong).toEqual([]);
  });

  it('need no shell trick to find an id, where a person learns them', () => {
    const learned = [...pages].filter(([file]) => /^(README|docs\/(tutorial|workflows))\.md$/.test(file));
    expect(learned).toHaveLength(3);
    const trick = /\$\((?:ls|mailroom)\b|^mailroom [^|\n]*\|(?!\|)/m;
    expect(learned.filter(([, text]) => trick.test(text)).map(([file]) => file)).toEqual([]);
    expect(trick.test('id=$(ls agents/qa/inbox | tail -n 1)')).toBe(true);
    expect(trick.test('mailroom runs --json | node -p 1')).toBe(true);
  });

  it('are found in blocks and in spans', () => {
    const page = '`mailroom up --x` a\n```sh\n$ mailroom run a | b\nmailroom why <role>\n```\n';
    expect(commandLines(page)).toEqual([
      { line: 'mailroom run a', isWhole: true },
      { line: 'mailroom why', isWhole: false },
      { line: 'mailroom up --x', isWhole: false },
    ]);
    const typed = [
      'mailroom upp',
      'mailroom up --x',
      'mailroom -C . up --until-idle',
      'mailroom why',
      'mailroom why qa maker',
      'mailroom logs --step build abcdef',
      'mailroom worktree merge abcdef',
    ];
    expect(typed.map((line) => problemOf({ line, isWhole: true }))).toEqual([
      'there is no command upp',
      'up has no option --x',
      null,
      'why takes 1 to 1 arguments, and has 0',
      'why takes 1 to 1 arguments, and has 2',
      null,
      null,
    ]);
  });
});
