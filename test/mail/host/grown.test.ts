import { expect, it } from 'vitest';
import { MailHost } from '../../../src/mail/host/mail-host.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { idleRunner, mailPorts } from '../../support/mail-ports.ts';
import { protocolOf } from '../machine/texts.ts';
import type { AgentJob } from '../../../src/host/runner/runner.ts';

const protocol = protocolOf(`
roles: { a: {}, ann: { provider: human } }
messages: { task: { from: [user, ann], to: a }, done: { from: a, to: user, closes: true } }
`);
const inbox = 'agents/a/inbox';
const accepting = '.mailroom/accepting';
const first = 'Drop the old tables\n';
const whole = `${first}but only on the test server\n`;

/** A project on a system that does not show who writes a file, and where nothing starts until `restart`. */
function project(text = first) {
  let now = Date.UTC(2026, 0, 1);
  const disk = new MemoryDisk(() => now);
  const jobs: AgentJob[] = [];
  const told: string[] = [];
  const open = () => {
    const ports = mailPorts(disk, {
      runner: { ...idleRunner, start: (job) => void jobs.push(job) },
      notify: (role, { subject }) => void told.push(`${role}: ${subject}`),
    });
    const opened = new MailHost(ports, { protocol, protocolHash: 'one', version: 'test' });
    opened.start();
    return opened;
  };
  let host = open();
  host.hold();
  disk.written.set(`${inbox}/x.md`, 'unknown');
  disk.plant(`${inbox}/x.md`, text);
  const watched = () => disk.list(accepting) ?? [];
  const failures = 'agents/a/failed/2026-01';
  const world = {
    told,
    watched,
    /** Looks until so much time has passed. */
    pass: (ms: number) => {
      for (const end = now + ms; now < end; now += 500) host.look();
    },
    grow: (more = whole) => {
      expect(watched()).toHaveLength(1);
      disk.plant(`${accepting}/${String(watched()[0])}`, more);
    },
    look: () => host.look(),
    restart: () => {
      host = open();
    },
    prompts: () => jobs.map(({ invocation }) => invocation.prompt),
    failed: () =>
      (disk.list(failures) ?? []).map((name) => disk.read(`${failures}/${name}`, 1000)?.toString()),
  };
  world.pass(3_000);
  return world;
}

it.each([0, 1, 2, 3])(
  'a file that grows before its turn begins is read new, with a restart after %i looks',
  (looks) => {
    const world = project();
    world.grow();
    for (let count = 0; count < looks; count += 1) world.look();
    world.restart();
    world.pass(5_000);
    expect(world.prompts()).toEqual([expect.stringContaining('but only on the test server')]);
    expect(world.told).toContain(`user: Still being written: ${looks === 0 ? 'grown' : 'x'}.md`);
  },
);

it.each(['after it has begun', 'again after a restart'])(
  'one that grows %s is put aside for its sender',
  (when) => {
    const world = project();
    world.restart();
    world.pass(1_000);
    world.grow();
    if (when.startsWith('again')) {
      world.look();
      world.restart();
    }
    world.pass(2_000);
    expect(world.failed()).toEqual([whole]);
    expect(world.told).toEqual([expect.stringContaining('user: Written after it was accepted: ')]);
    expect(world.prompts().every((prompt) => !prompt.includes('but only'))).toBe(true);
    expect(world.watched()).toEqual([]);
  },
);

it('is put aside only once the notice about it is durable', () => {
  const world = project();
  world.restart();
  world.pass(1_000);
  world.grow();
  world.look();
  expect(world.failed()).toEqual([]);
  expect(world.watched()).toHaveLength(1);
  world.pass(1_000);
  expect(world.failed()).toEqual([whole]);
});

it('names it to the person who wrote it as well', () => {
  const world = project('---\ntype: task\nfrom: ann\n---\nDrop them\n');
  world.grow('---\ntype: task\nfrom: ann\n---\nDrop them not\n');
  world.pass(1_000);
  expect(world.told).toEqual(
    expect.arrayContaining(['user: Still being written: x.md', 'ann: Still being written: x.md']),
  );
});

it('what a refused file grew to lies beside what was refused', () => {
  const world = project('---\ntype: nothing\n---\nDrop them\n');
  world.grow('---\ntype: nothing\n---\nDrop them not\n');
  world.pass(1_000);
  expect(world.failed()).toContain('---\ntype: nothing\n---\nDrop them not\n');
});

it('ends after a minute in which it did not grow, and does not begin where the writers are seen', () => {
  const world = project();
  world.pass(55_000);
  expect(world.watched()).toHaveLength(1);
  world.pass(5_000);
  expect(world.watched()).toEqual([]);
  expect(world.told).toEqual([]);
});
