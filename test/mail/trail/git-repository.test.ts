import { GitRepository } from '../../../src/git/git-repository.ts';
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { at, entries, entry } from './samples.ts';
import {
  branch,
  filesOf,
  person,
  refsOf,
  repository,
  seqsOf,
  setEnvironment,
  temporaryFolder,
  trailOf,
  write,
} from './support.ts';

describe('the branch', () => {
  it('starts without a parent and holds mail only', async () => {
    const folder = repository();
    await trailOf(folder).append(entries(1, 2));
    expect(person(folder, ['rev-list', '--max-parents=0', branch]).trim().split('\n')).toHaveLength(1);
    expect(() => person(folder, ['merge-base', 'main', branch])).toThrow(/merge-base/);
    expect([...filesOf(folder).keys()]).toEqual(['agents/qa/inbox/1.md', 'agents/qa/inbox/2.md']);
    expect(refsOf(folder)).toEqual(['refs/heads/mailroom-trail', 'refs/heads/main'].toSorted());
  });

  it('names the program as author and committer, and the time of the event', async () => {
    const folder = repository();
    await trailOf(folder).append([entry(1)]);
    const names = person(folder, ['log', '-1', '--format=%an <%ae> %at|%cn <%ce> %ct', branch]).trim();
    const mine = `Mailroom <mailroom@localhost> ${String(Math.floor(at / 1000) + 1)}`;
    expect(names).toBe(`${mine}|${mine}`);
  });

  it('leaves the branch, the index and the working tree of the person alone', async () => {
    const folder = repository();
    write(folder, 'staged.txt', 'staged\n');
    write(folder, 'README.md', 'changed\n');
    person(folder, ['add', 'staged.txt']);
    const look = () =>
      person(folder, ['status', '--porcelain=v2', '--branch']) +
      person(folder, ['ls-files', '--stage', '--debug']);
    const before = look();
    await trailOf(folder).append(entries(1, 3));
    await trailOf(folder).append(entries(4, 6));
    expect(look()).toBe(before);
    person(folder, ['commit', '--quiet', '--all', '--message=Mine']);
    expect(person(folder, ['ls-tree', '-r', '--name-only', 'main']).trim()).toBe('README.md\nstaged.txt');
    expect(seqsOf(folder)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('keeps blobs unfiltered', async () => {
    const folder = repository();
    write(folder, '.gitattributes', '* text eol=crlf ident filter=shout\n');
    person(folder, ['config', 'core.autocrlf', 'true']);
    person(folder, ['config', 'filter.shout.clean', 'tr a-z A-Z']);
    const text = 'lines\nand $Id$\r\n';
    await trailOf(folder).append([entry(1, { changes: [{ path: 'agents/qa/inbox/a.md', text }] })]);
    expect([...filesOf(folder).values()]).toEqual([text]);
  });

  it('leaves out a path that no tree can hold', async () => {
    const folder = repository();
    const paths = ['a/../b', './a', 'a//b', '/a', 'a/', '.git/config', 'a/.GIT/b', 'a\0b', '..', ''];
    const changes = [...paths, 'agents/.github/...md'].map((path) => ({ path, text: 'x' }));
    await trailOf(folder).append([
      entry(1, { changes }),
      entry(2, { changes: [{ path: '..', text: null }] }),
    ]);
    expect([...filesOf(folder).keys()]).toEqual(['agents/.github/...md']);
    expect(seqsOf(folder)).toEqual([1, 2]);
  });

  it('does not let packs pile up, nor loose objects', async () => {
    const folder = repository();
    const trail = trailOf(folder);
    for (const each of entries(1, 50)) await trail.append([each]);
    const count = new Map(
      person(folder, ['count-objects', '-v'])
        .split('\n')
        .map((line) => [line.split(': ')[0], Number(line.split(': ')[1])] as const),
    );
    expect(count.get('packs')).toBeLessThan(50);
    expect(count.get('count')).toBeLessThan(10);
    expect(seqsOf(folder)).toHaveLength(50);
    expect(person(folder, ['fsck', '--full', '--strict'])).toBe('');
  });
});

describe('the project', () => {
  it('may lie in a folder of the repository: paths are from its root', async () => {
    const folder = repository();
    write(folder, 'pack ages/äpp/x', '');
    const project = join(folder, 'pack ages/äpp');
    await trailOf(project, 'history').append([entry(1)]);
    expect([...filesOf(folder, 'history').keys()]).toEqual(['pack ages/äpp/agents/qa/inbox/1.md']);
    expect(await trailOf(project, 'history').position()).toMatchObject({ seq: 1 });
  });

  it('shares a branch that settings name with other projects, and knows its own commits', async () => {
    const folder = repository();
    write(folder, 'inner/x', '');
    const projects = [folder, join(folder, 'inner')];
    const last = [100, 2];
    for (const [index, project] of projects.entries()) {
      await trailOf(project, 'history').append([entry(1), entry(last[index] ?? 0)]);
    }
    for (const [index, project] of projects.entries()) {
      const expected = { is: 'at', seq: last[index], problem: null };
      expect(await trailOf(project, 'history').position()).toEqual(expected);
    }
    expect(seqsOf(folder, 'history')).toHaveLength(4);
    expect([...filesOf(folder, 'history').keys()]).toContain('inner/agents/qa/inbox/2.md');
  });

  it.each([
    ['', 'other', `${branch}-other`],
    ['inner/deep', null, `${branch}.inner.deep`],
    ['inner.deep', 'other', /^mailroom-trail-other-inner-deep-[\da-f]{8}$/],
    ['a b/lock', null, /^mailroom-trail-a-b-lock-[\da-f]{8}$/],
  ])('%j in the working tree %j has a branch of its own', async (below, worktree, expected) => {
    const folder = repository();
    const tree = worktree === null ? folder : join(temporaryFolder(), worktree);
    if (worktree !== null) person(folder, ['worktree', 'add', '--quiet', '--detach', tree]);
    write(tree, join(below, 'x'), '');
    await trailOf(folder).append(entries(1, 3));
    const own = new GitRepository({ project: join(tree, below), branch });
    expect(await own.position()).toEqual({ is: 'at', seq: 0, problem: null });
    await own.append([entry(1), entry(2)]);
    expect(seqsOf(folder)).toEqual([1, 2, 3]);
    const [name = ''] = refsOf(folder).flatMap((ref) => /heads\/(mailroom-trail.+)/.exec(ref)?.[1] ?? []);
    expect(name).toMatch(expected instanceof RegExp ? expected : new RegExp(`^${expected}$`));
    expect(seqsOf(folder, name)).toEqual([1, 2]);
    expect(own.note).toContain(`on the branch ${name}: `);
    expect(await trailOf(join(tree, below)).position()).toMatchObject({ seq: 2 });
  });

  it('that wrote to the shared branch before keeps it', async () => {
    const folder = repository();
    const tree = join(temporaryFolder(), 'second');
    person(folder, ['worktree', 'add', '--quiet', '--detach', tree]);
    const author = ['-c', 'user.email=mailroom+second%3A@localhost'];
    const commit = ['commit-tree', '-m', 'Old\n\nSeq: 41', 'main^{tree}'];
    person(folder, ['update-ref', `refs/heads/${branch}`, person(folder, [...author, ...commit]).trim()]);
    const repositoryOfTree = new GitRepository({ project: tree, branch });
    expect(await repositoryOfTree.position()).toMatchObject({ seq: 41 });
    await repositoryOfTree.append([entry(42)]);
    expect(repositoryOfTree.note).toBeNull();
    expect(seqsOf(folder)).toEqual([41, 42]);
  });

  it('may use SHA-256', async () => {
    const folder = repository('--object-format=sha256');
    await trailOf(folder).append(entries(1, 2));
    await trailOf(folder).append(entries(3, 4));
    expect(await trailOf(folder).position()).toMatchObject({ seq: 4 });
    expect(person(folder, ['rev-parse', branch]).trim()).toHaveLength(64);
  });
});

describe('what a person has set up', () => {
  it('a branch called mailroom is no obstacle', async () => {
    const folder = repository();
    person(folder, ['branch', 'mailroom']);
    await trailOf(folder).append([entry(1)]);
    expect(refsOf(folder)).toContain('refs/heads/mailroom');
    expect(seqsOf(folder)).toEqual([1]);
  });

  it('hooks do not run, and cannot stop the trail', async () => {
    const folder = repository();
    const hook = join(folder, '.git/hooks/reference-transaction');
    write(folder, '.git/hooks/reference-transaction', `#!/bin/sh\necho ran >> '${folder}/ran'\nexit 1\n`);
    person(folder, ['config', 'core.hooksPath', '.git/hooks']);
    chmodSync(hook, 0o755);
    expect(() => person(folder, ['branch', 'x'])).toThrow(/hook/);
    rmSync(join(folder, 'ran'));
    await trailOf(folder).append([entry(1)]);
    expect(() => readFileSync(join(folder, 'ran'))).toThrow(/ENOENT/);
    expect(seqsOf(folder)).toEqual([1]);
  });

  it('needs no identity', async () => {
    const folder = repository();
    person(folder, ['config', 'user.useConfigOnly', 'true']);
    setEnvironment({ HOME: temporaryFolder(), XDG_CONFIG_HOME: temporaryFolder() });
    await trailOf(folder).append([entry(1)]);
    expect(seqsOf(folder)).toEqual([1]);
  });

  it('ignores the GIT_ variables that it was started with', async () => {
    const folder = repository();
    const other = repository();
    setEnvironment({
      GIT_DIR: join(other, '.git'),
      GIT_WORK_TREE: other,
      GIT_INDEX_FILE: join(other, 'index'),
      GIT_OBJECT_DIRECTORY: join(other, '.git/objects'),
      GIT_AUTHOR_DATE: 'nonsense',
    });
    await trailOf(folder).append([entry(1)]);
    expect(refsOf(folder)).toContain('refs/heads/mailroom-trail');
    expect(refsOf(other)).toEqual(['refs/heads/main']);
  });

  it('a branch that is packed, and a replaced commit, change nothing', async () => {
    const folder = repository();
    await trailOf(folder).append([entry(1)]);
    person(folder, ['pack-refs', '--all']);
    person(folder, ['replace', branch, 'main']);
    await trailOf(folder).append([entry(2)]);
    expect(await trailOf(folder).position()).toMatchObject({ seq: 2 });
    person(folder, ['replace', '--delete', person(folder, ['rev-parse', `${branch}^`]).trim()]);
    expect([...filesOf(folder).keys()]).toEqual(['agents/qa/inbox/1.md', 'agents/qa/inbox/2.md']);
    expect(seqsOf(folder)).toEqual([1, 2]);
  });
});

describe('a commit of somebody else on the branch', () => {
  /** What a person does who works on the branch in a working tree and has left it since. */
  function commitByHand(folder: string, args: readonly string[]): void {
    const tree = join(temporaryFolder(), 'tree');
    person(folder, ['worktree', 'add', '--quiet', tree, branch]);
    write(tree, 'notes.txt', 'Mine\n');
    person(tree, ['add', '.']);
    person(tree, ['commit', '--quiet', ...args]);
    person(folder, ['worktree', 'remove', tree]);
  }

  it('is passed over for the position and kept by what follows', async () => {
    const folder = repository();
    await trailOf(folder).append(entries(1, 3));
    commitByHand(folder, ['--message=By hand\n\nSeq: 99']);
    expect(await trailOf(folder).position()).toMatchObject({ seq: 3 });
    await trailOf(folder).append([entry(4)]);
    expect(await trailOf(folder).position()).toMatchObject({ seq: 4 });
    expect(filesOf(folder).get('notes.txt')).toBe('Mine\n');
  });

  it('does not hide a commit of ours that it amends', async () => {
    const folder = repository();
    await trailOf(folder).append(entries(1, 3));
    commitByHand(folder, ['--amend', '--no-edit']);
    expect(await trailOf(folder).position()).toMatchObject({ seq: 3 });
  });

  it('may come before the first commit of a new journal, whose numbers the branch has seen before', async () => {
    const folder = repository();
    await trailOf(folder).append(entries(500, 501));
    const trail = trailOf(folder);
    expect(await trail.position()).toMatchObject({ seq: 501 });
    commitByHand(folder, ['--message=By hand']);
    await trail.append(entries(8, 9));
    await trailOf(folder).append([entry(1)]);
    expect(seqsOf(folder).filter((seq) => !Number.isNaN(seq))).toEqual([500, 501, 8, 9, 1]);
    expect(await trailOf(folder).position()).toMatchObject({ seq: 1 });
  });

  it('does not matter when the branch was deleted: a new one begins', async () => {
    const folder = repository();
    const trail = trailOf(folder);
    await trail.append(entries(1, 3));
    person(folder, ['branch', '--quiet', '-D', branch]);
    expect(await trail.position()).toMatchObject({ seq: 0 });
    await trail.append([entry(4)]);
    expect(seqsOf(folder)).toEqual([4]);
  });
});
