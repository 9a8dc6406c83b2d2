import { describe, expect, it } from 'vitest';
import { pictureOfRooms, withPicture } from './picture.ts';
import { findRoomFaults, unusedEdges } from './rooms.ts';
import { readTree } from './tree.ts';

function faultsOf(files: Readonly<Record<string, string>>): string[] {
  return findRoomFaults(new Map(Object.entries(files)));
}

describe('the rooms of src', () => {
  const tree = readTree(['src'], ['.ts', '.tsx']);

  // Parsing all of it takes long on a machine that does other work.
  it('are kept by every file', () => {
    expect(findRoomFaults(tree)).toEqual([]);
  });

  it('are permitted no import that no file needs', () => {
    expect(unusedEdges(tree)).toEqual([]);
  });

  // After a change of the table `npx vitest run test/architecture/rooms.test.ts -u` draws the picture anew.
  it('are those of the picture in docs/contributing/architecture.md', async () => {
    const page = readTree(['docs'], ['architecture.md']).get('docs/contributing/architecture.md') ?? '';
    await expect(withPicture(page)).toMatchFileSnapshot('../../docs/contributing/architecture.md');
  });
});

describe('the check of rooms', () => {
  it('accepts the edges of the table', () => {
    const faults = faultsOf({
      'src/main.ts': `import '../package.json'; import './cli/main.ts';`,
      'src/cli/main.ts': '',
      'src/kernel/ids.ts': `export interface Id { readonly process: string }`,
      'src/mail/host/turns.ts': `import type { Id } from '../../kernel/ids.ts'; import { hostname } from 'node:os';`,
      'src/process/run.ts': `import { spawn } from 'node:child_process';`,
      'src/yaml/yaml.ts': `import { parse } from 'yaml';`,
      'src/disk/disk.ts': `import { readFile } from 'node:fs/promises'; import '../kernel/ids.ts';`,
    });
    expect(faults).toEqual([]);
  });

  it.each([
    ['a plain import', `import { a } from '../disk/a.ts';`],
    ['a type import', `import type { A } from '../disk/a.ts';`],
    ['a re-export', `export * from '../disk/a.ts';`],
    ['a dynamic import', `const a = await import('../disk/a.ts');`],
    ['a type in place', `type A = import('../disk/a.ts').A;`],
  ])('refuses %s over an edge that is not in the table', (_, text) => {
    const faults = faultsOf({ 'src/kernel/a.ts': `\n${text}`, 'src/disk/a.ts': '' });
    expect(faults).toEqual(['src/kernel/a.ts:2 kernel must not import disk (src/disk/a.ts)']);
  });

  it('tells rooms in one folder apart', () => {
    const faults = faultsOf({
      'src/mail/machine/a.ts': `import '../host/a.ts';`,
      'src/mail/host/a.ts': '',
    });
    expect(faults).toEqual([
      'src/mail/machine/a.ts:1 mail/machine must not import mail/host (src/mail/host/a.ts)',
    ]);
  });

  it.each([
    [`if (workflow.language === 'swdl') act();`],
    [`const isNip = 'nip' !== language;`],
    [`switch (rules.workflow.language) {}`],
  ])('refuses %s outside languages/', (text) => {
    const faults = faultsOf({ 'src/workflow/host/a.ts': text, 'src/languages/shared/a.ts': text });
    expect(faults).toEqual(['src/workflow/host/a.ts:1 asks which language a workflow has']);
  });

  it('refuses a file outside the rooms, a missing file and a way out of src', () => {
    const faults = faultsOf({
      'src/helpers.ts': `import './kernel/a.ts';`,
      'src/kernel/a.ts': `import './none.ts'; import '../../scripts/build.mjs';`,
    });
    expect(faults).toEqual([
      'src/helpers.ts:1 is in no room',
      'src/kernel/a.ts:1 imports src/kernel/none.ts, which does not exist',
      'src/kernel/a.ts:1 imports scripts/build.mjs, which is outside src',
    ]);
  });

  it('keeps the disk and child processes to few rooms', () => {
    const faults = faultsOf({
      'src/cli/a.ts': `import 'node:fs'; import 'node:child_process';`,
      'src/git/a.ts': `import 'node:fs'; import 'node:fs/promises';`,
    });
    expect(faults).toEqual([
      'src/cli/a.ts:1 only disk, git, host and process may import node:fs',
      'src/cli/a.ts:1 only process and host may import node:child_process',
      'src/git/a.ts:1 only disk may import node:fs/promises',
    ]);
  });

  it('keeps Node, packages, the clock and randomness out of a pure room', () => {
    const faults = faultsOf({
      'src/kernel/a.ts': [
        `import { join } from 'node:path';`,
        `import { z } from 'zod';`,
        `export const a = [Date.now(), new Date(), Math.random(), process.pid];`,
        `setTimeout(() => new Date(0));`,
      ].join('\n'),
    });
    expect(faults).toEqual([
      'src/kernel/a.ts:1 kernel is pure and must not import node:path',
      'src/kernel/a.ts:2 kernel is pure and must not import zod',
      'src/kernel/a.ts:3 kernel is pure and must not use Date.now',
      'src/kernel/a.ts:3 kernel is pure and must not use new Date()',
      'src/kernel/a.ts:3 kernel is pure and must not use Math.random',
      'src/kernel/a.ts:3 kernel is pure and must not use process',
      'src/kernel/a.ts:4 kernel is pure and must not use setTimeout',
    ]);
  });

  it('knows the other ways to the clock, to chance and to what is around', () => {
    const faults = faultsOf({
      'src/kernel/a.ts': [
        `const { now } = Date;`,
        `const chance = Math['random'];`,
        `export const a = [now, chance, globalThis];`,
        `export const b = (process: { pid: number }) => process.pid;`,
        `export const c = () => process.pid;`,
        `export const d = (at: Date) => at.getHours();`,
        `export const e = [Math.max(1), Date.parse('2026-01-01'), new Date(1).getUTCHours()];`,
        `import './local-time.ts';`,
      ].join('\n'),
      'src/kernel/local-time.ts': `export const hours = (at: Date) => at.getHours();`,
    });
    expect(faults).toEqual([
      'src/kernel/a.ts:8 kernel is pure and must not import src/kernel/local-time.ts',
      'src/kernel/a.ts:1 kernel is pure and must not use Date',
      'src/kernel/a.ts:2 kernel is pure and must not use Math',
      'src/kernel/a.ts:3 kernel is pure and must not use globalThis',
      'src/kernel/a.ts:5 kernel is pure and must not use process',
      'src/kernel/a.ts:6 kernel is pure and must not use getHours',
    ]);
  });

  it('lets a pure room name a value of its own `process`', () => {
    const text = `export const keys = (list: { key: string }[]) => list.map((process) => process.key);`;
    expect(faultsOf({ 'src/kernel/a.ts': text })).toEqual([]);
  });

  it('shows the way of a cycle, also of one made of types', () => {
    const faults = faultsOf({
      'src/kernel/a.ts': `import type { B } from './b.ts';`,
      'src/kernel/b.ts': `export type { C } from './c.ts';`,
      'src/kernel/c.ts': `import('./a.ts');`,
    });
    expect(faults).toEqual(['cycle: src/kernel/a.ts → src/kernel/b.ts → src/kernel/c.ts → src/kernel/a.ts']);
  });

  it('does not look at tests beside the sources', () => {
    expect(faultsOf({ 'src/kernel/a.test.ts': `import 'node:fs'; import '../disk/a.ts';` })).toEqual([]);
  });
});

describe('the picture of the rooms', () => {
  it('has an arrow only where no longer way leads', () => {
    const picture = pictureOfRooms();
    expect(picture).toContain('  main --> extensions\n');
    // Everything imports kernel/, most of it by way of others.
    expect(picture).toContain('  yaml --> kernel\n');
    expect(picture).not.toMatch(/cli --> .*kernel/);
  });
});
