import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { enterWork, leaveWork } from '../../src/git/work.ts';
import { roleBranch, roleCheckout, type Entering, type Leaving, type Worked } from '../../src/kernel/work.ts';
import { temporaryFolder } from '../process/support.ts';

const thread = '019f2c4b-7d3e-7a51-9c08-5b1e8d0f6a27';

/** A project with one commit, and what roles do in their checkouts of it. */
function project() {
  const root = join(temporaryFolder(), 'project');
  const git = (...args: string[]) => gitIn(root, ...args);
  const put = (path: string, text: string) => write(join(root, path), text);
  put('kept.txt', 'one\ntwo\nthree\nfour\nfive\nsix\n');
  put('.gitignore', '*.log\n');
  git('init', '-qb', 'main');
  put('.git/info/exclude', '.mailroom\n');
  git('add', '-A');
  git('commit', '-qm', 'first');
  const role = (name: string, edits = true) => {
    const path = join(root, '.mailroom/worktrees', roleCheckout(thread, name));
    const turn = { turn: 't1', role: name, thread, branch: roleBranch(thread, name) };
    return {
      path,
      ref: `refs/heads/${turn.branch}`,
      put: (file: string, text: string) => write(join(path, file), text),
      read: (file: string) => readFileSync(join(path, file), 'utf8'),
      git: (...args: string[]) => gitIn(path, ...args),
      enter: (commits: readonly string[] = [], more: Partial<Entering> = {}) =>
        enterWork(root, path, { ...turn, edits, takes: taken(commits), last: null, resolves: 'text', resolving: null, ...more }),
      leave: (entered: string, more: Partial<Leaving> = {}) => {
        const about = { title: 'Work', messages: ['m2'], entered, amends: null, takes: [] };
        return leaveWork(root, path, { ...turn, ...about, ...more });
      },
      /** Enters, changes files and leaves. */
      async does(files: Readonly<Record<string, string>>, commits: readonly string[] = []): Promise<string> {
        const entered = commitOf(await this.enter(commits));
        for (const [file, text] of Object.entries(files)) this.put(file, text);
        return commitOf(await this.leave(entered));
      },
    };
  };
  return { root, git, put, role, main: git('rev-parse', 'main') };
}

function taken(commits: readonly string[]) {
  return commits.map((commit) => ({ commit, message: 'm1', from: 'other' }));
}

