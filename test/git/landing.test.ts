import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Landings } from '../../src/git/landing.ts';
import { temporaryFolder } from '../process/support.ts';
import { gitIn, project, withLine, write } from './landing-project.ts';

const landed = { is: 'landed' };

describe('what lands', () => {
  it('is the work itself where the branch has not moved, and the checkout follows', async () => {
    const { work, land, at, read, status } = project();
    const commit = work({ 'new.txt': 'new\n', 'kept.txt': null });
    expect(await land(commit)).toEqual(landed);
    expect(at('main')).toBe(commit);
    expect([read('new.txt'), status()]).toEqual(['new\n', '']);
    expect(() => read('kept.txt')).toThrow('ENOENT');
  });

  it('is a merge, a rebase or one commit where it has', async () => {
    for (const by of ['merge', 'rebase', 'squash'] as const) {
      const { git, work, land, read, status } = project();
      const first = work({ 'kept.txt': withLine(0, 'ONE') }, 'main', 'Shout');
      const second = work({ 'more.txt': 'more\n' }, first, 'More');
      const before = work({ 'kept.txt': withLine(5, 'SIX') }, 'main', 'Before');
      git('merge', '-q', '--ff-only', before);
      expect(await land(second, by)).toEqual(landed);
      expect(read('kept.txt')).toBe('ONE\ntwo\nthree\nfour\nfive\nSIX\n');
      expect([read('more.txt'), status()]).toEqual(['more\n', '']);
      const log = git('log', '--topo-order', '--format=%an: %s', 'main').split('\n');
      const expected = {
        merge: ['one: Land it', 'a: More', 'a: Shout', 'a: Before', 'a: first'],
        rebase: ['a: More', 'a: Shout', 'a: Before', 'a: first'],
        squash: ['one: Land it', 'a: Before', 'a: first'],
      };
      expect(log).toEqual(expected[by]);
      expect(git('rev-list', '--merges', '--count', 'main')).toBe(by === 'merge' ? '1' : '0');
    }
  });

  it('keeps what merges and commits that do not apply alone contain', async () => {
    const { git, work, land, read } = project();
    const one = work({ 'kept.txt': withLine(0, 'ONE') }, 'main', 'One');
    const other = work({ 'kept.txt': withLine(0, 'UNO') }, 'main', 'Other');
    git('checkout', '-q', '--detach', one);
    expect(() => git('merge', '-q', other)).toThrow('git');
    write(join(git('rev-parse', '--show-toplevel'), 'kept.txt'), withLine(0, 'BOTH'));
    git('add', '-A');
    git('commit', '-qm', 'Resolved');
    const resolved = git('rev-parse', 'HEAD');
    git('checkout', '-q', 'main');
    const before = work({ 'kept.txt': withLine(5, 'SIX') }, 'main', 'Before');
    git('merge', '-q', '--ff-only', before);
    expect(await land(resolved, 'rebase')).toEqual(landed);
    expect(read('kept.txt')).toBe('BOTH\ntwo\nthree\nfour\nfive\nSIX\n');
    expect(git('log', '--format=%s', 'main').split('\n').at(0)).toBe('Land it');
  });

  it('is nothing where the branch has it already', async () => {
    const { work, prepare, swap, git, at } = project();
    const commit = work({ 'new.txt': 'new\n' });
    git('merge', '-q', '--ff-only', commit);
    const later = work({ 'later.txt': 'later\n' }, commit);
    git('merge', '-q', '--ff-only', later);
    expect(await prepare(commit)).toEqual({ is: 'ready', onto: later, result: later, rules: null });
    expect(await swap(later, later)).toEqual(landed);
    expect(at('main')).toBe(later);
  });

  it('keeps modes, links and line ends', async () => {
    const { root, aside, git, work, land, status } = project();
    git('config', 'core.autocrlf', 'true');
    work({ '.gitattributes': '*.txt text\n*.bin -text\n' });
    write(join(aside, 'run.sh'), '#!/bin/sh\n');
    chmodSync(join(aside, 'run.sh'), 0o755);
    symlinkSync('kept.txt', join(aside, 'link'));
    write(join(aside, 'lines.txt'), 'a\r\nb\r\n');
    write(join(aside, 'raw.bin'), 'a\nb\r\n');
    gitIn(aside, 'add', '-A');
    gitIn(aside, 'commit', '-qm', 'Kinds');
    expect(await land(gitIn(aside, 'rev-parse', 'HEAD'))).toEqual(landed);
    expect(lstatSync(join(root, 'run.sh')).mode & 0o111).not.toBe(0);
    expect(readlinkSync(join(root, 'link'))).toBe('kept.txt');
    expect(readFileSync(join(root, 'lines.txt'), 'utf8')).toBe('a\r\nb\r\n');
    expect(readFileSync(join(root, 'raw.bin'), 'utf8')).toBe('a\nb\r\n');
    expect(status()).toBe('');
  });

  it('leaves submodules to the person', async () => {
    const { root, git, work, land, at } = project();
    const inner = join(dirname(root), 'inner');
    mkdirSync(inner);
    gitIn(inner, 'init', '-qb', 'main');
    write(join(inner, 'file'), 'x');
    gitIn(inner, 'add', '-A');
    gitIn(inner, 'commit', '-qm', 'inner');
    git('submodule', '--quiet', 'add', inner, 'inner');
    git('commit', '-qm', 'with a submodule');
    write(join(root, 'inner/file'), 'changed by the person');
    expect(await land(work({ 'new.txt': 'new\n' }))).toEqual(landed);
    expect(readFileSync(join(root, 'inner/file'), 'utf8')).toBe('changed by the person');
    expect(at('main:inner')).toBe(gitIn(inner, 'rev-parse', 'HEAD'));
  });
});

