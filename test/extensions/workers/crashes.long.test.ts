import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';
import { openSource } from '../../../src/extensions/workers/queue/bull.ts';
import type { Credentials } from '../../../src/extensions/workers/queue/credentials.ts';
import { sign } from '../../../src/extensions/workers/queue/signed.ts';
import { finished, said } from '../../support/project.ts';
import { hostsFixture, kill } from './hosts.ts';
import { building, checker, failuresOf, startsOf, team } from './team.ts';

const engineer = building(`'begun-' + process.env.MAILROOM_ATTEMPT`);

describe('through Redis', () => {
  const bed = hostsFixture();

  test('a turn that ended while the controller was gone is taken, not run again', async () => {
    const hosts = bed.open({ engineer, checker });
    const worker = await hosts.work();
    hosts.drop();
    const first = hosts.up();
    await hosts.noted('begun-1');
    await kill(first);
    const reported = said(worker.program, 'ended: done');
    hosts.allow('go');
    await reported;
    const ran = await finished(hosts.up('--until-idle'));
    expect(ran.stdout).toContain('It is there');
    expect(startsOf(worker.project)).toEqual(['t1 1 0 task']);
    expect(failuresOf(hosts.controller)).toEqual([]);
    expect(hosts.shared()).toEqual(['refs/heads/main']);
  });

  test('a queue that is killed and restarted within the lease costs nothing', async () => {
    const hosts = bed.open({ engineer, checker }, team, '60s');
    const worker = await hosts.work();
    hosts.drop();
    const up = finished(hosts.up('--until-idle'));
    await hosts.noted('begun-1');
    const noticed = said(worker.program, 'cannot be reached');
    await bed.server.kill();
    await noticed;
    // The turn ends while its result cannot be reported.
    hosts.allow('go');
    await hosts.noted('built-1');
    await bed.server.start();
    expect((await up).stdout).toContain('It is there');
    expect(startsOf(worker.project)).toEqual(['t1 1 0 task']);
    expect(failuresOf(hosts.controller)).toEqual([]);
  });

  test('a worker that was suspended for longer than the lease reports nothing', async () => {
    const hosts = bed.open({ engineer, checker });
    const first = await hosts.work();
    hosts.drop();
    const up = finished(hosts.up('--until-idle'));
    await hosts.noted('begun-1');
    first.program.kill('SIGSTOP');
    const second = await hosts.work();
    await hosts.noted('begun-2');
    hosts.allow('go');
    await hosts.noted('built-1');
    const dropped = said(first.program, 'was taken from this worker');
    first.program.kill('SIGCONT');
    await dropped;
    const inFirst = { cwd: first.project.root, encoding: 'utf8' } as const;
    const args = ['for-each-ref', '--format=%(refname)', 'refs/mailroom/kept/turns'];
    const kept = execFileSync('git', args, inFirst).trim();
    expect(execFileSync('git', ['show', `${kept}:built.txt`], inFirst)).toBe('built\n');
    expect((await up).stdout).toContain('It is there');
    expect(startsOf(second.project)).toEqual(['t1 2 0 task']);
    expect(failuresOf(hosts.controller)).toMatchObject([{ attempt: 1, reason: { code: 'E_WORKER' } }]);
    expect(hosts.shared()).toEqual(['refs/heads/main']);
  });

  test('work whose result is too large is kept on the worker', async () => {
    const large = `
    writeFileSync('built.txt', 'built\\n');
    send('review', 'checker', process.env.MAILROOM_ATTEMPT === '1' ? 'x'.repeat(1_100_000) : 'Words');`;
    const hosts = bed.open({ engineer: large, checker });
    const worker = await hosts.work();
    hosts.drop();
    expect((await finished(hosts.up('--until-idle'))).stdout).toContain('It is there');
    const [failure] = failuresOf(hosts.controller);
    const text = JSON.stringify(failure);
    expect(text).toContain('the queue carries at most 1000000');
    const [kept = ''] = /refs\/mailroom\/kept\/turns\/[\w.-]+/.exec(text) ?? [];
    const options = { cwd: worker.project.root, encoding: 'utf8' } as const;
    expect(execFileSync('git', ['show', `${kept}:built.txt`], options)).toBe('built\n');
  });

  const later = Date.now() + 3_600_000;

  /** What an intruder could report, and the reason that the journal has for refusing it. */
  const intruders: readonly [string, (job: string, nonce: string, by: Credentials) => Json, string][] = [
    [
      'forged',
      (job, nonce) => ({ kind: 'result', job, nonce, expires: later, body: {} }),
      'its signature is wrong',
    ],
    [
      'malformed',
      (job, nonce, by) => signed(by, { job, nonce, expires: later }, { host: 7 }),
      '`worker` must be an object with `host`, `id` and `login`',
    ],
    [
      'replayed',
      (job, _nonce, by) => signed(by, { job, nonce: 'of yesterday', expires: later }),
      'it answers an earlier job',
    ],
    ['expired', (job, nonce, by) => signed(by, { job, nonce, expires: 1 }), 'it has expired'],
  ];

  function signed(
    by: Credentials,
    about: { readonly job: string; readonly nonce: string; readonly expires: number },
    body: JsonObject = {},
  ): JsonObject {
    return sign(by, { kind: 'result', ...about }, body);
  }

  test.each(intruders)('a result that is %s is refused, with its reason', async (...given) => {
    const [, resultOf, reason] = given;
    const hosts = bed.open({ engineer, checker });
    hosts.allow('go');
    hosts.drop();
    const up = finished(hosts.up('--until-idle'));
    let changed = () => {};
    const { url } = bed.server;
    const address = { url, name: hosts.credentials.project, roles: ['engineer'], lease: 5_000 };
    const source = openSource({ ...address, onChange: () => changed() }, []);
    let held = await source.take();
    for (; held === null; held = await source.take())
      await new Promise<void>((resolve) => (changed = resolve));
    const { nonce } = held.data as { nonce: string };
    expect(await held.finish(resultOf(held.id, nonce, hosts.invited('intruder')))).toBe(true);
    await source.close();
    const worker = await hosts.work();
    expect((await up).stdout).toContain('It is there');
    expect(startsOf(worker.project)).toEqual(['t1 2 0 task']);
    expect(failuresOf(hosts.controller)).toMatchObject([
      { attempt: 1, reason: { code: 'E_WORKER', text: expect.stringContaining(reason) as string } },
    ]);
  });
});