function gitIn(cwd: string, ...args: string[]): string {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
  return execFileSync('git', [...who, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function commitOf(worked: Worked): string {
  if (!worked.ok) throw new Error(worked.problem);
  return worked.commit;
}

function problemOf(worked: Worked): string {
  return worked.ok ? `no problem: ${worked.commit}` : worked.problem;
}

describe('leaving a turn', () => {
  it('commits what git does not ignore, in the name of the role', async () => {
    const { git, role, main } = project();
    const one = role('one');
    const commit = await one.does({ 'new.txt': 'new\n', 'kept.txt': 'changed\n', 'noise.log': 'x' });
    expect(git('show', '--format=%an <%ae>, %cn%n%P%n%B', '--name-status', commit).split('\n')).toEqual([
      'one <one@mailroom>, one',
      main,
      'Work',
      '',
      `Mailroom-Thread: ${thread}`,
      'Mailroom-Turn: t1',
      'Mailroom-Messages: m2',
      '',
      '',
      'M\tkept.txt',
      'A\tnew.txt',
    ]);
    expect(git('rev-parse', one.ref)).toBe(commit);
    expect(one.git('status', '--porcelain')).toBe('');
    expect(one.read('noise.log')).toBe('x');
  });

  it('makes no commit where nothing changed, and keeps those of the agent', async () => {
    const { role, main } = project();
    const one = role('one');
    expect(await one.enter()).toEqual({ ok: true, commit: main });
    expect(await one.leave(main)).toEqual({ ok: true, commit: main });
    one.put('own.txt', 'own\n');
    one.git('add', '-A');
    one.git('commit', '-qm', 'mine');
    const own = one.git('rev-parse', 'HEAD');
    expect(await one.leave(main)).toEqual({ ok: true, commit: own });
    one.git('checkout', '-q', '--detach');
    one.put('more.txt', 'more\n');
    const more = commitOf(await one.leave(main));
    expect(one.git('log', '--format=%s', more)).toBe('Work\nmine\nfirst');
    expect(one.git('symbolic-ref', 'HEAD')).toBe(one.ref);
  });

  it('replaces the commit of an earlier round', async () => {
    const { role, main } = project();
    const one = role('one');
    const first = await one.does({ 'a.txt': 'a\n' });
    one.put('b.txt', 'b\n');
    const second = commitOf(await one.leave(main, { amends: first, title: 'Better' }));
    expect(one.git('log', '--format=%s', second)).toBe('Better\nfirst');
    expect(one.git('show', '--name-only', '--format=', second)).toBe('a.txt\nb.txt');
  });

  it('runs nothing that an agent configured', async () => {
    const { root, git, put, role, main } = project();
    const ran = join(dirname(root), 'ran');
    const program = join(dirname(root), 'program');
    writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${ran}\ncat\n`);
    chmodSync(program, 0o755);
    for (const hook of ['pre-commit', 'post-checkout', 'reference-transaction', 'post-index-change'])
      put(`.git/hooks/${hook}`, `#!/bin/sh\necho ${hook} >> ${ran}\n`);
    for (const hook of ['pre-commit', 'post-checkout', 'reference-transaction', 'post-index-change'])
      chmodSync(join(root, '.git/hooks', hook), 0o755);
    for (const [name, value] of [
      ['filter.x.clean', program],
      ['filter.x.smudge', program],
      ['merge.x.driver', `${program} %A`],
      ['core.fsmonitor', program],
      ['diff.x.textconv', program],
    ] as const)
      git('config', name, value);
    put('.git/info/attributes', '* filter=x merge=x diff=x\n');
    const [one, two] = [role('one'), role('two')];
    const theirs = await one.does({ 'kept.txt': 'ONE\ntwo\nthree\nfour\nfive\nsix\n' });
    const both = await two.does({ 'kept.txt': 'one\ntwo\nthree\nfour\nfive\nSIX\n' });
    expect(problemOf(await two.enter([theirs]))).toMatch(/^no problem/);
    expect(two.read('kept.txt')).toBe('ONE\ntwo\nthree\nfour\nfive\nSIX\n');
    expect(both).not.toBe(main);
    expect(existsSync(ran) ? readFileSync(ran, 'utf8') : '').toBe('');
  });

  it('refuses a repository inside, and a branch that somebody moved', async () => {
    const { git, role, main } = project();
    const one = role('one');
    const first = await one.does({ 'a.txt': 'a\n' });
    one.put('inner/file', 'x');
    gitIn(join(one.path, 'inner'), 'init', '-q');
    gitIn(join(one.path, 'inner'), 'add', '-A');
    gitIn(join(one.path, 'inner'), 'commit', '-qm', 'inner');
    expect(problemOf(await one.leave(first))).toContain('`inner` is a repository of its own');
    rmSync(join(one.path, 'inner'), { recursive: true });
    git('update-ref', one.ref, main);
    expect(problemOf(await one.leave(first))).toContain(
      `somebody moved the branch mailroom/${thread}/one to ${main}, which does not contain ${first}`,
    );
    expect(problemOf(await one.enter([], { last: first }))).toContain(
      `\`git update-ref refs/heads/mailroom/${thread}/one ${first}\` moves it back`,
    );
    expect(git('rev-parse', one.ref)).toBe(main);
  });
});

describe('entering a turn', () => {
  it('begins where the thread began, whatever the person commits meanwhile', async () => {
    const { git, put, role, main } = project();
    expect(await role('one').enter()).toEqual({ ok: true, commit: main });
    put('kept.txt', 'later\n');
    git('commit', '-qam', 'later');
    const two = role('two');
    expect(await two.enter()).toEqual({ ok: true, commit: main });
    expect(two.read('kept.txt')).toContain('one\n');
    expect(git('status', '--porcelain')).toBe('');
  });

  it('moves forward where it can, else merges, and both again is nothing new', async () => {
    const { git, role } = project();
    const [one, two] = [role('one'), role('two')];
    const first = await one.does({ 'a.txt': 'a\n' });
    expect(await two.enter([first])).toEqual({ ok: true, commit: first });
    const second = await one.does({ 'a.txt': 'b\n' });
    const third = await two.does({ 'c.txt': 'c\n' });
    const merged = commitOf(await two.enter([second]));
    expect(git('log', '-1', '--format=%P|%an|%s', merged)).toBe(
      `${third} ${second}|two|Merge the work of other`,
    );
    expect([two.read('a.txt'), two.read('c.txt')]).toEqual(['b\n', 'c\n']);
    expect(two.git('status', '--porcelain')).toBe('');
    expect(await two.enter([second, first])).toEqual({ ok: true, commit: merged });
  });

  it('shows a role that must not edit exactly the work that it reads, and loses no commit', async () => {
    const { git, role } = project();
    const reader = role('reader', false);
    const [a, b] = [await role('one').does({ 'a.txt': 'a\n' }), await role('two').does({ 'b.txt': 'b\n' })];
    const both = commitOf(await reader.enter([a, b]));
    expect([reader.read('a.txt'), reader.read('b.txt')]).toEqual(['a\n', 'b\n']);
    reader.put('a.txt', 'by a test run\n');
    reader.put('noise.log', 'x');
    expect(await reader.enter([b])).toEqual({ ok: true, commit: b });
    expect(existsSync(join(reader.path, 'a.txt'))).toBe(false);
    expect(reader.read('noise.log')).toBe('x');
    git('reflog', 'expire', '--expire=now', '--all');
    git('gc', '-q', '--prune=now');
    expect(git('cat-file', '-t', both)).toBe('commit');
  });

  it('keeps what a failed turn left, before it merges', async () => {
    const { role } = project();
    const one = role('one');
    const theirs = await role('two').does({ 'b.txt': 'b\n' });
    await one.enter();
    one.put('half.txt', 'half\n');
    const merged = commitOf(await one.enter([theirs]));
    expect(one.git('log', '--first-parent', '--format=%s', merged)).toBe(
      'Merge the work of other\nKeep what was left in the checkout of one\nfirst',
    );
    expect(one.read('half.txt')).toBe('half\n');
  });

  it('names a commit that is gone, and changes nothing', async () => {
    const { role } = project();
    const two = role('two');
    const own = await two.does({ 'kept.txt': 'yours\n' });
    const gone = 'f'.repeat(40);
    expect(problemOf(await two.enter([gone]))).toContain(`the commit ${gone} of message m1 from other is gone`);
    expect([two.git('rev-parse', 'HEAD'), two.git('status', '--porcelain')]).toEqual([own, '']);
  });

  it('continues after a host was killed while it wrote the files', async () => {
    const { git, role } = project();
    const [one, two] = [role('one'), role('two')];
    const theirs = await one.does({ 'a.txt': 'a\n', 'kept.txt': 'changed\n' });
    await two.enter();
    git('update-ref', `refs/mailroom/laying/${thread}/two`, theirs);
    two.put('kept.txt', 'cha');
    expect(await two.enter([theirs])).toEqual({ ok: true, commit: theirs });
    expect(two.git('status', '--porcelain')).toBe('');
    expect(git('for-each-ref', 'refs/mailroom/laying')).toBe('');
  });

  it('makes a checkout that was removed again, where its role was last', async () => {
    const { git, role } = project();
    const one = role('one');
    const own = await one.does({ 'a.txt': 'a\n' });
    rmSync(one.path, { recursive: true });
    expect(await one.enter([], { last: own })).toEqual({ ok: true, commit: own });
    expect(one.read('a.txt')).toBe('a\n');
    git('worktree', 'remove', '--force', one.path);
    git('branch', '-qD', `mailroom/${thread}/one`);
    expect(await one.enter([], { last: own })).toEqual({ ok: true, commit: own });
  });

  it('leaves a checkout alone whose turn has begun', async () => {
    const { role, main } = project();
    const one = role('one');
    await one.enter();
    one.put('half.txt', 'half\n');
    expect(await one.enter([], { takes: null })).toEqual({ ok: true, commit: main });
    expect(one.git('status', '--porcelain')).toBe('?? half.txt');
  });
});

describe('a conflict', () => {
  /** Two roles that changed the same file. */
  async function crossed(mine: string | null = 'mine\n', yours = 'yours\n') {
    const made = project();
    const [one, two] = [made.role('one'), made.role('two')];
    const entered = commitOf(await one.enter());
    if (mine === null) rmSync(join(one.path, 'kept.txt'));
    else one.put('kept.txt', mine);
    const theirs = commitOf(await one.leave(entered));
    const own = await two.does({ 'kept.txt': yours });
    const merge = `the merge of ${theirs} into ${own} is not resolved: `;
    return { ...made, one, two, theirs, own, merge };
  }

  it('lies in the checkout with both sides, and nothing leaves before it is resolved', async () => {
    const { git, two, theirs, own, merge } = await crossed();
    expect(await two.enter([theirs])).toEqual({
      ok: false,
      resolving: 'role',
      problem: `the work of other (commit ${theirs}, message m1) conflicts with that of two (commit ${own}) in kept.txt`,
    });
    expect(two.read('kept.txt')).toMatch(/^<{7} \S+\nyours\n={7}\nmine\n>{7} \S+\n$/);
    expect(two.git('status', '--porcelain')).toBe('UU kept.txt');
    expect(await two.enter([theirs], { resolving: 'role' })).toEqual({ ok: true, commit: own });
    const takes = taken([theirs]);
    const refused = `${merge}\`kept.txt\` has conflict markers: keep what both sides meant, and remove them`;
    expect(problemOf(await two.leave(own, { takes }))).toBe(refused);
    two.git('add', '-A');
    expect(problemOf(await two.leave(own, { takes }))).toBe(refused);
    two.put('kept.txt', 'both\n');
    const merged = commitOf(await two.leave(own, { takes }));
    expect(git('log', '-1', '--format=%P|%s', merged)).toBe(`${own} ${theirs}|Work`);
    expect([git('show', `${merged}:kept.txt`), two.git('status', '--porcelain')]).toEqual(['both', '']);
  });

  it('of a deleted file is resolved by staging what lies there, and is a merge even so', async () => {
    const { git, two, theirs, own, merge } = await crossed(null);
    expect(await two.enter([theirs], { resolves: 'all' })).toMatchObject({ resolving: 'role' });
    const takes = taken([theirs]);
    expect(problemOf(await two.leave(own, { takes }))).toBe(
      `${merge}\`kept.txt\` is as the merge left it: change it, or stage it with \`git add\` if it is right`,
    );
    two.git('add', 'kept.txt');
    const merged = commitOf(await two.leave(own, { takes }));
    expect(git('log', '-1', '--format=%P', merged)).toBe(`${own} ${theirs}`);
    expect(two.read('kept.txt')).toBe('yours\n');
  });

  it('of a binary file is resolved by other content', async () => {
    const { git, two, theirs, own } = await crossed('a\0mine', 'a\0yours');
    expect(await two.enter([theirs], { resolves: 'all' })).toMatchObject({ resolving: 'role' });
    expect(two.read('kept.txt')).toBe('a\0yours');
    expect(problemOf(await two.leave(own, { takes: taken([theirs]) }))).toContain('is as the merge left it');
    two.put('kept.txt', 'a\0both');
    const merged = commitOf(await two.leave(own, { takes: taken([theirs]) }));
    expect(git('show', `${merged}:kept.txt`)).toBe('a\0both');
  });

  it('of a file that both renamed is resolved by staging one name', async () => {
    const { git, one, two } = await crossed(undefined, undefined);
    one.git('mv', 'kept.txt', 'mine.txt');
    const theirs = commitOf(await one.leave(one.git('rev-parse', 'HEAD')));
    two.git('checkout', '-q', `${theirs}~2`, '--', 'kept.txt');
    two.git('mv', 'kept.txt', 'yours.txt');
    const own = commitOf(await two.leave(two.git('rev-parse', 'HEAD')));
    expect(await two.enter([theirs], { resolves: 'all' })).toMatchObject({ resolving: 'role' });
    expect(problemOf(await two.leave(own, { takes: taken([theirs]) }))).toContain('`yours.txt`');
    two.git('rm', '-q', '--cached', 'kept.txt');
    two.git('rm', '-qf', 'mine.txt');
    two.git('add', 'yours.txt');
    const merged = commitOf(await two.leave(own, { takes: taken([theirs]) }));
    expect(git('ls-tree', '--name-only', merged)).toBe('.gitignore\nyours.txt');
  });

  it.each([
    ['a text, for a role that edits', 'mine\n', 'text', 'role'],
    ['a binary file, for a role that runs no commands', 'a\0mine', 'text', 'person'],
    ['anything, for a role that must not', 'mine\n', 'none', 'person'],
  ] as const)('in %s', async (_, mine, resolves, resolving) => {
    const { two, theirs } = await crossed(mine, mine.replace('mine', 'yours'));
    expect(await two.enter([theirs], { resolves })).toMatchObject({ ok: false, resolving });
  });

  it('that a person resolves becomes a merge of the person, once it is resolved', async () => {
    const { git, two, theirs, own, merge } = await crossed();
    await two.enter([theirs], { resolves: 'none' });
    const again = () => two.enter([theirs], { resolves: 'none', resolving: 'person' });
    expect(await again()).toMatchObject({ ok: false, resolving: 'person' });
    expect(problemOf(await again())).toContain(`${merge}\`kept.txt\` has conflict markers`);
    two.put('kept.txt', 'both\n');
    const merged = commitOf(await again());
    expect(git('log', '-1', '--format=%P|%an|%s', merged)).toBe(`${own} ${theirs}|user|Resolve a conflict`);
    expect(await again()).toEqual({ ok: true, commit: merged });
  });

  it('in the checkout of a role that only reads is resolved by a person, once', async () => {
    const { git, role, theirs, own } = await crossed();
    const reader = role('reader', false);
    const enter = (resolving: 'person' | null) => reader.enter([own, theirs], { resolves: 'none', resolving });
    expect(await enter(null)).toMatchObject({ ok: false, resolving: 'person' });
    reader.put('kept.txt', 'both\n');
    const merged = commitOf(await enter('person'));
    expect(git('log', '-1', '--format=%P', merged)).toBe(`${own} ${theirs}`);
    expect(await enter('person')).toEqual({ ok: true, commit: merged });
    expect(reader.read('kept.txt')).toBe('both\n');
  });

  it('that no turn resolved is replaced by the branch, and what was done is kept', async () => {
    const { git, two, theirs, own } = await crossed();
    await two.enter([theirs]);
    two.put('kept.txt', 'half\n');
    expect(await two.enter([])).toEqual({ ok: true, commit: own });
    expect([two.read('kept.txt'), two.git('status', '--porcelain')]).toEqual(['yours\n', '']);
    const [kept = ''] = git('for-each-ref', '--format=%(refname)', 'refs/mailroom/kept').split('\n');
    expect(git('show', `${kept}:kept.txt`)).toBe('half');
    expect(git('for-each-ref', 'refs/mailroom/conflict')).toBe('');
  });

  it('is laid out again in a checkout that was removed', async () => {
    const { two, theirs } = await crossed();
    await two.enter([theirs]);
    rmSync(two.path, { recursive: true });
    expect(await two.enter([theirs], { resolving: 'role' })).toMatchObject({ ok: false, resolving: 'role' });
    expect(two.read('kept.txt')).toContain('<<<<<<<');
  });

  it('of further work is laid out after the first was resolved', async () => {
    const { git, role, two, theirs, own } = await crossed();
    const more = await role('three').does({ 'kept.txt': 'more\n' });
    const takes = taken([theirs, more]);
    await two.enter([theirs, more]);
    two.put('kept.txt', 'both\n');
    expect(await two.leave(own, { takes })).toMatchObject({ ok: false, resolving: 'role' });
    two.put('kept.txt', 'all\n');
    const merged = commitOf(await two.leave(own, { takes }));
    for (const each of [own, theirs, more]) git('merge-base', '--is-ancestor', each, merged);
    expect(git('show', `${merged}:kept.txt`)).toBe('all');
  });
});