describe('what is refused', () => {
  it('is work that conflicts, in every way of landing', async () => {
    const { git, work, prepare, at } = project();
    const commit = work({ 'kept.txt': withLine(0, 'ONE') });
    git('merge', '-q', '--ff-only', work({ 'kept.txt': withLine(0, 'UNO') }));
    const main = at('main');
    for (const by of ['merge', 'rebase', 'squash'] as const)
      expect(await prepare(commit, by)).toMatchObject({ is: 'refused', conflicts: main });
    expect(at('main')).toBe(main);
  });

  it('is work without common history; in a shallow clone it waits for that history', async () => {
    const { root, git, work, prepare } = project();
    const orphan = git('commit-tree', '-m', 'orphan', 'main^{tree}');
    expect(await prepare(orphan)).toMatchObject({ is: 'refused' });
    const late = work({ 'late.txt': 'late\n' }, work({ 'new.txt': 'new\n' }));
    git('branch', 'late', late);
    git('merge', '-q', '--ff-only', work({ 'other.txt': 'other\n' }));
    const clone = join(dirname(root), 'clone');
    gitIn(dirname(root), 'clone', '-q', '--depth=1', '--no-single-branch', `file://${root}`, clone);
    const work2 = { commit: late, branch: 'main', by: 'merge', author: 'one', text: '' } as const;
    const shallow = await new Landings(clone, () => Promise.resolve([])).prepare(work2);
    expect(shallow).toMatchObject({ is: 'blocked' });
    expect(JSON.stringify(shallow)).toContain('git fetch --unshallow');
    gitIn(clone, 'fetch', '-q', '--unshallow');
    expect(await new Landings(clone, () => Promise.resolve([])).prepare(work2)).toMatchObject({
      is: 'ready',
    });
  });
});

