import { expect, it } from 'vitest';
import { matchingFiles } from '../../src/disk/matching-files.ts';
import { MemoryDisk } from '../support/memory-disk.ts';

it('means names with line breaks like any other', () => {
  const disk = new MemoryDisk();
  for (const path of ['src/a\nb/c.ts', 'src/a\nb/c.gen\n.ts', 'docs/d.md']) disk.write(path, '');
  expect([...matchingFiles(disk, ['src/**', '!**/*.gen*.ts'], []).keys()]).toEqual(['src/a\nb/c.ts']);
});
