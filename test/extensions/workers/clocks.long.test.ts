import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RealDisk } from '../../../src/disk/real-disk.ts';
import type { MailEvent } from '../../../src/mail/machine/event.ts';
import { finished, said } from '../../support/project.ts';
import { readJournal } from '../../support/read-journal.ts';
import { hostsFixture, type Hosts } from './hosts.ts';
import { building, checker, failuresOf, startsOf } from './team.ts';

const hour = 3_600_000;

/** The variables of a program whose clock is off by so many milliseconds. */
function clockOff(hosts: Hosts, by: number): Record<string, string> {
  const file = 'clock.cjs';
  const code = `
    const now = Date.now;
    const there = () => now() + ${String(by)};
    globalThis.Date = class extends Date {
      constructor(...given) {
        if (given.length === 0) super(there());
        else super(...given);
      }
      static now() {
        return there();
      }
    };`;
  hosts.controller.write(`.mailroom/${file}`, code);
  return { NODE_OPTIONS: `--require ${join(hosts.controller.root, '.mailroom', file)}` };
}

describe('through Redis', () => {
  const bed = hostsFixture();

  test.each([
    ['ahead of', hour],
    ['behind', -hour],
  ])('a worker whose clock is an hour %s the others does its turn; all sides say so', async (how, by) => {
    const hosts = bed.open({ engineer: building(), checker });
    const begin = Date.now();
    const env = clockOff(hosts, by);
    const worker = await hosts.workWith(env);
    const own = `the clock of this host is 1h ${how} that of the queue; set the clocks of all hosts by NTP`;
    hosts.drop();
    const controller = hosts.up('--until-idle');
    const noticed = said(controller, ` is 1h ${how} the one here`);
    const up = finished(controller);
    await hosts.noted('begun');
    await noticed;
    const [, ...found] = await hosts.doctor();
    expect(found).toMatchObject([{ state: 'warning' }]);
    expect(found[0]?.text).toMatch(
      /^the clock of the worker [\w.-]+ on .+ is 1h (ahead of|behind) the one here/,
    );
    expect(await hosts.doctor(env, worker.project)).toContainEqual({ state: 'warning', text: own });
    hosts.allow('go');
    expect((await up).stdout).toMatch(/It is there[^]*idle: done\n$/);
    worker.program.kill('SIGTERM');
    expect((await worker.ended).stdout).toContain(own);
    expect(startsOf(worker.project)).toEqual(['t1 1 0 task']);
    expect(failuresOf(hosts.controller)).toEqual([]);
    // Every time is that of the controller: deadlines count from there.
    const { records } = readJournal<MailEvent>(new RealDisk(hosts.controller.root));
    const times = records.map(({ event }) => event.at);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(begin);
    expect(Math.max(...times)).toBeLessThanOrEqual(Date.now());
    expect(hosts.shared()).toEqual(['refs/heads/main']);
  });
});
