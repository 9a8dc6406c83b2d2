import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dropWork, fetchWork, sendWork } from '../../src/git/travel.ts';
import { temporaryFolder } from '../process/support.ts';

it('takes the named work out of the shared repository, and without a name nothing', async () => {
  const root = temporaryFolder();
  const shared = join(root, 'shared.git');
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  git('init', '--quiet', 'project');
  git('init', '--quiet', '--bare', shared);
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
  git('-C', 'project', ...who, 'commit', '--quiet', '--allow-empty', '--message', 'One');
  const refs = ['refs/mailroom/turns/one', 'refs/mailroom/turns/two'];
  git('-C', 'project', 'push', '--quiet', shared, ...refs.map((ref) => `HEAD:${ref}`));
  const left = () => git('-C', shared, 'for-each-ref', '--format=%(refname)').split('\n');
  expect(await dropWork(join(root, 'project'), shared, [])).toEqual({ ok: true, value: undefined });
  expect(left()).toEqual(refs);
  await dropWork(join(root, 'project'), shared, refs.slice(0, 1));
  expect(left()).toEqual(refs.slice(1));
});

it('does not send what a branch of the shared repository has, and gets it from there', async () => {
  const root = temporaryFolder();
  const shared = join(root, 'shared.git');
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
  git('init', '--quiet', '--bare', '--initial-branch=main', shared);
  git('clone', '--quiet', shared, 'late');
  git('clone', '--quiet', shared, 'project');
  git('-C', 'project', ...who, 'commit', '--quiet', '--allow-empty', '--message', 'One');
  git('-C', 'project', 'push', '--quiet', 'origin', 'HEAD:main');
  const [project, late] = [join(root, 'project'), join(root, 'late')];
  const [one, ref] = [git('-C', 'project', 'rev-parse', 'HEAD'), 'refs/mailroom/turns/one'];
  const done = { ok: true, value: undefined };
  const left = () => git('-C', shared, 'for-each-ref', '--format=%(refname)').split('\n');
  expect(await sendWork(project, shared, one, ref, 'refs/remotes/origin/')).toEqual(done);
  expect(left()).toEqual(['refs/heads/main']);
  expect(await fetchWork(late, shared, one, ref)).toEqual(done);
  expect(git('-C', 'late', 'cat-file', '-t', one)).toBe('commit');
  git('-C', 'project', ...who, 'commit', '--quiet', '--allow-empty', '--message', 'Two');
  const two = git('-C', 'project', 'rev-parse', 'HEAD');
  expect(await fetchWork(late, shared, two, ref)).toMatchObject({ ok: false });
  await sendWork(project, shared, two, ref, 'refs/remotes/origin/');
  expect(left()).toEqual(['refs/heads/main', ref]);
  expect(await fetchWork(late, shared, two, ref)).toEqual(done);
});
