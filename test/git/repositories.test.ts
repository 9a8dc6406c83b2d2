import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, describe, expect, it } from 'vitest';
import { landWork } from '../../src/git/land-work.ts';
import { emptyStale } from '../../src/git/submodules.ts';
import { temporaryFolder } from '../process/support.ts';
import { commitOf, gitIn, nothingApproved, problemOf, project, projectAt } from './roles-at-work.ts';

const home = process.env['HOME'];
afterEach(() => {
  process.env['HOME'] = home;
});

/** Settings of the user, for every git of this test. */
function configureUser(text: string): void {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.gitconfig'), text);
  process.env['HOME'] = folder;
}

const store = 'd=$(git rev-parse --git-dir)/lfs; mkdir -p "$d"';
/** As `git lfs install` sets it up, and the same as far as git sees it; the real one where it is installed. */
const lfs = [
  {
    name: 'by a script',
    clean: `${store}; cat > "$d/new"; n=$(sha1sum < "$d/new" | cut -c 1-40); mv "$d/new" "$d/$n"; echo $n`,
    smudge: `${store}; read -r n; cat "$d/$n"`,
    more: '',
  },
  {
    name: 'git-lfs',
    clean: 'git-lfs clean -- %f',
    smudge: 'git-lfs smudge -- %f',
    more: '\tprocess = git-lfs filter-process\n',
  },
];

/** Two roles change a project, each on its own, and a third one takes both. */
async function joined(
  place: ReturnType<typeof projectAt>,
  one: (path: string) => void,
  two: (path: string) => void,
) {
  const does = async (name: string, act: (path: string) => void) => {
    const role = place.role(name);
    const entered = commitOf(await role.enter());
    act(role.path);
    return commitOf(await role.leave(entered));
  };
  const commits = [await does('one', one), await does('two', two)];
  const third = place.role('third');
  return { third, commit: commitOf(await third.enter(commits)) };
}

const submodule = ['-c', 'protocol.file.allow=always', 'submodule', '--quiet'];

/** A project with another one as its submodule `lib`. */
function withLibrary() {
  const library = project();
  const place = project();
  place.git(...submodule, 'add', library.root, 'lib');
  place.git('commit', '-qm', 'library');
  return { library, ...place };
}

