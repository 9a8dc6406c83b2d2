import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MailroomError } from '../../../src/kernel/errors.ts';
import { entry } from './samples.ts';
import {
  branch,
  disguiseGit,
  person,
  repository,
  seqsOf,
  setEnvironment,
  temporaryFolder,
  trailOf,
  write,
} from './support.ts';

/** The problem that a batch of one commit meets. */
async function refusalOf(project: string, name?: string): Promise<MailroomError | undefined> {
  try {
    await trailOf(project, name).append([entry(1)]);
    return undefined;
  } catch (error) {
    return error instanceof MailroomError ? error : undefined;
  }
}

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
        hint: `the trail is not written: ${JSON.stringify(name)} is not a branch name`,
      });
    },
  );

  it('has a name that another branch is in the way of', async () => {
    const folder = repository();
    const refusal = await refusalOf(folder, 'main/trail');
    expect(refusal?.code).toBe('E_TRAIL');
    expect(refusal?.message).toMatch(/^git update-ref failed: fatal: .*'refs\/heads\/main' exists/);
    await trailOf(folder, 'outer/inner').append([entry(7)]);
    expect(await trailOf(folder, 'outer').position()).toMatchObject({ seq: 0 });
    expect((await refusalOf(folder, 'outer'))?.code).toBe('E_TRAIL');
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
