import { describe, expect, it } from 'vitest';
import { makeProgram } from '../../src/cli/program.ts';
import { readTree } from '../architecture/tree.ts';
import { ProjectFixture } from '../cli/project-fixture.ts';

const fixture = new ProjectFixture();
const { program } = makeProgram(fixture.start(), fixture.terminal);
const globals = new Set(program.options.flatMap(({ short, long }) => [short, long]));

/** What is wrong with a command line of a page; null: nothing. */
function problemOf(line: string): string | null {
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
  return unknown === undefined ? null : `${name} has no option ${unknown}`;
}

/** The command lines in the code of a page: up to a comment, a pipe, quoted text or two spaces. */
function commandLines(text: string): string[] {
  const blocks = [...text.matchAll(/^```(?:sh|text)?\n([^]*?)^```$/gm)].map(([, code = '']) => code);
  const spans = [...text.replace(/^```[^]*?^```$/gm, '').matchAll(/`(mailroom [^`\n]+)`/g)].map(
    ([, span = '']) => span,
  );
  return [...blocks.flatMap((block) => block.split('\n')), ...spans]
    .map((line) => line.replace(/^\s*(?:\$ )?/, ''))
    .filter((line) => line.startsWith('mailroom '))
    .map((line) => line.split(/\s{2,}|\s[#|>"'&;]|["'…<]/)[0] ?? '');
}

describe('the commands that pages name', () => {
  const pages = [...readTree(['.'], ['.md'])].filter(([file]) => /^(docs\/.+|README)\.md$/.test(file));
  const lines = pages.flatMap(([file, text]) => commandLines(text).map((line) => ({ file, line })));

  it('exist, with their options', () => {
    expect(lines.length).toBeGreaterThan(200);
    const wrong = lines.flatMap(({ file, line }) => {
      const problem = problemOf(line);
      return problem === null ? [] : [`${file}: \`${line}\`: ${problem}`];
    });
    expect(wrong).toEqual([]);
  });

  it('are found in blocks and in spans', () => {
    expect(commandLines('`mailroom up --x` a\n```sh\n$ mailroom run a | b\n```\n')).toEqual([
      'mailroom run a',
      'mailroom up --x',
    ]);
    expect(['mailroom upp', 'mailroom up --x', 'mailroom -C . up --until-idle'].map(problemOf)).toEqual([
      'there is no command upp',
      'up has no option --x',
      null,
    ]);
  });
});
