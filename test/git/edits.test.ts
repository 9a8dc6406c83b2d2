import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { watchEdits } from '../../src/git/edits.ts';
import { temporaryFolder } from '../process/support.ts';

function put(root: string, name: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), content);
}

function repository(files: Readonly<Record<string, string>>): string {
  const root = temporaryFolder();
  execFileSync('git', ['init', '-q'], { cwd: root });
  for (const [name, text] of Object.entries(files)) put(root, name, text);
  return root;
}

const binary = Buffer.from([0, 255, 10, 13, 0xc3]);

it('tells what was changed, whatever bytes, kinds of files and names, and nothing of mail and folders that do not count', async () => {
  const root = repository({
    'app/edited.txt': 'old\n',
    'app/gone.txt': 'gone\n',
    'app/same.txt': 'same\n',
    'app/.gitignore': '*.log\n',
    'outside.txt': 'old\n',
  });
  const workspace = join(root, 'app');
  const index = join(root, '.git/index');
  execFileSync('git', ['add', '-A'], { cwd: root });
  const known = readFileSync(index);
  const watch = await watchEdits(workspace, workspace, [join(workspace, 'recording')]);
  put(workspace, 'edited.txt', 'new\n');
  rmSync(join(workspace, 'gone.txt'));
  put(workspace, 'sub/a "b"\n.bin', binary);
  put(workspace, 'run.sh', '#!/bin/sh\n');
  chmodSync(join(workspace, 'run.sh'), 0o755);
  symlinkSync('same.txt', join(workspace, 'link'));
  put(workspace, 'built.log', 'ignored by git');
  put(workspace, 'agents/writer/outbox/task.md', 'mail');
  put(workspace, 'recording/writer.json', '{}');
  put(root, 'outside.txt', 'new\n');
  const edits = await watch();
  const shown = edits?.changed.map(({ path, kind, before, after }) => [
    path,
    kind,
    before && Buffer.from(before),
    after && Buffer.from(after),
  ]);
  expect(shown).toEqual([
    ['edited.txt', 'file', Buffer.from('old\n'), Buffer.from('new\n')],
    ['gone.txt', 'file', Buffer.from('gone\n'), null],
    ['link', 'link', null, Buffer.from('same.txt')],
    ['run.sh', 'program', null, Buffer.from('#!/bin/sh\n')],
    ['sub/a "b"\n.bin', 'file', null, binary],
  ]);
  expect(edits?.leftOut).toEqual([]);
  expect(readFileSync(index)).toEqual(known);
});

it('names what is too large, and tells the rest', async () => {
  const workspace = repository({});
  const watch = await watchEdits(workspace, workspace, []);
  put(workspace, 'a-large.bin', Buffer.alloc(16 * 1024 * 1024 + 1));
  put(workspace, 'b.txt', 'small\n');
  const edits = await watch();
  expect(edits?.leftOut).toEqual(['a-large.bin']);
  expect(edits?.changed.map(({ path }) => path)).toEqual(['b.txt']);
});

it('cannot tell of a file whose former content is lost', async () => {
  const workspace = repository({ 'a.txt': 'old\n', 'b.txt': 'kept\n' });
  const watch = await watchEdits(workspace, workspace, []);
  const object = execFileSync('git', ['hash-object', 'a.txt'], { cwd: workspace, encoding: 'utf8' });
  rmSync(join(workspace, '.git/objects', object.slice(0, 2)), { recursive: true });
  for (const name of ['a.txt', 'b.txt']) put(workspace, name, 'new\n');
  expect(await watch()).toBeNull();
});

it('tells nothing where nothing was changed, and that it cannot tell outside git', async () => {
  const workspace = repository({ 'a.txt': 'a\n' });
  const watch = await watchEdits(workspace, workspace, []);
  expect(await watch()).toEqual({ changed: [], leftOut: [] });
  const folder = temporaryFolder();
  const blind = await watchEdits(folder, folder, []);
  put(folder, 'a.txt', 'a\n');
  expect(await blind()).toBeNull();
});
