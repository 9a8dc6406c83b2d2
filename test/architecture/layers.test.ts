import { describe, expect, it } from 'vitest';
import { findLayerFaults } from './layers.ts';
import { readTree } from './tree.ts';

function faultsOf(files: Readonly<Record<string, string>>): string[] {
  return findLayerFaults(new Map(Object.entries(files)));
}

describe('the layers of src', () => {
  it('are kept by every file', () => {
    expect(findLayerFaults(readTree(['src'], ['.ts']))).toEqual([]);
  });
});

describe('the layer check', () => {
  it('accepts the edges of the table', () => {
    const faults = faultsOf({
      'src/app.ts': `import '../package.json'; import './engine/host.ts'; import './store/disk.ts';`,
      'src/core/ports.ts': `export interface Port { readonly process: string }`,
      'src/engine/host.ts': `import type { Port } from '../core/ports.ts'; import { hostname } from 'node:os';`,
      'src/process/run.ts': `import { spawn } from 'node:child_process';`,
      'src/providers/claude.ts': `import { type Run } from '../process/run.ts';`,
      'src/store/disk.ts': `import { readFile } from 'node:fs/promises'; import '../core/ports.ts';`,
    });
    expect(faults).toEqual([]);
  });

  it.each([
    ['a plain import', `import { a } from '../store/a.ts';`],
    ['a type import', `import type { A } from '../store/a.ts';`],
    ['a re-export', `export * from '../store/a.ts';`],
    ['a dynamic import', `const a = await import('../store/a.ts');`],
    ['a type in place', `type A = import('../store/a.ts').A;`],
  ])('refuses %s over an edge that is not in the table', (_, text) => {
    const faults = faultsOf({ 'src/core/a.ts': `\n${text}`, 'src/store/a.ts': '' });
    expect(faults).toEqual(['src/core/a.ts:2 core may not import store (src/store/a.ts)']);
  });

  it('refuses a value where only types may be imported', () => {
    const faults = faultsOf({
      'src/process/run.ts': '',
      'src/providers/a.ts': `import { run, type Run } from '../process/run.ts';`,
    });
    expect(faults).toEqual(['src/providers/a.ts:1 providers may import only types from process']);
  });

  it('refuses a file outside the rooms, a missing file and a way out of src', () => {
    const faults = faultsOf({
      'src/helpers.ts': `import './core/a.ts';`,
      'src/core/a.ts': `import './none.ts'; import '../../scripts/build.mjs';`,
    });
    expect(faults).toEqual([
      'src/helpers.ts:1 is in no room',
      'src/core/a.ts:1 imports src/core/none.ts, which does not exist',
      'src/core/a.ts:1 imports scripts/build.mjs, which is outside src',
    ]);
  });

  it('keeps the disk to store and child processes to process', () => {
    const faults = faultsOf({
      'src/cli/a.ts': `import 'node:fs'; import 'fs/promises'; import 'node:child_process';`,
      'src/store/a.ts': `import { spawn } from 'node:child_process';`,
    });
    expect(faults).toEqual([
      'src/cli/a.ts:1 only store and process may import node:fs',
      'src/cli/a.ts:1 only store may import node:fs/promises',
      'src/cli/a.ts:1 only process may import node:child_process',
      'src/store/a.ts:1 only process may import node:child_process',
    ]);
  });

  it('keeps Node, packages, the clock and randomness out of core', () => {
    const faults = faultsOf({
      'src/core/a.ts': [
        `import { join } from 'node:path';`,
        `import { z } from 'zod';`,
        `export const a = [Date.now(), new Date(), Math.random(), process.pid];`,
        `setTimeout(() => new Date(0));`,
      ].join('\n'),
    });
    expect(faults).toEqual([
      'src/core/a.ts:1 core may not import node:path',
      'src/core/a.ts:2 core may not use the package zod',
      'src/core/a.ts:3 core may not use Date.now',
      'src/core/a.ts:3 core may not use new Date()',
      'src/core/a.ts:3 core may not use Math.random',
      'src/core/a.ts:3 core may not use process',
      'src/core/a.ts:4 core may not use setTimeout',
    ]);
  });

  it('lets core call a value of its own process', () => {
    const text = `export const keys = (list: { key: string }[]) => list.map((process) => process.key);`;
    expect(faultsOf({ 'src/core/a.ts': text })).toEqual([]);
  });

  it('shows the way of a cycle, also of one made of types', () => {
    const faults = faultsOf({
      'src/core/a.ts': `import type { B } from './b.ts';`,
      'src/core/b.ts': `export type { C } from './c.ts';`,
      'src/core/c.ts': `import('./a.ts');`,
    });
    expect(faults).toEqual(['cycle: src/core/a.ts → src/core/b.ts → src/core/c.ts → src/core/a.ts']);
  });

  it('does not look at tests beside the sources', () => {
    expect(faultsOf({ 'src/core/a.test.ts': `import 'node:fs'; import '../store/a.ts';` })).toEqual([]);
  });
});
