import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitOf, gitIn, problemOf, project, thread } from './roles-at-work.ts';

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
    expect(problemOf(await two.enter([gone]))).toContain(
      `the commit ${gone} of message m1 from other is gone`,
    );
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

  it('has the files of its branch after it could not begin with work that is gone', async () => {
    const { role, main } = project();
    const one = role('one');
    problemOf(await one.enter(['0'.repeat(39) + '1']));
    expect(commitOf(await one.enter())).toBe(main);
    expect([one.read('kept.txt') === '', one.git('status', '--porcelain')]).toEqual([false, '']);
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

  it('begins at the base of the workspace, and names one that is no commit', async () => {
    const { git, put, role, main } = project();
    put('kept.txt', 'later\n');
    git('commit', '-qam', 'later');
    expect(problemOf(await role('one').enter([], { base: 'nowhere' }))).toBe(
      'the base `nowhere` of the workspace is not a commit',
    );
    expect(await role('one').enter([], { base: 'main~1' })).toEqual({ ok: true, commit: main });
    expect(await role('two').enter([], { base: 'main' })).toEqual({ ok: true, commit: main });
  });

  it.each(['commondir', 'gitdir', 'HEAD', 'index', '.git'])(
    'repairs a worktree whose `%s` a power failure left empty',
    async (file) => {
      const { root, git, role, main } = project();
      const one = role('one');
      const entered = commitOf(await one.enter());
      one.put('half.txt', 'half\n');
      const [folder = ''] = readdirSync(join(root, '.git/worktrees'));
      const place = file === '.git' ? one.path : join(root, '.git/worktrees', folder);
      writeFileSync(join(place, file), '');
      expect(await role('two').enter()).toEqual({ ok: true, commit: main });
      expect(await one.enter([], { takes: null, last: entered })).toEqual({ ok: true, commit: main });
      const commit = commitOf(await one.leave(entered));
      expect(git('show', '--name-status', '--format=', commit)).toBe('A\thalf.txt');
      expect([one.git('symbolic-ref', 'HEAD'), one.git('status', '--porcelain')]).toEqual([one.ref, '']);
      expect(git('worktree', 'list', '--porcelain')).toContain(`branch ${one.ref}`);
    },
  );
});
