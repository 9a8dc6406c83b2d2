import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { matchingFiles } from '../../src/disk/matching-files.ts';
import { RealDisk } from '../../src/disk/real-disk.ts';
import { MemoryDisk } from '../support/memory-disk.ts';

it('means names with line breaks like any other', () => {
  const disk = new MemoryDisk();
  for (const path of ['src/a\nb/c.ts', 'src/a\nb/c.gen\n.ts', 'docs/d.md']) disk.write(path, '');
  expect([...matchingFiles(disk, ['src/**', '!**/*.gen*.ts'], []).keys()]).toEqual(['src/a\nb/c.ts']);
});

it('refuses more files and folders than may be looked at, and leaves out folders before it counts', () => {
  const lists: string[] = [];
  const folders: Readonly<Record<string, readonly string[]>> = {
    '': ['src', 'build'],
    src: ['a'],
    build: Array.from({ length: 200_000 }, (_, index) => String(index)),
  };
  const disk = {
    list: (folder: string, most = Infinity) => {
      lists.push(`${folder}: ${String(most)}`);
      return (folders[folder] ?? []).slice(0, most);
    },
    look: (path: string) => ({ kind: path in folders ? 'folder' : 'file', size: 0, mtimeMs: 0 }),
  } as unknown as MemoryDisk;
  expect(() => matchingFiles(disk, ['**'], [])).toThrow(
    'more than 100000 files and folders would have to be looked at',
  );
  expect(lists).toContain('build: 99999');
  expect([...matchingFiles(disk, ['**', '!build/**'], []).keys()]).toEqual(['src/a']);
});

/** A project with `src/a`, a secret beside it, and what somebody has put into `src`. */
function matched(globs: readonly string[], put: (src: string, outside: string) => void = () => {}): string[] {
  const root = mkdtempSync(join(tmpdir(), 'mailroom-globs-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const [project, outside] = [join(root, 'project'), join(root, 'outside')];
  for (const folder of [outside, join(project, 'src')]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(outside, 'secret'), '');
  writeFileSync(join(project, 'src/a'), '');
  put(join(project, 'src'), outside);
  return [...matchingFiles(new RealDisk(project), globs, []).keys()].toSorted();
}

it.each<[string, (src: string, outside: string) => void]>([
  ['a link to a file outside', (src, outside) => symlinkSync(join(outside, 'secret'), join(src, 'b'))],
  ['a link to a folder outside', (src, outside) => symlinkSync(outside, join(src, 'b'))],
  ['a link to everything', (src) => symlinkSync('/', join(src, 'b'))],
  ['a link to itself', (src) => symlinkSync('b', join(src, 'b'))],
  ['a link to the folder above', (src) => symlinkSync('..', join(src, 'b'))],
  ['a link that leads nowhere', (src) => symlinkSync('nowhere', join(src, 'b'))],
  ['a pipe', (src) => execFileSync('mkfifo', [join(src, 'b')])],
])('lists no %s', (_, put) => {
  expect(matched(['src/**'], put)).toEqual(['src/a']);
});

it('lists no socket, which it does not open', async () => {
  const server = createServer();
  onTestFinished(() => void server.close());
  const folder = mkdtempSync(join(tmpdir(), 'mailroom-socket-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await new Promise<void>((resolve) => server.listen(join(folder, 'b'), resolve));
  expect([...matchingFiles(new RealDisk(folder), ['**'], []).keys()]).toEqual([]);
});

it.each(['../outside/*', 'src/../../outside/*', '/etc/passwd', 'src/../**', '{..,src}/../outside/*'])(
  'never leaves the project by %s',
  (glob) => {
    expect(matched([glob]).filter((path) => path.includes('secret') || path.includes('passwd'))).toEqual([]);
  },
);

it.each(['$(id)', '`id`', 'a;b', "it's", 'a"b', '-rf', '\u001B[2J', '\u202Egnp', 'a\nb', '__proto__'])(
  'gives a name as it is: %j',
  (name) => {
    expect(matched(['src/**'], (src) => writeFileSync(join(src, name), ''))).toContain(`src/${name}`);
  },
);

it('lists a second name of a file like the file itself', () => {
  expect(matched(['src/**'], (src) => linkSync(join(src, 'a'), join(src, 'b')))).toEqual(['src/a', 'src/b']);
});