describe('what waits', () => {
  it('is a branch that is missing, and work that is gone', async () => {
    const { work, prepare } = project();
    const commit = work({ 'new.txt': 'new\n' });
    expect(await prepare(commit, 'merge', { branch: 'release' })).toEqual({
      is: 'blocked',
      problem: 'there is no branch `release`: make it with `git branch release`',
    });
    const gone = '1'.repeat(40);
    expect(await prepare(gone)).toEqual({
      is: 'blocked',
      problem: `the commit ${gone} is gone from the repository: restore it`,
    });
  });

  it('is a repository without commits', async () => {
    const root = join(temporaryFolder(), 'empty');
    mkdirSync(root);
    gitIn(root, 'init', '-qb', 'main');
    const work = { commit: '1'.repeat(40), branch: 'main', by: 'merge', author: 'one', text: '' } as const;
    expect(await new Landings(root, () => Promise.resolve([])).prepare(work)).toMatchObject({
      is: 'blocked',
    });
  });

  it('is a checkout with uncommitted changes, of which nothing is touched', async () => {
    const { root, git, put, work, prepare, swap, at, status, read } = project();
    const prepared = await prepare(work({ 'new.txt': 'new\n' }));
    if (prepared.is !== 'ready') throw new Error(prepared.problem);
    const { onto, result } = prepared;
    const blocked = (files: string) => ({
      is: 'blocked',
      problem: `\`main\` is checked out in ${root}, with uncommitted changes (${files}): commit or stash them`,
    });
    put('kept.txt', 'edited\n');
    expect(await swap(onto, result)).toEqual(blocked('`kept.txt`'));
    git('add', '-A');
    expect(await swap(onto, result)).toEqual(blocked('`kept.txt`'));
    expect([at('main'), status(), read('kept.txt')]).toEqual([onto, 'M  kept.txt', 'edited\n']);
    git('reset', '-q', '--hard');
    put('new.txt', 'in the way\n');
    expect(await swap(onto, result)).toMatchObject({ is: 'blocked' });
    expect([at('main'), read('new.txt')]).toEqual([onto, 'in the way\n']);
    rmSync(join(root, 'new.txt'));
    put('untracked.txt', 'mine\n');
    put('agents/lead/inbox/mail.md', 'mail\n');
    git('add', 'agents');
    expect(await swap(onto, result)).toEqual(landed);
    expect([at('main'), read('new.txt'), read('untracked.txt')]).toEqual([result, 'new\n', 'mine\n']);
    expect(existsSync(join(root, '.git/index.lock'))).toBe(false);
  });

  it('is a checkout where git is at work', async () => {
    const { root, put, work, land, at } = project();
    const main = at('main');
    put('.git/index.lock', '');
    expect(await land(work({ 'new.txt': 'new\n' }))).toEqual({
      is: 'blocked',
      problem:
        `\`main\` is checked out in ${root}, where git is at work: let it end, or remove ` +
        `${join(root, '.git/index.lock')} if nothing runs`,
    });
    expect([at('main'), existsSync(join(root, '.git/index.lock'))]).toEqual([main, true]);
  });

  it('is a checkout whose files only a filter of the repository can read', async () => {
    const { git, work, land, at } = project();
    const main = at('main');
    git('config', 'filter.secret.smudge', 'cat');
    expect(await land(work({ 'new.txt': 'new\n' }))).toMatchObject({ is: 'blocked' });
    expect(at('main')).toBe(main);
    git('checkout', '-q', '--detach');
    expect(await land(work({ 'new.txt': 'new\n' }))).toEqual(landed);
  });
});

