import { describe, expect, it } from 'vitest';
import { fileTimes, changedFiles } from '../../src/disk/file-times.ts';
import { MemoryDisk } from '../support/memory-disk.ts';

function disk(files: Readonly<Record<string, string>>): MemoryDisk {
  const made = new MemoryDisk();
  for (const [path, text] of Object.entries(files)) made.write(path, text);
  return made;
}

describe('the times of files', () => {
  it('leave out what belongs to tools, and what the caller leaves out', () => {
    const all = disk({
      'src/a.ts': 'a',
      'node_modules/x/index.js': 'x',
      '.git/HEAD': 'ref',
      'context/_workflow.json': '{}',
      'docs/context/page.md': 'p',
    });
    expect([...fileTimes(all, (path) => path === 'context').keys()].toSorted()).toEqual([
      'docs/context/page.md',
      'src/a.ts',
    ]);
  });

  it('tell all files that were added, changed or removed', () => {
    const all = disk({ 'a.ts': 'a', 'b.ts': 'b' });
    const before = fileTimes(all, () => false);
    expect(
      changedFiles(
        before,
        fileTimes(all, () => false),
      ),
    ).toEqual([]);
    all.write('b.ts', 'longer');
    expect(
      changedFiles(
        before,
        fileTimes(all, () => false),
      ),
    ).toEqual([{ path: 'b.ts', what: 'changed' }]);
    all.write('a2.ts', 'new');
    expect(
      changedFiles(
        before,
        fileTimes(all, () => false),
      ),
    ).toEqual([
      { path: 'a2.ts', what: 'added' },
      { path: 'b.ts', what: 'changed' },
    ]);
    all.remove('a.ts');
    expect(
      changedFiles(
        before,
        fileTimes(all, () => false),
      ),
    ).toEqual([
      { path: 'a.ts', what: 'removed' },
      { path: 'a2.ts', what: 'added' },
      { path: 'b.ts', what: 'changed' },
    ]);
  });
});
