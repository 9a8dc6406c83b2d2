import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packObjects } from '../../src/git/pack-objects.ts';
import { all, edits, inSandbox, World } from './sandbox-world.ts';

/** A thread with a checkout of its own, and one of its roles with another. */
const thread = '01a21f3e-9774-70c8-840b-e00edd601ea1';

/** A repository with branches, some of them packed, and with the checkouts of a thread. */
class Repository extends World {
  constructor() {
    super();
    this.git('checkout', '-q', '-b', 'dev');
    this.write('src/a', 'a\n');
    this.git('add', '-A');
    this.git('commit', '-q', '-m', 'first');
    for (const branch of ['packed', 'deep/packed']) this.git('branch', branch);
    this.git('tag', 'v1');
    this.git('pack-refs', '--all');
    for (const branch of ['main', 'deep/loose']) this.git('branch', branch);
    this.git('worktree', 'add', '-q', '-b', `mailroom-${thread}`, this.checkout(thread));
    for (const role of ['maker', 'other'])
      this.git(
        'worktree',
        'add',
        '-q',
        '-b',
        `mailroom/${thread}/${role}`,
        this.checkout(`${thread}.${role}`),
      );
  }

  checkout(name: string): string {
    return join(this.root, '.mailroom/worktrees', name);
  }

  /** Where every branch, tag and HEAD stands. */
  refs(): string {
    const heads = readFileSync(join(this.root, '.git/HEAD'), 'utf8');
    return heads + this.said('for-each-ref', '--format=%(refname) %(objectname)');
  }

  said(...args: readonly string[]): string {
    return execFileSync('git', args, { cwd: this.root, encoding: 'utf8' });
  }
}

/** The folders that a role may work in, by what they are to people. */
const folders: readonly (readonly [string, (world: Repository) => string])[] = [
  ['the shared checkout', (world) => world.root],
  ['the checkout of a thread', (world) => world.checkout(thread)],
  ['the checkout of a role', (world) => world.checkout(`${thread}.maker`)],
];

/** What decides what git runs or where branches stand, from the folder of the repository. */
const places = [
  'HEAD',
  'branches/origin',
  'commondir',
  'config',
  'config.worktree',
  'hooks/post-checkout',
  'info/attributes',
  'info/grafts',
  'logs/refs/heads/main',
  'modules/evil/config',
  'objects/info/alternates',
  'objects/info/commit-graph',
  'objects/pack/evil.pack',
  'packed-refs',
  'refs/heads/deep/loose',
  'refs/heads/deep/packed',
  'refs/heads/main',
  'refs/heads/packed',
  `refs/heads/mailroom/${thread}/other`,
  'refs/replace/0000000000000000000000000000000000000000',
  'refs/stash',
  'refs/tags/v1',
  'remotes/origin',
  'shallow',
  `worktrees/${thread}.other/HEAD`,
  'worktrees/evil/gitdir',
];

/** The same in git's folder for a checkout. */
const ownPlaces = ['commondir', 'config.worktree', 'gitdir', 'modules/evil/config'];

/** The ways to write a file that a shell has. Each says that it could. */
const ways: readonly (readonly [string, (path: string) => string])[] = [
  ['adds to it', (path) => `echo x >> ${path}`],
  ['replaces it', (path) => `echo x > ./made && mv -f ./made ${path}`],
  ['removes it first', (path) => `rm -rf ${path} && echo x > ${path}`],
  ['makes a folder', (path) => `mkdir ${path}`],
  ['links it', (path) => `ln -s /tmp ${path}`],
  ['makes its folder', (path) => `mkdir -p $(dirname ${path}) && echo x > ${path}`],
  ['moves its folder', (path) => `mv $(dirname ${path}) $(dirname ${path}).old`],
  [
    'replaces its folder',
    (path) => `rm -rf $(dirname ${path}) && mkdir $(dirname ${path}) && echo x > ${path}`,
  ],
];

const attempts = (paths: readonly string[]) =>
  ways
    .flatMap(([way, write]) =>
      paths.map((path) => `{ ${write(path)}; } 2>/dev/null && echo '${way}: ${path}';`),
    )
    .join('\n');

