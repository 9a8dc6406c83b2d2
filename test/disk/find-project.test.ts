import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { findProject, hasWorkflows, type FolderReader } from '../../src/disk/find-project.ts';

/** Folders and files by their paths; a path that ends in `/` is a folder. */
function world(...paths: string[]): FolderReader {
  const folders = new Set(paths.flatMap((path) => above(path.replace(/\/$/, ''), path.endsWith('/'))));
  const files = new Set(paths.filter((path) => !path.endsWith('/')));
  return {
    exists: (path, kind) => folders.has(path) || (kind === 'any' && files.has(path)),
    list: (folder) =>
      [...folders, ...files]
        .filter((path) => dirname(path) === folder)
        .map((path) => path.slice(folder.length + 1)),
  };
}

function above(path: string, isFolder: boolean): string[] {
  const folder = isFolder ? path : dirname(path);
  return folder === '/' ? ['/'] : [...above(folder, false), folder];
}

it.each([
  ['/p', '/p', ['/p/mailroom.yaml']],
  ['/p/src/core', '/p', ['/p/mailroom.yaml', '/p/src/core/']],
  ['/p/src', '/p', ['/p/.mailroom/']],
  ['/p/src', '/p', ['/p/protocols/team.yml']],
  ['/p/src', '/p', ['/p/agents/qa/role.md']],
  ['/p/inner/src', '/p/inner', ['/p/mailroom.yaml', '/p/inner/agents/qa/role.md']],
  ['/p/src', null, ['/p/agents/qa/inbox/task.md', '/p/agents/role.md']],
  ['/p/src', null, ['/p/agents']],
  ['/p/src', null, ['/p/.mailroom']],
  ['/p/src', null, ['/p/protocols/README.md', '/p/protocols/.team.yaml']],
  ['/other', null, ['/p/mailroom.yaml']],
  ['/', null, []],
])('from %s it is %s where there is %j', (from, project, paths) => {
  expect(findProject(from, null, world(...paths))).toBe(project);
});

it('is looked for up to the root of a git repository, which counts', () => {
  const repository = ['/p/repo/src/', '/p/mailroom.yaml'];
  expect(findProject('/p/repo/src', null, world(...repository))).toBe('/p');
  // Of a worktree and a submodule `.git` is a file.
  for (const git of ['/p/repo/.git/', '/p/repo/.git']) {
    expect(findProject('/p/repo/src', null, world(...repository, git))).toBeNull();
    expect(findProject('/p/repo/src', null, world(...repository, git, '/p/repo/mailroom.yaml'))).toBe(
      '/p/repo',
    );
  }
});

it('is looked for up to the home folder, which counts', () => {
  const around = world('/home/ada/here/', '/home/mailroom.yaml');
  expect(findProject('/home/ada/here', null, around)).toBe('/home');
  expect(findProject('/home/ada/here', '/home/ada', around)).toBeNull();
  expect(findProject('/home/ada/here', '/home/ada', world('/home/ada/mailroom.yaml'))).toBe('/home/ada');
});

it.each(['/p/.mailroom/worktrees/t1', '/p/.mailroom/worktrees/t1/src/x'])(
  'is the project above of a thread that works in %s',
  (from) => {
    const checkout = '/p/.mailroom/worktrees/t1';
    const around = world('/p/mailroom.yaml', `${checkout}/.git`, `${checkout}/mailroom.yaml`);
    expect(findProject(from, null, around)).toBe('/p');
  },
);

it('on the real disk leaves what cannot be read to others', () => {
  const root = mkdtempSync(join(tmpdir(), 'mailroom-project-'));
  const inner = join(root, 'project/inner');
  mkdirSync(join(root, 'project/agents/qa'), { recursive: true });
  mkdirSync(inner);
  mkdirSync(join(root, '.git'));
  writeFileSync(join(root, 'protocols'), 'no folder');
  chmodSync(join(root, 'project/agents'), 0o000);
  expect(findProject(inner, null)).toBeNull();
  chmodSync(join(root, 'project/agents'), 0o700);
  writeFileSync(join(root, 'project/agents/qa/role.md'), '');
  expect(findProject(inner, null)).toBe(join(root, 'project'));
  rmSync(root, { recursive: true });
});

it('workflows alone make no project, and are found for a hint', () => {
  const alone = world('/p/workflows/nightly.yaml');
  expect([findProject('/p', null, alone), hasWorkflows('/p', alone)]).toEqual([null, true]);
  expect(hasWorkflows('/p', world('/p/.github/workflows/ci.yaml', '/p/workflows/README.md'))).toBe(false);
});
