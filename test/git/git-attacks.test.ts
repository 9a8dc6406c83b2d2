import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { watchEdits } from '../../src/git/edits.ts';
import { watchFolder } from '../../src/git/folder-changes.ts';
import { rollBack } from '../../src/git/rollback.ts';
import { changedFiles, patchFromBase } from '../../src/git/run-differences.ts';
import { ensureWorktree, workspaceTree } from '../../src/git/workspace-tree.ts';
import { Worktrees } from '../../src/git/worktrees.ts';
import { temporaryFolder } from '../process/support.ts';

/** A workspace, and what must never be there: a file beside it, which commands of an attacker make. */
class Victim {
  readonly #folder = temporaryFolder();
  readonly workspace = join(this.#folder, 'workspace');
  readonly trap = join(this.#folder, 'trapped');

  constructor() {
    mkdirSync(this.workspace);
  }

  /** The command of the attacker; passes on what a filter is given, and answers nothing to others. */
  get command(): string {
    const script = join(this.#folder, 'attack');
    writeFileSync(script, `#!/bin/sh\ntouch '${this.trap}'\n[ $# -eq 0 ] && exec cat\n`);
    chmodSync(script, 0o755);
    return script;
  }

  put(path: string, text: string): void {
    const file = join(this.workspace, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  git(...args: string[]): string {
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-c', 'core.fsmonitor=false'];
    const options = { cwd: this.workspace, encoding: 'utf8', stdio: 'pipe' } as const;
    return execFileSync('git', [...who, ...args], options);
  }

  repository(): void {
    this.git('init', '-q');
    this.put('kept.txt', 'old\n');
    this.git('add', '-A');
    this.git('commit', '-qm', 'first');
  }

  get isTrapped(): boolean {
    const is = existsSync(this.trap);
    rmSync(this.trap, { force: true });
    return is;
  }
}

const filtered = '* filter=evil diff=evil\n';

/** Each makes a workspace in which the command after it runs what an attacker wrote. */
const attacks: Readonly<Record<string, readonly [(victim: Victim) => void, ...string[]]>> = {
  'a filter in the configuration': [
    (victim) => {
      victim.repository();
      victim.git('config', 'filter.evil.clean', victim.command);
      victim.put('.gitattributes', filtered);
    },
    'add',
    '-A',
  ],
  'a filter that is a process': [
    (victim) => {
      victim.repository();
      victim.git('config', 'filter.evil.process', victim.command);
      victim.put('.gitattributes', filtered);
    },
    'add',
    '-A',
  ],
  'another configuration by .git/commondir': [
    (victim) => {
      victim.repository();
      execFileSync('cp', ['-r', '.git', 'theirs'], { cwd: victim.workspace });
      victim.git('config', '--file', 'theirs/config', 'filter.evil.clean', victim.command);
      victim.put('.git/commondir', '../theirs\n');
      victim.put('.git/info/exclude', 'theirs\n');
      victim.put('theirs/info/exclude', 'theirs\n');
      victim.put('.gitattributes', filtered);
    },
    'add',
    '-A',
  ],
  'a repository made where there was none': [
    (victim) => {
      victim.git('init', '-q');
      victim.git('config', 'filter.evil.clean', victim.command);
      victim.put('.gitattributes', filtered);
    },
    'add',
    '-A',
  ],
  'a repository in the index': [
    (victim) => {
      victim.repository();
      const inner = (...args: string[]) => victim.git('-C', 'nested', ...args);
      victim.git('init', '-q', 'nested');
      victim.put('nested/file.txt', 'one\n');
      inner('add', '-A');
      inner('commit', '-qm', 'inner');
      victim.git('add', '-A');
      inner('config', 'filter.evil.clean', victim.command);
      victim.put('nested/.gitattributes', filtered);
      victim.put('nested/file.txt', 'two\n');
    },
    'add',
    '-A',
  ],
  'a monitor of files': [
    (victim) => {
      victim.repository();
      victim.git('config', 'core.fsmonitor', victim.command);
    },
    '-c',
    // Otherwise the trap would be switched off by the test itself.
    'core.fsmonitor=./../attack',
    'add',
    '-A',
  ],
  'a hook': [
    (victim) => {
      victim.repository();
      victim.put('.git/hooks/post-index-change', `#!/bin/sh\nexec ${victim.command} </dev/null\n`);
      chmodSync(join(victim.workspace, '.git/hooks/post-index-change'), 0o755);
    },
    'add',
    '-A',
  ],
  'a way to show differences': [
    (victim) => {
      victim.repository();
      victim.git('config', 'diff.evil.textconv', victim.command);
      victim.git('config', 'diff.external', victim.command);
      victim.put('.gitattributes', filtered);
    },
    'diff',
    '--ext-diff',
  ],
  'an object to be fetched': [
    (victim) => {
      victim.repository();
      const object = victim.git('rev-parse', 'HEAD:kept.txt').trim();
      rmSync(join(victim.workspace, '.git/objects', object.slice(0, 2), object.slice(2)));
      for (const [name, value] of [
        ['core.repositoryformatversion', '1'],
        ['extensions.partialclone', 'evil'],
        ['remote.evil.promisor', 'true'],
        ['remote.evil.url', victim.workspace],
        ['remote.evil.uploadpack', victim.command],
      ] as const)
        victim.git('config', name, value);
    },
    'diff',
  ],
};

/** Whatever it says, it says it without running anything. */
async function lookEverywhere({ workspace }: Victim): Promise<void> {
  const tree = await workspaceTree(workspace);
  const watch = await watchEdits(workspace, workspace, []);
  writeFileSync(join(workspace, 'kept.txt'), 'newer\n');
  await watch();
  await changedFiles({ workspace, base: 'HEAD' }, { ignored: [], ours: [] });
  await patchFromBase({ workspace, base: 'HEAD' }, []);
  writeFileSync(join(workspace, 'added.txt'), 'added\n');
  await rollBack({ workspace, tree: tree ?? '', ours: () => false, secrets: [], keep: () => {} });
}

describe.each(Object.entries(attacks))('%s', (_, [attack, ...command]) => {
  it('runs by the git of a person, and not when we look', async () => {
    const victim = new Victim();
    attack(victim);
    victim.put('kept.txt', 'new\n');
    await lookEverywhere(victim);
    expect(victim.isTrapped).toBe(false);
    victim.put('kept.txt', 'newest\n');
    try {
      victim.git(...command);
    } catch {
      // What the attacker's command answers is no concern of ours.
    }
    expect(victim.isTrapped).toBe(true);
  });
});

const [thread, other] = ['019f2c4b-7d3e-7a51-9c08-5b1e8d0f6a27', '019f2c4b-7d3e-7a51-9c08-5b1e8d0f6a28'];

/** Each has git read a configuration of an attacker's. */
const bent: Readonly<Record<string, (victim: Victim) => void>> = {
  'the repository': (victim) => victim.put('.git/commondir', '../theirs\n'),
  'a checkout': (victim) => victim.put(`.git/worktrees/${thread}/commondir`, '../../../theirs\n'),
  'a checkout that its repository does not know': (victim) => {
    victim.put(`.git/worktrees/${thread}/commondir`, '../../../theirs\n');
    victim.put(`.git/worktrees/${thread}/gitdir`, '/nowhere\n');
  },
};

it.each(Object.entries(bent))(
  'another configuration for %s runs by the git of a person, and not when worktrees of threads are made, merged and removed',
  async (_, bend) => {
    const victim = new Victim();
    const { workspace } = victim;
    const checkout = (id: string) => join(workspace, '.mailroom/worktrees', id);
    victim.repository();
    victim.put('.git/info/exclude', '.mailroom\ntheirs\n');
    victim.put('.git/info/attributes', '* filter=evil\n');
    expect(await ensureWorktree(workspace, checkout(thread), thread)).toBeNull();
    execFileSync('cp', ['-r', '.git', 'theirs'], { cwd: workspace });
    for (const way of ['clean', 'smudge'])
      victim.git('config', '--file', 'theirs/config', `filter.evil.${way}`, victim.command);
    bend(victim);
    victim.put(`.mailroom/worktrees/${thread}/made.txt`, 'made\n');
    victim.git('-C', checkout(thread), 'add', '-A');
    for (const text of ['new\n', 'old\n']) {
      victim.put('kept.txt', text);
      victim.git('add', '-A');
    }
    expect(victim.isTrapped).toBe(true);
    victim.put(`.mailroom/worktrees/${thread}/made.txt`, 'made again\n');
    // What comes of them, in a repository that is bent, is another matter.
    await ensureWorktree(workspace, checkout(other), other);
    const worktrees = new Worktrees(workspace, nothingNamed);
    await worktrees.remove({ thread: other, role: null }, 'subject').catch(() => {});
    await worktrees.merge({ thread, role: null }, 'subject').catch(() => {});
    expect(victim.isTrapped).toBe(false);
  },
);

const places: Readonly<Record<string, readonly [(path: string) => void, string]>> = {
  'a pipe': [(path) => void execFileSync('mkfifo', [path]), 'is not a file'],
  'a link': [(path) => symlinkSync('/dev/zero', path), 'ELOOP'],
  'a folder': [(path) => mkdirSync(path), 'is not a file'],
};

it.each(Object.entries(places))(
  '%s in the place of the index holds up no one',
  async (_what, [make, why]) => {
    const victim = new Victim();
    const { workspace } = victim;
    victim.repository();
    const watch = await watchFolder(workspace, workspace);
    rmSync(join(workspace, '.git/index'));
    make(join(workspace, '.git/index'));
    expect(await watch()).toContain(why);
    const found = await changedFiles({ workspace, base: 'HEAD' }, { ignored: [], ours: [] });
    expect(found).toMatchObject({ ok: false });
    expect(await patchFromBase({ workspace, base: 'HEAD' }, [])).toBeNull();
    expect(await workspaceTree(workspace)).toBeNull();
  },
);

it.each(['.gitignore', 'sub/.gitignore', '.gitattributes', '.git/info/exclude', '.git/HEAD'])(
  'a pipe in the place of %s holds up no one for long, and what changed counts as unknown',
  async (name) => {
    const victim = new Victim();
    const { workspace } = victim;
    victim.put('sub/file.txt', 'inner\n');
    victim.repository();
    // Of a file that may have changed git asks for the attributes.
    victim.put('sub/file.txt', 'other\n');
    const watch = await watchFolder(workspace, workspace);
    rmSync(join(workspace, name), { force: true });
    execFileSync('mkfifo', [join(workspace, name)]);
    expect(await watch()).toBe(
      'it waits for a named pipe that lies in the place of a file; `find . -type p` lists such pipes',
    );
    expect(await changedFiles({ workspace, base: 'HEAD' }, { ignored: [], ours: [] })).toMatchObject({
      ok: false,
    });
  },
);

it('a repository within the checkout of a thread runs no program of its own, and what lies there stays', async () => {
  const victim = new Victim();
  const { workspace } = victim;
  const checkout = join(workspace, '.mailroom/worktrees', thread);
  victim.git('init', '-q', 'nested');
  victim.put('nested/file.txt', 'one\n');
  victim.git('-C', 'nested', 'add', '-A');
  victim.git('-C', 'nested', 'commit', '-qm', 'inner');
  victim.repository();
  victim.put('.git/info/exclude', '.mailroom\n');
  expect(await ensureWorktree(workspace, checkout, thread)).toBeNull();
  execFileSync('cp', ['-r', 'nested', checkout], { cwd: workspace });
  const inner = (...args: string[]) => victim.git('-C', join(checkout, 'nested'), ...args);
  inner('config', 'filter.evil.clean', victim.command);
  victim.put(`.mailroom/worktrees/${thread}/nested/.gitattributes`, filtered);
  victim.put(`.mailroom/worktrees/${thread}/nested/file.txt`, 'two\n');
  await expect(
    new Worktrees(workspace, nothingNamed).merge({ thread, role: null }, 'subject'),
  ).rejects.toMatchObject({
    code: 'E_REFUSED',
    message: expect.stringMatching(
      /^the submodule nested .* nowhere else: `.gitattributes` is not committed/,
    ) as string,
  });
  expect(victim.isTrapped).toBe(false);
  victim.git('-C', checkout, 'add', '-A');
  expect(victim.isTrapped).toBe(true);
  execFileSync('mv', ['nested', 'made'], { cwd: checkout });
  const message = 'a repository of its own lies in the checkout: made';
  await expect(
    new Worktrees(workspace, nothingNamed).remove({ thread, role: null }, 'subject'),
  ).rejects.toMatchObject({
    message,
  });
  expect(existsSync(join(checkout, 'made/file.txt'))).toBe(true);
});

const nothingNamed = () => Promise.resolve([]);

describe('filters of the repository itself', () => {
  /** Files are in capitals in the repository, and not in the working tree. */
  function capitals(): Victim {
    const victim = new Victim();
    victim.git('init', '-q');
    victim.git('config', 'filter.capitals.clean', 'tr a-z A-Z');
    victim.git('config', 'filter.capitals.smudge', 'tr A-Z a-z');
    victim.git('config', 'filter.capitals.required', 'true');
    victim.put('.gitattributes', '*.txt filter=capitals\n');
    for (const name of ['kept.txt', 'edited.txt', 'gone.txt']) victim.put(name, 'old\n');
    // Older than the index, so that git believes it of what it has not read.
    utimesSync(join(victim.workspace, 'kept.txt'), 1, 1);
    victim.git('add', '-A');
    victim.git('commit', '-qm', 'first');
    return victim;
  }

  it('hide no change, and what is put back is what lay there', async () => {
    const { workspace, put, git } = bound(capitals());
    const watch = await watchEdits(workspace, workspace, []);
    const tree = (await workspaceTree(workspace)) ?? '';
    put('edited.txt', 'new\n');
    rmSync(join(workspace, 'gone.txt'));
    const edits = await watch();
    const changed = edits?.changed.map(({ path, before }) => [
      path,
      before && Buffer.from(before).toString(),
    ]);
    expect(changed).toEqual([
      ['edited.txt', 'old\n'],
      ['gone.txt', 'old\n'],
    ]);
    const found = await changedFiles({ workspace, base: 'HEAD' }, { ignored: [], ours: [] });
    expect(found).toEqual({ ok: true, changed: ['edited.txt', 'gone.txt'] });
    const undoing = { workspace, tree, ours: () => false, secrets: [], keep: () => {} };
    expect(await rollBack(undoing)).toEqual({ files: 2, problem: null });
    expect(git('status', '--porcelain')).toBe('');
  });
});

it('a repository in the workspace is seen by its commit, and none that a run made is taken away', async () => {
  const { workspace, put, git } = bound(new Victim());
  git('init', '-q');
  for (const name of ['known', 'empty']) {
    git('init', '-q', name);
    git('-C', name, 'commit', '-q', '--allow-empty', '-m', 'one');
  }
  git('add', '-A');
  rmSync(join(workspace, 'empty/.git'), { recursive: true });
  const watch = await watchEdits(workspace, workspace, []);
  const tree = (await workspaceTree(workspace)) ?? '';
  expect(git('ls-tree', '--name-only', tree)).toBe('empty\nknown\n');
  put('known/file.txt', 'not committed\n');
  expect(await watch()).toEqual({ changed: [], leftOut: [] });
  git('-C', 'known', 'commit', '-q', '--allow-empty', '-m', 'two');
  git('init', '-q', 'made');
  put('made/file.txt', 'nowhere else\n');
  git('-C', 'made', 'commit', '-q', '--allow-empty', '-m', 'one');
  expect((await watch())?.leftOut).toEqual(['known', 'made']);
  const undoing = { workspace, tree, ours: () => false, secrets: [], keep: () => {} };
  const { problem } = await rollBack(undoing);
  expect(problem).toBe(
    '`made` is not taken away: it is a repository of its own; move it, then resume the run',
  );
  expect(existsSync(join(workspace, 'made/file.txt'))).toBe(true);
});

function bound(victim: Victim) {
  return {
    workspace: victim.workspace,
    put: (path: string, text: string) => victim.put(path, text),
    git: (...args: string[]) => victim.git(...args),
  };
}