describe.each(folders)('in %s', (_, workspaceOf) => {
  it.each([
    ['READ, EDIT', edits],
    ['RUN_COMMANDS', all],
    ['RUN_COMMANDS, where no template was used,', all],
  ])('nobody with %s writes what decides what git runs or where branches stand', async (who, rights) => {
    const world = new Repository();
    // `git init --template=` makes none of these, and git obeys what an agent would put there.
    if (who.includes('template'))
      for (const name of ['hooks', 'info', 'branches'])
        rmSync(join(world.root, '.git', name), { recursive: true, force: true });
    const workspace = workspaceOf(world);
    const own = world.said('-C', workspace, 'rev-parse', '--absolute-git-dir').trim();
    const git = join(world.root, '.git');
    const branch = world.said('-C', workspace, 'symbolic-ref', 'HEAD').trim();
    // Its own branch, and the index of its checkout, are its own.
    const free = ['COMMIT_EDITMSG', 'description', 'index'];
    const found = () => [
      world
        .refs()
        .split('\n')
        .filter((line) => !line.startsWith(`${branch} `)),
      readdirSync(git)
        .filter((name) => !free.includes(name))
        .toSorted(),
      readFileSync(join(git, 'config'), 'utf8'),
    ];
    const before = found();
    const paths = [
      ...places.map((place) => join(git, place)),
      ...(own === git ? [] : ownPlaces.map((place) => join(own, place))),
    ];
    const said = await world.runs(rights, `cd /tmp; ${attempts(paths)} echo end`, { workspace });
    expect(said).toBe(inSandbox('end\n'));
    expect(found()).toEqual(before);
  });

  it('git commits what was changed, also again and differently', async () => {
    const world = new Repository();
    const workspace = workspaceOf(world);
    const before = world.refs();
    const branch = world.said('-C', workspace, 'symbolic-ref', '--short', 'HEAD').trim();
    const script = `export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
      set -e; echo b >> src/a; git add -A; git commit -qm two; git commit -q --amend -m better
      echo c >> src/a; git commit -qam three; git reset -q --soft HEAD~1; git commit -qm four
      git merge -q --no-ff -m five main >/dev/null; git status --short; git log --format=%s`;
    expect(await world.runs(all, script, { workspace })).toBe(inSandbox('four\nbetter\nfirst\n'));
    if (inSandbox('x') === '') return;
    expect(world.said('log', '--format=%s', branch)).toBe('four\nbetter\nfirst\n');
    const others = (refs: string) =>
      refs.split('\n').filter((line) => !line.includes(`refs/heads/${branch} `));
    expect(others(world.refs())).toEqual(others(before));
  });

  it('git leaves alone what it must not change', async () => {
    const world = new Repository();
    const workspace = workspaceOf(world);
    const before = world.refs();
    const commands = [
      'git update-ref refs/heads/main $evil',
      'git branch -f packed $evil',
      'git branch -D main',
      'git tag evil',
      'git stash push',
      'git config core.fsmonitor /bin/false',
      'git pack-refs --all',
      'git worktree add ./more',
      'git replace -f HEAD $evil',
      'git notes add -m x',
      'git remote add evil /tmp',
      'git gc --prune=now',
    ];
    const script = `export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
      evil=$(git commit-tree -m evil HEAD^{tree}); echo b >> src/a; ${commands.map((command) => `${command} >/dev/null 2>&1 && echo '${command}';`).join('\n')} cat src/a`;
    expect(await world.runs(all, script, { workspace })).toBe(inSandbox('a\nb\n'));
    expect(world.refs()).toBe(before);
  });
});

it('moves a protected branch in no checkout, its own neither', async () => {
  const world = new Repository();
  world.protected.push('dev');
  const before = world.refs();
  const script =
    'echo b >> src/a; git add -A && echo added; git -c user.name=a -c user.email=a@b commit -qm two 2>/dev/null || echo refused';
  expect(await world.runs(all, script)).toBe(inSandbox('added\nrefused\n'));
  expect(world.refs()).toBe(before);
});

