import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UnsavedDisk, UnsavedTexts } from '../../src/disk/unsaved.ts';

let folder: string;
let texts: UnsavedTexts;
let disk: UnsavedDisk;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailroom-unsaved-'));
  mkdirSync(join(folder, 'project', 'protocols'), { recursive: true });
  writeFileSync(join(folder, 'project', 'protocols', 'a.yaml'), 'saved');
  texts = new UnsavedTexts();
  disk = new UnsavedDisk(join(folder, 'project'), texts);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const read = (path: string) => disk.read(path, 1000)?.toString() ?? null;

describe('a disk with unsaved texts', () => {
  it('has them in place of the files, until they are closed', () => {
    const path = join(disk.root, 'protocols', 'a.yaml');
    texts.set(path, 'späß');
    expect([read('protocols/a.yaml'), disk.look('protocols/a.yaml')]).toMatchObject([
      'späß',
      { kind: 'file', size: 6 },
    ]);
    expect(disk.read('protocols/a.yaml', 2, 1)?.toString()).toBe('pä'.slice(0, 1) + '\ufffd');
    texts.delete(path);
    expect([read('protocols/a.yaml'), disk.look('protocols/a.yaml')]).toMatchObject(['saved', { size: 5 }]);
  });

  it('lists files and folders that were never saved', () => {
    texts.set(join(disk.root, 'workflows', 'parts', 'new.yaml'), 'name: new');
    texts.set(join(disk.root, 'protocols', 'b.yaml'), '');
    expect(disk.list('protocols')?.toSorted()).toEqual(['a.yaml', 'b.yaml']);
    expect(disk.list('workflows')).toEqual(['parts']);
    expect(disk.look('workflows')).toMatchObject({ kind: 'folder' });
    expect([disk.list('workflows/parts'), disk.resolve('workflows/parts/new.yaml')]).toEqual([
      ['new.yaml'],
      'workflows/parts/new.yaml',
    ]);
    expect([disk.list('missing'), disk.look('missing'), disk.resolve('missing/a')]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it('knows a text by any way that leads to its file', () => {
    symlinkSync(join(folder, 'project'), join(folder, 'link'));
    texts.set(join(folder, 'link', 'workflows', 'a.yaml'), 'by the link');
    expect(read('workflows/a.yaml')).toBe('by the link');
    expect(texts.get(join(folder, 'project', 'workflows', 'a.yaml'))).toBe('by the link');
  });
});
