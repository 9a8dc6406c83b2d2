import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dropWork } from '../../src/git/travel.ts';
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