describe('a turn in a repository', () => {
  it('with submodules keeps their commits, and does not fetch them', async () => {
    const { library, root, git, role } = withLibrary();
    const one = role('one');
    const commit = await one.does({ 'new.txt': 'new\n' });
    expect(git('ls-tree', commit, 'lib')).toBe(`160000 commit ${library.main}\tlib`);
    expect(git('show', '--name-only', '--format=', commit)).toBe('new.txt');
    expect([existsSync(join(one.path, 'lib')), existsSync(join(one.path, 'lib/kept.txt'))]).toEqual([
      true,
      false,
    ]);
    expect(existsSync(join(root, 'lib/kept.txt'))).toBe(true);
  });

  it('with a submodule that the role has updated carries its new commit', async () => {
    const { git, role } = withLibrary();
    const one = role('one');
    const entered = commitOf(await one.enter());
    one.git(...submodule, 'update', '--init');
    writeFileSync(join(one.path, 'lib/kept.txt'), 'newer\n');
    gitIn(join(one.path, 'lib'), 'commit', '-qam', 'newer');
    const newer = gitIn(join(one.path, 'lib'), 'rev-parse', 'HEAD');
    expect(await one.leave(entered)).toMatchObject({
      ok: false,
      problem: `\`lib\` is a submodule, of which only the commit is handed over, and its commit ${newer.slice(0, 12)} was not pushed: undo it, or commit and push it in \`lib\``,
    });
    gitIn(join(one.path, 'lib'), 'push', '--quiet', 'origin', 'HEAD:refs/heads/newer');
    const commit = commitOf(await one.leave(entered));
    expect(git('ls-tree', commit, 'lib')).toBe(`160000 commit ${newer}\tlib`);
  });

  it('does not take an old checkout of a submodule for a change back', async () => {
    const { library, git, role } = withLibrary();
    library.put('kept.txt', 'newer\n');
    library.git('commit', '-qam', 'newer');
    const newer = library.git('rev-parse', 'HEAD');
    const [one, two] = [role('one'), role('two')];
    const begun = commitOf(await two.enter());
    two.git(...submodule, 'update', '--init');
    expect(commitOf(await two.leave(begun))).toBe(begun);
    const entered = commitOf(await one.enter());
    one.git(...submodule, 'update', '--init');
    gitIn(join(one.path, 'lib'), 'checkout', '-q', newer);
    const bumped = commitOf(await one.leave(entered));
    expect(git('ls-tree', bumped, 'lib')).toBe(`160000 commit ${newer}\tlib`);
    const taken = commitOf(await two.enter([bumped]));
    two.put('new.txt', 'new\n');
    const commit = commitOf(await two.leave(taken));
    expect(git('ls-tree', commit, 'lib')).toBe(`160000 commit ${newer}\tlib`);
    two.git(...submodule, 'update');
    expect(readFileSync(join(two.path, 'lib/kept.txt'), 'utf8')).toBe('newer\n');
  });

  it('keeps an old checkout of a submodule in which there is work', async () => {
    const { library, role } = withLibrary();
    const one = role('one');
    await one.enter();
    one.git(...submodule, 'update', '--init');
    const newer = library.git('commit-tree', '-m', 'newer', 'HEAD^{tree}');
    one.git('update-index', '--cacheinfo', `160000,${newer},lib`);
    const kept = join(one.path, 'lib/kept.txt');
    const before = readFileSync(kept, 'utf8');
    writeFileSync(kept, 'changed\n');
    await emptyStale(one.path);
    expect(readFileSync(kept, 'utf8')).toBe('changed\n');
    writeFileSync(kept, before);
    await emptyStale(one.path);
    expect(existsSync(kept)).toBe(false);
  });

  it('names what it would leave behind in a submodule', async () => {
    const { git, role } = withLibrary();
    const one = role('one');
    const entered = commitOf(await one.enter());
    one.git(...submodule, 'update', '--init');
    one.put('new.txt', 'new\n');
    const kept = readFileSync(join(one.path, 'lib/kept.txt'), 'utf8');
    for (const [path, undo] of [
      ['lib/kept.txt', () => one.put('lib/kept.txt', kept)],
      ['lib/more.txt', () => rmSync(join(one.path, 'lib/more.txt'))],
    ] as const) {
      one.put(path, 'changed\n');
      expect(await one.leave(entered)).toMatchObject({
        ok: false,
        problem: expect.stringContaining(`and \`${path.slice(4)}\` is not committed there`) as string,
      });
      undo();
    }
    const commit = commitOf(await one.leave(entered));
    expect(git('show', '--name-only', '--format=', commit)).toBe('new.txt');
  });

  it('names the submodule of a submodule in which that is', async () => {
    const { library, git, role } = withLibrary();
    library.git(...submodule, 'add', project().root, 'deep');
    library.git('commit', '-qm', 'deeper');
    git('-C', 'lib', 'pull', '--quiet', 'origin', library.git('rev-parse', 'HEAD'));
    git('commit', '-qam', 'deeper');
    const one = role('one');
    const entered = commitOf(await one.enter());
    one.git(...submodule, 'update', '--init', '--recursive');
    one.put('lib/deep/kept.txt', 'changed\n');
    const problem = '`lib/deep` is a submodule, of which only the commit is handed over, and `kept.txt` is';
    expect(await one.leave(entered)).toMatchObject({ problem: expect.stringContaining(problem) as string });
  });

  it('that the person, or the role, has checked out sparsely removes nothing', async () => {
    const { git, put, role } = project();
    put('wide/far.txt', 'far\n');
    put('near/close.txt', 'close\n');
    git('add', '-A');
    git('commit', '-qm', 'folders');
    git('sparse-checkout', 'set', 'near');
    const one = role('one');
    const commit = await one.does({ 'near/close.txt': 'closer\n' });
    expect(git('show', '--name-status', '--format=', commit)).toBe('M\tnear/close.txt');
    const two = role('two');
    const entered = commitOf(await two.enter([commit]));
    two.git('sparse-checkout', 'set', 'near');
    expect(existsSync(join(two.path, 'wide/far.txt'))).toBe(false);
    two.put('near/new.txt', 'new\n');
    const sparse = commitOf(await two.leave(entered));
    expect(git('show', '--name-status', '--format=', sparse)).toBe('A\tnear/new.txt');
    const more = await one.does({ 'wide/far.txt': 'farther\n' }, [sparse]);
    expect(commitOf(await two.enter([more]))).toBe(more);
    expect(two.git('status', '--porcelain')).toBe('');
    const last = commitOf(await two.leave(more));
    expect(git('show', `${last}:wide/far.txt`)).toBe('farther');
  });

  it('with a filter of the user, such as LFS, stores and shows files through it', async () => {
    configureUser('[filter "store"]\n\tclean = tr a-z A-Z\n\tsmudge = tr A-Z a-z\n\trequired = true\n');
    const { git, put, role } = project();
    put('.gitattributes', '*.big filter=store\n');
    put('one.big', 'words\n');
    git('add', '-A');
    git('commit', '-qm', 'big');
    expect(git('show', 'HEAD:one.big')).toBe('WORDS');
    const one = role('one');
    const commit = await one.does({ 'two.big': 'more words\n' });
    expect([git('show', `${commit}:two.big`), git('show', `${commit}:one.big`)]).toEqual([
      'MORE WORDS',
      'WORDS',
    ]);
    const two = role('two');
    expect(commitOf(await two.enter([commit]))).toBe(commit);
    expect([two.read('one.big'), two.read('two.big')]).toEqual(['words\n', 'more words\n']);
    expect(commitOf(await two.leave(commit))).toBe(commit);
  });

  it.for(lfs)(
    'with LFS ($name) keeps the content of files where every worktree finds it',
    async (filter, { skip }) => {
      if (filter.name === 'git-lfs' && spawnSync(filter.name, ['version']).status !== 0)
        return skip('there is no git-lfs: install it');
      const { clean, smudge } = filter;
      const quoted = (script: string) => `"${script.replaceAll('"', '\\"')}"`;
      configureUser(
        `[filter "lfs"]\n\tclean = ${quoted(clean)}\n\tsmudge = ${quoted(smudge)}\n\trequired = true\n${filter.more}`,
      );
      const { git, put, role, root } = project();
      put('.gitattributes', '*.big filter=lfs\n');
      git('add', '-A');
      git('commit', '-qm', 'attributes');
      const commit = await role('one').does({ 'one.big': 'one\n' });
      put('two.big', 'two\n');
      git('add', '-A');
      git('commit', '-qm', 'two');
      const two = role('two');
      expect(commitOf(await two.enter([commit]))).toBe(commit);
      expect(two.read('one.big')).toBe('one\n');
      expect(git('show', `${commit}:one.big`)).not.toBe('one');
      const about = { commit, branch: 'main', by: 'merge', author: 'one', text: 'L\n' } as const;
      const landed = await landWork(root, 'run/land', about, nothingApproved);
      expect(landed).toMatchObject({ ok: true });
      expect(readFileSync(join(root, 'one.big'), 'utf8')).toBe('one\n');
      expect(git('status', '--porcelain')).toBe('');
    },
  );

  it('merges an edit of one role into the file that another has renamed', async () => {
    const place = project();
    const { third } = await joined(
      place,
      (path) => renameSync(join(path, 'kept.txt'), join(path, 'moved.txt')),
      (path) => writeFileSync(join(path, 'kept.txt'), 'one\ntwo\nthree\nfour\nfive\nSIX\n'),
    );
    expect(third.read('moved.txt')).toBe('one\ntwo\nthree\nfour\nfive\nSIX\n');
    expect(existsSync(join(third.path, 'kept.txt'))).toBe(false);
  });

  it.each([
    ['the attributes of the repository', '', '* text=auto eol=crlf\n'],
    ['the settings of the user', '[core]\n\tautocrlf = true\n', ''],
  ])(
    'with line ends of Windows, by %s, commits no line that nobody changed',
    async (_, settings, attributes) => {
      if (settings !== '') configureUser(settings);
      const { git, put, role } = project();
      if (attributes !== '') put('.gitattributes', attributes);
      put('lines.txt', 'one\r\ntwo\r\n');
      git('add', '-A');
      git('commit', '-qm', 'lines');
      const one = role('one');
      const entered = commitOf(await one.enter());
      expect(one.read('lines.txt')).toBe('one\r\ntwo\r\n');
      expect(commitOf(await one.leave(entered))).toBe(entered);
      one.put('lines.txt', 'one\r\nTWO\r\n');
      const commit = commitOf(await one.leave(entered));
      expect(git('show', '--numstat', '--format=', commit)).toBe('1\t1\tlines.txt');
      expect(
        execFileSync('git', ['cat-file', 'blob', `${commit}:lines.txt`], { cwd: one.path }).toString(),
      ).toBe('one\nTWO\n');
    },
  );

  it('keeps what is executable, and what is a link', async () => {
    const place = project();
    const outside = join(temporaryFolder(), 'secret.txt');
    writeFileSync(outside, 'secret\n');
    const { third, commit } = await joined(
      place,
      (path) => chmodSync(join(path, 'kept.txt'), 0o755),
      (path) => {
        symlinkSync('kept.txt', join(path, 'link'));
        symlinkSync(outside, join(path, 'away'));
      },
    );
    const listed = place.git('ls-tree', commit, 'kept.txt', 'link', 'away').split('\n');
    expect(listed.map((line) => line.slice(0, 6))).toEqual(['120000', '100755', '120000']);
    expect(place.git('cat-file', 'blob', `${commit}:away`)).toBe(outside);
    expect(statSync(join(third.path, 'kept.txt')).mode & 0o100).toBe(0o100);
    expect([readlinkSync(join(third.path, 'link')), readlinkSync(join(third.path, 'away'))]).toEqual([
      'kept.txt',
      outside,
    ]);
    rmSync(join(third.path, 'link'));
    mkdirSync(join(third.path, 'link'));
    writeFileSync(join(third.path, 'link/file.txt'), 'in a folder now\n');
    const changed = commitOf(await third.leave(commit));
    const fourth = place.role('fourth');
    await fourth.enter([commit]);
    expect(lstatSync(join(fourth.path, 'link')).isSymbolicLink()).toBe(true);
    await fourth.enter([changed]);
    expect(fourth.read('link/file.txt')).toBe('in a folder now\n');
  });

  it('where modes do not count records none', async () => {
    const { git, role } = project();
    git('config', 'core.fileMode', 'false');
    const one = role('one');
    const entered = commitOf(await one.enter());
    chmodSync(join(one.path, 'kept.txt'), 0o755);
    expect(commitOf(await one.leave(entered))).toBe(entered);
  });

  it('that is a shallow clone works on what it has', async () => {
    const origin = project();
    origin.put('kept.txt', 'newer\n');
    origin.git('commit', '-qam', 'newer');
    const root = join(temporaryFolder(), 'clone');
    gitIn(temporaryFolder(), 'clone', '-q', '--depth', '1', `file://${origin.root}`, root);
    const place = projectAt(root);
    const { third, commit } = await joined(
      place,
      (path) => writeFileSync(join(path, 'one.txt'), 'one\n'),
      (path) => writeFileSync(join(path, 'two.txt'), 'two\n'),
    );
    expect([third.read('one.txt'), third.read('two.txt'), third.read('kept.txt')]).toEqual([
      'one\n',
      'two\n',
      'newer\n',
    ]);
    expect(place.git('rev-list', '--count', commit)).toBe('4');
  });

  it('without a commit cannot begin, and says why', async () => {
    const root = join(temporaryFolder(), 'empty');
    mkdirSync(root);
    gitIn(root, 'init', '-qb', 'main');
    expect(problemOf(await projectAt(root).role('one').enter())).toBe('the repository has no commit');
  });

  it('where no branch is checked out begins at that commit, and leaves it checked out', async () => {
    const { git, role, main, put } = project();
    put('kept.txt', 'newer\n');
    git('commit', '-qam', 'newer');
    git('checkout', '-q', '--detach', main);
    const commit = await role('one').does({ 'new.txt': 'new\n' });
    expect(git('rev-parse', `${commit}^`)).toBe(main);
    expect([git('rev-parse', 'HEAD'), git('branch', '--show-current'), git('status', '--porcelain')]).toEqual(
      [main, '', ''],
    );
  });

  it('runs no hook, of the repository or of the user', async () => {
    const ran = join(temporaryFolder(), 'ran');
    const hooks = temporaryFolder();
    const names = [
      'pre-commit',
      'post-commit',
      'post-checkout',
      'post-merge',
      'post-index-change',
      'reference-transaction',
    ];
    const hook = (path: string) => {
      writeFileSync(path, `#!/bin/sh\necho "$0" >> ${ran}\n`);
      chmodSync(path, 0o755);
    };
    const { root, role } = project();
    for (const name of names) hook(join(root, '.git/hooks', name));
    for (const name of names) hook(join(hooks, name));
    configureUser(`[core]\n\thooksPath = ${hooks}\n`);
    const commit = await role('one').does({ 'new.txt': 'new\n' });
    const two = await role('two').does({ 'other.txt': 'other\n' });
    commitOf(await role('three').enter([commit, two]));
    expect(existsSync(ran)).toBe(false);
  });
});