describe('the move of the branch', () => {
  it('is not made where somebody moved it meanwhile', async () => {
    const { git, work, prepare, swap, at } = project();
    const prepared = await prepare(work({ 'new.txt': 'new\n' }));
    if (prepared.is !== 'ready') throw new Error(prepared.problem);
    git('merge', '-q', '--ff-only', work({ 'other.txt': 'other\n' }));
    const main = at('main');
    expect(await swap(prepared.onto, prepared.result)).toEqual({ is: 'moved' });
    git('checkout', '-q', '--detach');
    expect(await swap(prepared.onto, prepared.result)).toEqual({ is: 'moved' });
    expect(at('main')).toBe(main);
  });

  it('leaves a detached checkout alone, and follows in a linked one', async () => {
    const { root, git, work, land, at, read } = project();
    git('checkout', '-q', '--detach');
    const first = work({ 'new.txt': 'new\n' });
    expect(await land(first)).toEqual(landed);
    expect(at('main')).toBe(first);
    expect(() => read('new.txt')).toThrow('ENOENT');
    const linked = join(dirname(root), 'linked');
    git('worktree', 'add', '-q', linked, 'main');
    expect(await land(work({ 'more.txt': 'more\n' }, first))).toEqual(landed);
    expect(readFileSync(join(linked, 'more.txt'), 'utf8')).toBe('more\n');
    expect(gitIn(linked, 'status', '--porcelain')).toBe('');
    rmSync(linked, { recursive: true });
    expect(await land(work({ 'last.txt': 'last\n' }, 'main'))).toEqual(landed);
  });

  it('runs nothing that anybody configured in the repository', async () => {
    const { root, git, put, work, land } = project();
    const ran = join(dirname(root), 'ran');
    for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change', 'post-merge']) {
      put(`.git/hooks/${hook}`, `#!/bin/sh\necho ${hook} >> ${ran}\n`);
      chmodSync(join(root, '.git/hooks', hook), 0o755);
    }
    const program = join(dirname(root), 'program');
    writeFileSync(program, `#!/bin/sh\necho driver >> ${ran}\nexit 1\n`);
    chmodSync(program, 0o755);
    put('.git/info/attributes', '* merge=x diff=x\n');
    git('config', 'merge.x.driver', `${program} %A`);
    git('config', 'core.fsmonitor', program);
    git('config', 'diff.x.textconv', program);
    const commit = work({ 'kept.txt': withLine(0, 'ONE') });
    const before = work({ 'kept.txt': withLine(5, 'SIX') });
    git('-c', 'core.fsmonitor=false', 'update-ref', 'refs/heads/main', before);
    git('-c', 'core.fsmonitor=false', 'reset', '-q', '--hard');
    rmSync(ran, { force: true });
    expect(await land(commit)).toEqual(landed);
    expect(existsSync(ran) ? readFileSync(ran, 'utf8') : '').toBe('');
  });

  it('runs the filters of the user', async () => {
    const { root, git, work, land } = project();
    const home = join(dirname(root), 'home');
    write(join(home, '.gitconfig'), '[filter "up"]\n\tsmudge = tr a-z A-Z\n\tclean = tr A-Z a-z\n');
    const before = process.env['HOME'];
    process.env['HOME'] = home;
    try {
      const commit = work({ '.gitattributes': '*.up filter=up\n', 'a.up': 'loud\n' });
      expect(await land(commit)).toEqual(landed);
      expect(readFileSync(join(root, 'a.up'), 'utf8')).toBe('LOUD\n');
      expect(git('status', '--porcelain', '--untracked-files=no')).toBe('');
    } finally {
      process.env['HOME'] = before;
    }
  });
});

describe('after a crash', () => {
  /** A landing whose branch was moved, and whose checkout is as `left` makes it. */
  async function crashed(left: (root: string) => void) {
    const made = project();
    const { root, git, work, prepare } = made;
    const prepared = await prepare(work({ 'new.txt': 'new\n', 'kept.txt': withLine(0, 'ONE') }));
    if (prepared.is !== 'ready') throw new Error(prepared.problem);
    git('update-ref', 'refs/heads/main', prepared.result);
    write(join(root, '.git/index.lock'), 'held by mailroom while it moves the branch\n');
    left(root);
    return { ...made, ...prepared };
  }

  it('finishes the checkout, however far it came, and reports the landing', async () => {
    const states: readonly ((root: string) => void)[] = [
      () => {},
      (root) => write(join(root, 'new.txt'), 'ne'),
      (root) => write(join(root, 'kept.txt'), withLine(0, 'ONE')),
    ];
    for (const left of states)
      for (const settles of [false, true]) {
        const { swap, onto, result, read, status, at } = await crashed(left);
        expect(await swap(onto, result, settles)).toEqual(landed);
        expect([read('new.txt'), read('kept.txt'), status()]).toEqual(['new\n', withLine(0, 'ONE'), '']);
        expect(at('main')).toBe(result);
      }
  });

  it('keeps what a person wrote meanwhile', async () => {
    const { root, git, swap, onto, result, read, status } = await crashed((at) => {
      write(join(at, 'kept.txt'), 'mine\n');
    });
    expect(await swap(onto, result)).toEqual(landed);
    expect([read('kept.txt'), status()]).toEqual([withLine(0, 'ONE'), '']);
    const kept = git('for-each-ref', '--format=%(refname)', 'refs/mailroom/kept/landing/');
    expect(git('show', `${kept}:kept.txt`)).toBe('mine');
    expect(existsSync(join(root, '.git/index.lock'))).toBe(false);
  });

  it('begins no move when it only settles', async () => {
    const { work, prepare, swap, at } = project();
    const prepared = await prepare(work({ 'new.txt': 'new\n' }));
    if (prepared.is !== 'ready') throw new Error(prepared.problem);
    const { onto, result } = prepared;
    expect(await swap(onto, result, true)).toEqual({ is: 'moved' });
    expect(at('main')).toBe(onto);
  });
});
