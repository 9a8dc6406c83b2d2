import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isInOrigin, dropWork, fetchWork, packOther, readOther, sendWork } from '../../src/git/travel.ts';
import { temporaryFolder } from '../process/support.ts';

/** A shared repository, one that sends work there, and one that gets it. */
function hosts() {
  const root = temporaryFolder();
  const [shared, project, late] = ['shared.git', 'project', 'late'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  git('init', '--quiet', '--bare', '--initial-branch=main', shared);
  for (const name of [late, project]) git('clone', '--quiet', shared, name);
  /** Commits all files, and returns the commit. */
  const commit = (subject: string) => {
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
    git('-C', 'project', 'add', '--all');
    git('-C', 'project', ...who, 'commit', '--quiet', '--allow-empty', '--message', subject);
    return git('-C', 'project', 'rev-parse', 'HEAD');
  };
  return { git, project, shared, late, commit };
}

it('takes the named work out of the shared repository, and without a name nothing', async () => {
  const { git, project, shared, commit } = hosts();
  commit('One');
  const refs = ['refs/mailroom/turns/one', 'refs/mailroom/turns/two'];
  git('-C', 'project', 'push', '--quiet', shared, ...refs.map((ref) => `HEAD:${ref}`));
  const left = () => git('-C', shared, 'for-each-ref', '--format=%(refname)').split('\n');
  expect(await dropWork(project, shared, [])).toEqual({ ok: true, value: undefined });
  expect(left()).toEqual(refs);
  await dropWork(project, shared, refs.slice(0, 1));
  expect(left()).toEqual(refs.slice(1));
});

it('does not send what a branch of the shared repository has, and gets it from there', async () => {
  const { git, project, shared, late, commit } = hosts();
  const one = commit('One');
  git('-C', 'project', 'push', '--quiet', 'origin', 'HEAD:main');
  const ref = 'refs/mailroom/turns/one';
  const done = { ok: true, value: undefined };
  const left = () => git('-C', shared, 'for-each-ref', '--format=%(refname)').split('\n');
  expect(await isInOrigin(project, one)).toBe(true);
  expect(left()).toEqual(['refs/heads/main']);
  expect(await fetchWork(late, shared, one, ref)).toEqual(done);
  expect(git('-C', 'late', 'cat-file', '-t', one)).toBe('commit');
  const two = commit('Two');
  expect(await fetchWork(late, shared, two, ref)).toMatchObject({ ok: false });
  expect(await isInOrigin(project, two)).toBe(false);
  await sendWork(project, shared, two, ref);
  expect(left()).toEqual(['refs/heads/main', ref]);
  expect(await fetchWork(late, shared, two, ref)).toEqual(done);
});

it('asks no other host for a commit that is here with its files', async () => {
  const { project, commit } = hosts();
  const one = commit('One');
  const gone = join(project, 'no-repository');
  expect(await fetchWork(project, gone, one, 'refs/mailroom/turns/one')).toEqual({
    ok: true,
    value: undefined,
  });
});

it('gets what is missing of a commit that a killed fetch has left', async () => {
  const { git, project, shared, late, commit } = hosts();
  writeFileSync(join(project, 'one.txt'), 'one');
  const [one, ref] = [commit('One'), 'refs/mailroom/turns/one'];
  const done = { ok: true, value: undefined };
  expect(await sendWork(project, shared, one, ref)).toEqual(done);
  expect(await fetchWork(late, shared, one, ref)).toEqual(done);
  const tree = git('-C', 'late', 'rev-parse', `${one}^{tree}`);
  rmSync(join(late, '.git/objects', tree.slice(0, 2), tree.slice(2)));
  expect(await fetchWork(late, shared, one, ref)).toEqual(done);
  expect(git('-C', 'late', 'show', `${one}:one.txt`)).toBe('one');
});

it('refuses files of which one is missing, instead of shifting the rest', async () => {
  const { git, project } = hosts();
  const paths = ['one', 'two'].map((name) => join(project, `${name}.txt`));
  for (const path of paths) writeFileSync(path, `${path}\n`);
  const packed = await packOther(project, paths);
  if (!packed.ok || packed.value === null) return expect.fail('nothing was packed');
  expect(await readOther(project, packed.value)).toMatchObject({
    ok: true,
    value: [{ index: 0 }, { index: 1 }],
  });
  const blob = git('-C', 'project', 'rev-parse', `${packed.value}:0`);
  rmSync(join(project, '.git/objects', blob.slice(0, 2), blob.slice(2)));
  const problem = `${blob}, the file 0, is missing`;
  expect(await readOther(project, packed.value)).toEqual({ ok: false, problem });
});

it.each(['..', '.GIT'])('refuses files of a host that call a folder %s', async (folder) => {
  const { git, project } = hosts();
  const made = (line: string) =>
    execFileSync('git', ['mktree'], { cwd: project, encoding: 'utf8', input: `${line}\n` }).trim();
  writeFileSync(join(project, 'one'), 'one');
  const file = made(`100644 blob ${git('-C', 'project', 'hash-object', '-w', 'one')}\tone`);
  const tree = made(`040000 tree ${made(`040000 tree ${file}\t${folder}`)}\t0`);
  const problem = `0/${folder}/one is not the name of a file`;
  expect(await readOther(project, tree)).toEqual({ ok: false, problem });
});
