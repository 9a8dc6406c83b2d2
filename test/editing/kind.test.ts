import { describe, expect, it } from 'vitest';
import { fixesOf } from '../../src/editing/fixes.ts';
import { kindOf } from '../../src/editing/kind.ts';
import type { Diagnostic } from '../../src/kernel/diagnostic.ts';
import { languages } from '../../src/languages/languages.ts';

const native = 'name: x\nversion: "1"\nsteps: { a: { command: [x] } }\n';

describe('the kind of a file', () => {
  it.each([
    ['mailroom.yaml', '', 'settings'],
    ['agents.yaml', '', 'agents'],
    ['protocols/team.yaml', '', 'protocol'],
    ['protocols/.hidden.yaml', '', null],
    ['workflows/deep/ship.json', 'not even YAML: [', 'workflow'],
    ['workflows/overrides.yaml', '', 'overrides'],
    ['workflows/ship/overrides/more.yaml', '', 'overrides'],
    ['agents/qa/outbox/a.md', 'Hello', 'message'],
    ['agents/qa/role.md', '---\ntype: x\n---\n', null],
    ['.mailroom/runs/r/run.yaml', native, null],
    ['parts/build.yaml', native, 'workflow'],
    ['compose.yaml', 'services: {}\n', null],
  ])('of a project is that of its path, else of its content: %s', (path, text, kind) => {
    expect(kindOf(path, true, text, languages)).toBe(kind);
  });

  it.each([
    ['mailroom.yaml', 'trail: off\n', null],
    ['a.yaml', native, 'workflow'],
    ['a.yml', 'workflow: { id: a }\nstages: []\n', 'workflow'],
    ['a.yaml', 'roles: { qa: {} }\n', 'protocol'],
    ['a.md', '---\nto: qa\n---\nText\n', 'message'],
    ['a.md', '# Title\n', null],
    ['a.txt', native, null],
  ])('elsewhere is that of its content: %s', (path, text, kind) => {
    expect(kindOf(path, false, text, languages)).toBe(kind);
  });
});

describe('quick fixes', () => {
  const diagnostic = (hint: string | null, text: string, column: number, length: number): Diagnostic => ({
    code: 'E_VALUE',
    severity: 'error',
    message: 'wrong',
    place: { file: 'a.yaml', line: 3, column, length, text },
    hint,
  });

  it('replace what is marked with each word that was probably meant, in the same quotes', () => {
    const found = fixesOf(diagnostic('did you mean `20s` or `20m`?; from `agents`', 'timeout: "20"', 10, 4));
    expect(found.map(({ title, insert }) => [title, insert])).toEqual([
      ['Replace with 20s', '"20s"'],
      ['Replace with 20m', '"20m"'],
    ]);
    expect(found[0]).toMatchObject({ line: 3, column: 10, endColumn: 14 });
  });

  it('are none where the hint names no word, or nothing is marked', () => {
    expect(fixesOf(diagnostic('there are `a`, `b`', 'x', 1, 1))).toEqual([]);
    expect(fixesOf({ ...diagnostic('did you mean `a`?', 'x', 1, 1), place: null })).toEqual([]);
  });
});
