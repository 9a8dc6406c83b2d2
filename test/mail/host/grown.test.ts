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
  let elapsed = 0;
  const disk = new MemoryDisk(() => now);
  const jobs: AgentJob[] = [];
  const told: string[] = [];
  const open = () => {
    const ports = mailPorts(disk, {
      runner: { ...idleRunner, start: (job) => void jobs.push(job) },
      notify: (role, { subject }) => void told.push(`${role}: ${subject}`),
    });
    const clock = { ...ports.clock, elapsed: () => elapsed };
    const opened = new MailHost({ ...ports, clock }, { protocol, protocolHash: 'one', version: 'test' });
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
      for (const end = now + ms; now < end; now += 500, elapsed += 500) host.look();
    },
    /** Sets the clock. */
    set: (ms: number) => void (now += ms),
    grow: (more = whole) => {
      expect(watched()).toHaveLength(1);
      disk.plant(`${accepting}/${String(watched()[0])}`, more);
    },
    look: () => host.look(),
    /** What its person sees in the inbox. */
    lying: () => disk.list(inbox) ?? [],
    /** Does what a person does to the accepted file. */
    handle: (act: (disk: MemoryDisk, path: string) => void) => {
      expect(world.lying()).toHaveLength(1);
      act(disk, `${inbox}/${String(world.lying()[0])}`);
    },
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

const removals: [string, (disk: MemoryDisk, path: string) => void][] = [
  ['removed', (disk, path) => void disk.remove(path)],
  ['renamed away', (disk, path) => void disk.rename(path, 'agents/a/mine.md')],
];

it.each(removals.flatMap(([what, act]) => [0, 500, 3_000].map((ms) => [what, ms, act] as const)))(
  'one that its person has %s stays removed when it grows %i ms later',
  (_, ms, act) => {
    for (const isRestarted of [false, true]) {
      const world = project();
      world.handle(act);
      world.pass(ms);
      if (isRestarted) world.restart();
      world.grow();
      world.pass(5_000);
      world.restart();
      world.pass(5_000);
      expect([world.lying(), world.prompts(), world.watched()]).toEqual([[], [], []]);
      // Nothing of it is lost.
      expect(world.failed()).toEqual([whole]);
      expect(world.told).toContain(
        'user: Written after it was accepted: ' + (isRestarted ? 'grown.md' : 'x.md'),
      );
    }
  },
);

it('one that its person has removed, and that does not grow, is forgotten', () => {
  const world = project();
  world.handle((disk, path) => void disk.remove(path));
  world.pass(65_000);
  expect([world.lying(), world.watched(), world.failed()]).toEqual([[], [], []]);
});

it.each([
  ['written over in place', first.toUpperCase()],
  ['cut', 'Drop'],
  ['emptied, and written again', whole],
])('one that is %s is read new as well', (what, text) => {
  const world = project();
  if (what.startsWith('emptied')) {
    world.grow('');
    world.look();
    world.look();
    world.handle((disk, path) => disk.plant(path, text));
  } else world.grow(text);
  world.pass(5_000);
  world.restart();
  world.pass(5_000);
  expect(world.prompts()).toEqual([expect.stringContaining(text.trim())]);
});

it('one that its person has replaced, or edited, is not taken for removed', () => {
  const world = project();
  world.handle((disk, path) => disk.plant(path, 'Drop nothing\n'));
  world.grow();
  world.pass(5_000);
  world.restart();
  world.pass(5_000);
  expect(world.prompts()).toEqual([expect.stringContaining('but only on the test server')]);
});

it.each([5, -5])('a clock that is set by %i hours neither ends the watch nor prolongs it', (hours) => {
  const world = project();
  world.set(hours * 3_600_000);
  world.pass(50_000);
  expect(world.watched()).toHaveLength(1);
  world.pass(15_000);
  expect(world.watched()).toEqual([]);
});
