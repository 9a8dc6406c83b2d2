import { expect, it } from 'vitest';
import { MailHost } from '../../../src/mail/host/mail-host.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { idleRunner, mailPorts } from '../../support/mail-ports.ts';
import { exit } from '../../providers/samples.ts';
import { protocolOf } from '../machine/texts.ts';
import type { AgentJob } from '../../../src/host/runner/runner.ts';
import type { Message } from '../../../src/mail/format/message.ts';

const protocol = protocolOf(`
limits: { tasks_per_hour: 3 }
roles: { a: {}, b: {} }
messages: { task: { from: user, to: [a, b] }, done: { from: [a, b], to: user, closes: true } }
`);
const done = '---\ntype: done\nto: user\n---\nDone.\n';
const hour = 3_600_000;

/** A project whose turns write a file into the inbox of the role in `writes`, and end. */
function project(writes: (role: string) => string | null) {
  let now = Date.UTC(2026, 0, 1);
  let elapsed = 0;
  const disk = new MemoryDisk(() => now);
  const jobs: AgentJob[] = [];
  const told: Message[] = [];
  let turns = 0;
  const begin = () => {
    const ports = mailPorts(disk, {
      runner: { ...idleRunner, start: (job) => void jobs.push(job) },
      notify: (_role, message) => void told.push(message),
    });
    const clock = { ...ports.clock, elapsed: () => elapsed + Math.sin(elapsed) };
    const begun = new MailHost({ ...ports, clock }, { protocol, protocolHash: 'one', version: 'test' });
    begun.start();
    return begun;
  };
  let host = begin();
  const usage = { usd: 0, tokens: 0 };
  const outcome = { is: 'done', text: done, session: null, usage, model: null, denials: [] } as const;
  const drop = (role: string) => disk.plant(`agents/${role}/inbox/${String(Math.random())}.md`, 'Do it\n');
  /** Looks for as long as this. */
  const pass = (ms: number, step = 100) => {
    for (const end = now + ms; now < end; now += step) {
      // The two clocks do not tick together.
      elapsed += step;
      host.look();
      for (const job of jobs.splice(0)) {
        turns += 1;
        const next = writes(job.invocation.role);
        if (next !== null) drop(next);
        host.turns.ended(job.key, outcome, exit());
      }
    }
  };
  const notices = () =>
    told.map(({ subject }) => subject).filter((subject) => subject.startsWith('Too many'));
  return {
    disk,
    pass,
    drop,
    notices,
    waits: () => host.waits,
    /** Sets the wall clock. */
    set: (ms: number) => void (now += ms),
    /** As after a kill: nothing ends in order. */
    restart: () => {
      jobs.length = 0;
      host = begin();
    },
    turns: () => turns,
    lying: (role: string) => disk.list(`agents/${role}/inbox`),
  };
}

it.each([
  ['into its own inbox', () => 'a', 'a'],
  ['into that of another, which writes back', (role: string) => (role === 'a' ? 'b' : 'a'), 'b'],
])('ends a loop of tasks that agents write %s', (_, writes, last) => {
  const world = project(writes);
  world.drop('a');
  world.pass(60_000);
  const turns = world.turns();
  expect(turns).toBeLessThanOrEqual(8);
  expect(world.notices()).toHaveLength(1);
  world.pass(30 * 60_000, 10_000);
  expect(world.turns()).toBe(turns);
  expect(world.notices()).toHaveLength(1);
  expect(world.lying(last)?.length === 1 || world.lying('a')?.length === 1).toBe(true);
});

it('accepts what waited after an hour', () => {
  const world = project(() => 'a');
  world.drop('a');
  world.pass(60_000);
  const turns = world.turns();
  world.pass(hour, 10_000);
  expect(world.turns()).toBeGreaterThan(turns);
});

it('holds up no other role, and nothing while no agent runs', () => {
  const world = project((role) => (role === 'a' ? 'a' : null));
  world.drop('a');
  world.pass(60_000);
  const turns = world.turns();
  world.drop('b');
  world.pass(1_000);
  expect(world.turns()).toBe(turns + 1);
  const idle = project(() => null);
  for (let count = 0; count < 10; count += 1) idle.drop('a');
  idle.pass(60_000);
  expect(idle.turns()).toBe(10);
  expect(idle.notices()).toEqual([]);
});

it('says until when files wait, and no more once they are accepted', () => {
  const { pass, drop, waits } = project(() => 'a');
  drop('a');
  pass(10_000);
  const [first] = waits();
  expect(waits()).toEqual([
    expect.stringMatching(
      /^files in agents\/a\/inbox wait until 2026-01-01T01:00:\S+Z, as `limits.tasks_per_hour` is 3$/,
    ),
  ]);
  pass(hour, 60_000);
  expect(waits()).not.toContain(first);
});

it.each([
  ['at once', 0],
  ['after the machine was off for half an hour', hour / 2],
  ['on a clock that was set back for hours', -5 * hour],
])('a controller that starts anew %s has no new budget', (_, step) => {
  const world = project(() => 'a');
  world.drop('a');
  world.pass(10_000);
  const turns = world.turns();
  for (let count = 0; count < 5; count += 1) {
    world.set(count === 0 ? step : 0);
    world.restart();
    world.pass(1_000);
  }
  expect(world.turns()).toBe(turns);
  expect(world.notices()).toHaveLength(1);
  expect(world.waits()).toHaveLength(1);
});

it('one that is killed with every turn has none either, and counts what it had only moved', () => {
  const world = project(() => 'a');
  for (let count = 0; count < 12; count += 1) {
    world.drop('a');
    world.pass(300);
    world.restart();
  }
  world.pass(10_000);
  expect(world.lying('a')!.length).toBeGreaterThanOrEqual(8);
});

it('more files at once than the limit allows count one by one', () => {
  const world = project(() => null);
  world.drop('b');
  world.pass(100, 50);
  for (let count = 0; count < 10; count += 1) world.drop('a');
  world.pass(5_000);
  expect(world.lying('a')).toHaveLength(7);
  expect(world.notices()).toHaveLength(1);
});

it('says the same for as long as it holds, also once the clock was set back', () => {
  const world = project(() => 'a');
  world.drop('a');
  world.pass(10_000);
  world.set(-5 * hour);
  world.pass(500);
  const said = new Set<string>();
  for (let count = 0; count < 20; count += 1) {
    world.pass(100);
    for (const why of world.waits()) said.add(why);
  }
  expect([...said]).toEqual([expect.stringContaining('wait until 2025-12-31T20:00:')]);
});