it('moves no other branch of a folder, loose, packed or deeper, from the checkout that people use', async () => {
  const world = new Repository();
  const others = ['packed', 'deep/packed', 'loose', 'deep/loose'].map((name) => `team/${name}`);
  for (const name of others.slice(0, 2)) world.git('branch', name);
  world.git('pack-refs', '--all');
  for (const name of others.slice(2)) world.git('branch', name);
  world.git('checkout', '-q', '-b', 'team/dev');
  const commit = 'git -c user.name=a -c user.email=a@b commit -q --allow-empty -m two && git log --format=%s';
  expect(await world.runs(all, commit)).toBe(inSandbox('two\nfirst\n'));
  // It can remove its own branch, with the folder.
  const found = () =>
    world.said(
      'for-each-ref',
      '--format=%(refname) %(objectname)',
      ...others.map((name) => `refs/heads/${name}`),
    );
  const before = found();
  const paths = others.map((name) => join(world.root, '.git/refs/heads', name));
  expect(await world.runs(all, `cd /tmp; ${attempts(paths)} echo end`)).toBe(inSandbox('end\n'));
  expect(found()).toBe(before);
  expect(before.trim().split('\n')).toHaveLength(4);
});

it('rebases in a checkout of its own, onto what others have done', async () => {
  const world = new Repository();
  const workspace = world.checkout(`${thread}.maker`);
  world.write('src/b', 'b\n');
  world.git('add', '-A');
  world.git('commit', '-qm', 'meanwhile');
  const script = `export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
    echo c > src/c; git add -A; git commit -qm two; git rebase -q dev && git log --format=%s`;
  expect(await world.runs(all, script, { workspace })).toBe(inSandbox('two\nmeanwhile\nfirst\n'));
});

it('goes by the name of a checkout of its own, whatever its HEAD says', async () => {
  const world = new Repository();
  const workspace = world.checkout(`${thread}.maker`);
  const before = world.refs();
  const aim = 'git symbolic-ref HEAD refs/heads/main && echo aimed;';
  const move =
    'git -c user.name=a -c user.email=a@b commit -q --allow-empty -m evil 2>/dev/null && echo moved; echo end';
  expect(await world.runs(all, aim, { workspace })).toBe(inSandbox('aimed\n'));
  expect(await world.runs(all, move, { workspace })).toBe(inSandbox('end\n'));
  expect(world.refs()).toBe(before);
});

it('breaks nothing for others with all that it can remove', async () => {
  for (const [, workspaceOf] of folders) {
    const world = new Repository();
    const before = world.refs();
    const git = join(world.root, '.git');
    await packObjects(git);
    await world.runs(all, `rm -rf ${git}/* ${git} 2>/dev/null; true`, { workspace: workspaceOf(world) });
    const heads = (refs: string) => refs.split('\n').filter((line) => !line.includes('mailroom'));
    expect(heads(world.refs())).toEqual(heads(before));
    expect(world.said('log', '--format=%s', 'main')).toBe('first\n');
    expect(world.said('rev-parse', '--show-toplevel')).toBe(`${world.root}\n`);
  }
});

it('can be worked with by others while it runs', async () => {
  const world = new Repository();
  mkdirSync(join(world.root, 'gate'));
  const running = world.runs(all, 'until [ -e gate/go ]; do :; done; echo end');
  const commands = [
    'git status --porcelain',
    'git commit -q --allow-empty -m mine',
    'git branch -f packed HEAD',
    'git gc -q',
  ];
  for (const command of [...commands, 'git worktree add -q ../more', 'git checkout -q main', 'git fsck'])
    execFileSync('sh', ['-c', command], {
      cwd: world.root,
      stdio: 'pipe',
      env: {
        ...process.env,
        GIT_AUTHOR_NAME: 'a',
        GIT_AUTHOR_EMAIL: 'a@b',
        GIT_COMMITTER_NAME: 'a',
        GIT_COMMITTER_EMAIL: 'a@b',
      },
    });
  world.write('gate/go', '');
  expect(await running).toBe(inSandbox('end\n'));
  expect(readdirSync(join(world.root, '.git'))).not.toContain('commondir');
});
