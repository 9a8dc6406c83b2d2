import process from 'node:process';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RealDisk } from '../../src/disk/real-disk.ts';
import { Landings } from '../../src/git/landing.ts';
import { swapLanding } from '../../src/git/landing-swap.ts';
import { Lookout } from '../../src/mail/controller/lookout.ts';
import { examineProject } from '../../src/project/doctor-project.ts';
import { refsIn } from '../../src/git/broken-refs.ts';
import { fetchWork, isInOrigin, sendWork, takeWork } from '../../src/git/travel.ts';
import type { Config } from '../../src/config/config.ts';
import type { Protocol } from '../../src/mail/format/protocol.ts';
import { commitOf, gitIn, project } from './roles-at-work.ts';

/* An agent that may commit in the checkout that people use can leave anything in the folder of its branch. */

/** Without roles. */
const [protocol, config] = [{ roles: new Map() }, { inboxPatterns: [] }] as unknown as [Protocol, Config];
const lost = '12'.repeat(20);
const done = { ok: true, value: undefined };

describe.each([
  ['no commit', 'nonsense\n'],
  ['nothing', ''],
  ['a NUL', '\0'],
  ['a commit that is missing', `${lost}\n`],
])('a branch that holds %s', (_, text) => {
  it.each(['evil', "a'b;$(touch$x)", 'deep/evil'])(
    'called %s is named with what removes it',
    async (name) => {
      const { root, git } = project();
      const path = join(root, '.git/refs/heads', name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      expect(() => git('log', '--all')).toThrow('bad object');
      const { whole, broken } = await refsIn(root);
      expect(whole).toEqual([`${git('rev-parse', 'main')} refs/heads/main`]);
      const [said = '', ...more] = broken;
      expect(more).toEqual([]);
      expect(said).toContain(`git cannot use refs/heads/${name}, which`);
      const finding = { topic: 'git', state: 'problem', text: said };
      expect(await examineProject(root, { packageRoot: root, environment: process.env })).toContainEqual(
        finding,
      );
      let now = 0;
      const lookout = new Lookout(
        new RealDisk(root),
        { protocol, config, environment: {} },
        () => (now += 1_000),
      );
      await expect.poll(() => lookout.notices()).toEqual([said]);
      const [, command = ''] = / until `(.+)`$/.exec(said) ?? [];
      execFileSync('sh', ['-c', command], { cwd: root });
      expect(git('log', '--all', '--format=%s')).toBe('first');
      expect(await refsIn(root)).toEqual({ whole, broken: [] });
    },
  );

  it('keeps no role from its work, and no work from landing and travelling', async () => {
    const { root, git, role } = project();
    const shared = join(dirname(root), 'shared.git');
    git('clone', '-q', '--bare', root, shared);
    git('remote', 'add', 'origin', shared);
    git('fetch', '-q', 'origin');
    writeFileSync(join(root, '.git/refs/heads/evil'), text);
    const maker = role('maker');
    const made = await maker.does({ 'made.txt': 'made\n' });
    expect(commitOf(await role('other').enter([made]))).toBe(made);
    expect(await isInOrigin(root, git('rev-parse', 'main'))).toBe(true);
    const about = { commit: made, by: 'merge', branch: 'main', author: 'maker', text: 'Land it\n' } as const;
    const landing = await new Landings(root, () => Promise.resolve([])).prepare(about);
    if (landing.is !== 'ready') return expect.fail(landing.problem);
    expect(await swapLanding(root, { branch: 'main', ...landing }, false)).toEqual({ is: 'landed' });
    expect(await sendWork(root, shared, made, 'refs/mailroom/turns/one')).toEqual(done);
    // Here with its files: nothing is asked.
    expect(await fetchWork(root, '/nowhere', made, 'refs/mailroom/turns/one')).toEqual(done);
    const theirs = gitIn(shared, 'commit-tree', '-p', made, '-m', 'theirs', `${made}^{tree}`);
    gitIn(shared, 'update-ref', 'refs/mailroom/turns/two', theirs);
    expect(await takeWork(root, shared, theirs, ['refs/mailroom/turns/two'])).toEqual({
      ok: true,
      value: theirs,
    });
    expect(git('log', '-1', '--format=%s', theirs)).toBe('theirs');
    expect(await fetchWork(root, shared, lost, 'refs/mailroom/turns/three')).toMatchObject({ ok: false });
  });
});
