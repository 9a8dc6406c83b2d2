import { chmodSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MailroomError } from '../../src/core/errors.ts';
import { trailEntry } from '../../src/engine/trail/entries.ts';
import type { TrailRepository } from '../../src/engine/trail/writer.ts';
import { GitRepository } from '../../src/process/git-repository.ts';
import { at, copy, entries, entry, event, format, hostileText, result, sent, turn } from './samples.ts';
import {
  branch,
  commitsOf,
  disguiseGit,
  filesOf,
  person,
  repository,
  seqsOf,
  setEnvironment,
  temporaryFolder,
  write,
} from './support.ts';

function trailOf(project: string, name: string = branch): TrailRepository {
  return new GitRepository({ project, branch: name });
}

/** The problem that a batch of one commit meets. */
async function refusalOf(project: string, name?: string): Promise<MailroomError | undefined> {
  try {
    await trailOf(project, name).append([entry(1)]);
    return undefined;
  } catch (error) {
    return error instanceof MailroomError ? error : undefined;
  }
}

function refsOf(folder: string): string[] {
  return person(folder, ['for-each-ref', '--format=%(refname)']).trim().split('\n');
}

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

  it('cannot be told anything by what agents wrote', async () => {
    const folder = repository();
    const samples = fc.sample(fc.tuple(hostileText, hostileText, hostileText), { numRuns: 60, seed: 7 });
    const hostileEntries = samples.flatMap(([subject, id, model], index) => {
      const happened = event({
        type: 'committed',
        turn: 't12',
        sent: [sent({ subject, id, thread: model })],
      });
      const phase = { is: 'returned', since: at, result: { ...result, model }, gates: [] } as const;
      const pictures = [copy('qa', { at: 'inbox' }, { subject, id: 'abcdef', body: subject })];
      return (
        trailEntry(index + 1, happened, pictures, turn({ phase, thread: id }), () => undefined, format) ?? []
      );
    });
    await trailOf(folder).append(hostileEntries);
    expect(commitsOf(folder).map(({ trailers }) => trailers)).toEqual(
      hostileEntries.map(({ trailers }) => trailers),
    );
    expect(await trailOf(folder).position()).toMatchObject({ seq: 60 });
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
    await trailOf(project).append([entry(1)]);
    expect([...filesOf(folder).keys()]).toEqual(['pack ages/äpp/agents/qa/inbox/1.md']);
    expect(await trailOf(project).position()).toMatchObject({ seq: 1 });
  });

  it('shares the branch with other projects and working trees, and knows its own commits', async () => {
    const folder = repository();
    write(folder, 'inner/x', '');
    const second = join(temporaryFolder(), 'second');
    person(folder, ['worktree', 'add', '--quiet', '-b', 'other', second]);
    const projects = [folder, join(folder, 'inner'), second];
    const last = [100, 2, 41];
    for (const [index, project] of projects.entries()) {
      await trailOf(project).append([entry(1), entry(last[index] ?? 0)]);
    }
    for (const [index, project] of projects.entries()) {
      expect(await trailOf(project).position()).toEqual({ is: 'at', seq: last[index], problem: null });
    }
    expect(seqsOf(second)).toHaveLength(6);
    expect([...filesOf(folder).keys()]).toContain('inner/agents/qa/inbox/2.md');
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

describe('a branch that must not be written', () => {
  it.each([
    ['here', (folder: string) => person(folder, ['checkout', '--quiet', branch])],
    [
      'in another working tree',
      (folder: string) =>
        person(folder, ['worktree', 'add', '--quiet', join(temporaryFolder(), 'tree'), branch]),
    ],
  ])('is one that is checked out %s; it is written again when it is not', async (_, checkOut) => {
    const folder = repository();
    await trailOf(folder).append([entry(1)]);
    checkOut(folder);
    const tip = person(folder, ['rev-parse', branch]);
    const trail = trailOf(folder);
    await expect(trail.append([entry(2)])).rejects.toMatchObject({
      code: 'E_TRAIL',
      message: expect.stringMatching(
        /^the branch mailroom-trail is checked out in \/.*, so no trail is written to it$/,
      ),
      hint: expect.stringContaining('trail.branch'),
    });
    expect(await trail.position()).toMatchObject({ seq: 1, problem: expect.stringContaining('checked out') });
    expect(person(folder, ['rev-parse', branch])).toBe(tip);
    person(folder, ['worktree', 'list', '--porcelain'])
      .split('\n')
      .filter((line) => line.startsWith('worktree '))
      .forEach((line) => person(line.slice('worktree '.length), ['switch', '--quiet', '--detach']));
    await trail.append([entry(2)]);
    expect(seqsOf(folder)).toEqual([1, 2]);
  });

  it('is one that is checked out before its first commit', async () => {
    const folder = temporaryFolder();
    person(folder, ['init', '--quiet', `--initial-branch=${branch}`]);
    expect(await refusalOf(folder)).toMatchObject({
      code: 'E_TRAIL',
      message: expect.stringContaining('checked out'),
    });
    expect(person(folder, ['for-each-ref'])).toBe('');
  });

  it('is another name of a branch of the person', async () => {
    const folder = repository();
    const main = person(folder, ['rev-parse', 'main']);
    person(folder, ['checkout', '--quiet', '--detach']);
    person(folder, ['symbolic-ref', `refs/heads/${branch}`, 'refs/heads/main']);
    expect((await refusalOf(folder))?.message).toMatch('is another name of refs/heads/main');
    expect(person(folder, ['rev-parse', 'main'])).toBe(main);
  });

  it.each(['', 'a b', '-x..y', 'a.lock', 'a\nb', 'refs/heads/'])(
    'has an impossible name: %j',
    async (name) => {
      const folder = repository();
      expect((await refusalOf(folder, name))?.code).toBe('E_TRAIL');
      expect(await trailOf(folder, name).position()).toEqual({
        is: 'none',
        hint: `no trail is written: ${JSON.stringify(name)} is no name for a branch`,
      });
    },
  );

  it('has a name that another branch is in the way of', async () => {
    const folder = repository();
    const refusal = await refusalOf(folder, 'main/trail');
    expect(refusal?.code).toBe('E_TRAIL');
    expect(refusal?.message).toMatch(/^git update-ref failed: fatal: .*'refs\/heads\/main' exists/);
  });
});

describe('no repository', () => {
  it('is a hint in one line, outside git', async () => {
    const project = temporaryFolder();
    const hint =
      'no trail is written: this is not a git working tree; `git init` makes one, `trail: off` ends this hint';
    expect(await trailOf(project).position()).toEqual({ is: 'none', hint });
    expect(await refusalOf(project)).toMatchObject({ code: 'E_TRAIL', message: hint });
    expect(await trailOf(join(repository(), '.git')).position()).toEqual({ is: 'none', hint });
  });

  it('is a hint in one line, without git', async () => {
    const project = repository();
    setEnvironment({ PATH: temporaryFolder() });
    const hint = 'no trail is written: command not found: git';
    expect(await trailOf(project).position()).toEqual({ is: 'none', hint });
  });

  it('is a hint with what git wants to hear, when it belongs to somebody else', async () => {
    const project = repository();
    disguiseGit('export GIT_TEST_ASSUME_DIFFERENT_OWNER=1');
    expect(await trailOf(project).position()).toEqual({
      is: 'none',
      hint: `no trail is written: git does not trust this folder's owner; \`git config --global --add safe.directory ${project}\``,
    });
    const home = temporaryFolder();
    write(home, '.gitconfig', `[safe]\n\tdirectory = ${project}\n`);
    setEnvironment({ HOME: home });
    await trailOf(project).append([entry(1)]);
    expect(await trailOf(project).position()).toMatchObject({ seq: 1 });
  });
});

describe('somebody who moves the branch at the same time', () => {
  /** Moves the branch just before our own update of it, as long as `while` says. */
  function mover(whileTrue: string): string {
    return `case " $* " in *" update-ref "*) if [ ${whileTrue} ]; then
      tip=$("$GIT" rev-parse refs/heads/${branch})
      new=$(echo "Foreign $COUNT" | "$GIT" -c user.name=x -c user.email=y commit-tree -p "$tip" "$tip^{tree}")
      "$GIT" update-ref refs/heads/${branch} "$new" "$tip"
    fi ;; esac`;
  }

  it('is followed: the batch goes on top of what came first', async () => {
    const folder = repository();
    await trailOf(folder).append([entry(1)]);
    disguiseGit(mover('"$COUNT" -le 2'));
    await trailOf(folder).append(entries(2, 4));
    expect(commitsOf(folder).map(({ subject }) => subject)).toEqual([
      entry(1).subject,
      'Foreign 1',
      'Foreign 2',
      ...entries(2, 4).map(({ subject }) => subject),
    ]);
    expect([...filesOf(folder).keys()]).toHaveLength(4);
    expect(refsOf(folder)).toHaveLength(2);
  });

  it('is not followed for ever', async () => {
    const folder = repository();
    await trailOf(folder).append([entry(1)]);
    disguiseGit(mover('"$COUNT" -gt 0'));
    await expect(trailOf(folder).append([entry(2)])).rejects.toMatchObject({
      code: 'E_TRAIL',
      message: 'something else keeps moving the branch mailroom-trail',
    });
    expect(seqsOf(folder).filter((seq) => !Number.isNaN(seq))).toEqual([1]);
  });
});

describe('a git that fails', () => {
  it('leaves nothing half done, and a ref that a crash left behind is taken over', async () => {
    const folder = repository();
    await trailOf(folder).append([entry(1)]);
    disguiseGit('case "$COUNT:$*" in 1:*update-ref*) echo "fatal: the disk is full" >&2; exit 1 ;; esac');
    await expect(trailOf(folder).append([entry(2)])).rejects.toMatchObject({
      code: 'E_TRAIL',
      message: 'git update-ref failed: fatal: the disk is full',
    });
    expect(seqsOf(folder)).toEqual([1]);
    expect(refsOf(folder)).toContainEqual(expect.stringMatching(/^refs\/mailroom\//));
    await trailOf(folder).append([entry(2)]);
    expect(seqsOf(folder)).toEqual([1, 2]);
    expect(refsOf(folder)).toHaveLength(2);
  });

  it('and loses its answer: the batch is not written twice', async () => {
    const folder = repository();
    await trailOf(folder).append([entry(1)]);
    disguiseGit('case "$COUNT:$*" in 1:*update-ref*) "$GIT" "$@"; exit 1 ;; esac');
    const trail = trailOf(folder);
    await trail.append(entries(2, 3));
    expect(seqsOf(folder)).toEqual([1, 2, 3]);
  });

  it('and loses its answer and its eyes: what is given again is not written twice', async () => {
    const folder = repository();
    await trailOf(folder).append([entry(1)]);
    const blind = join(temporaryFolder(), 'blind');
    disguiseGit(`case " $* " in
      *" update-ref "*) if [ "$COUNT" = 1 ]; then "$GIT" "$@"; touch '${blind}'; exit 1; fi ;;
      *" for-each-ref "*) if [ -e '${blind}' ]; then exit 1; fi ;;
    esac`);
    const trail = trailOf(folder);
    await expect(trail.append(entries(2, 3))).rejects.toMatchObject({ code: 'E_TRAIL' });
    rmSync(blind);
    await trail.append(entries(2, 5));
    expect(seqsOf(folder)).toEqual([1, 2, 3, 4, 5]);
  });

  it('and was killed while it wrote a pack: what it left is not in the way of the next attempt', async () => {
    const packsOf = (folder: string) => readdirSync(join(folder, '.git/objects/pack'));
    const [first, second] = [repository(), repository()];
    await trailOf(first).append(entries(1, 3));
    const pack = packsOf(first).find((name) => name.endsWith('.pack')) ?? '';
    const keep = pack.replace('.pack', '.keep');
    write(second, `.git/objects/pack/${keep}`, 'fast-import\n');
    await trailOf(second).append(entries(1, 3));
    expect(seqsOf(second)).toEqual([1, 2, 3]);
    expect(pack).not.toBe('');
    expect(packsOf(second)).not.toContain(pack);
  });

  it('says the reason of a failed import', async () => {
    const folder = repository();
    disguiseGit(
      'case "$*" in *fast-import*) echo "warning: x" >&2; echo "fatal: no space" >&2; exit 128 ;; esac',
    );
    expect((await refusalOf(folder))?.message).toBe('git fast-import failed: fatal: no space');
  });
});
