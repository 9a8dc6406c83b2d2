import { expect, it } from 'vitest';
import { MailHost } from '../../../src/mail/host/mail-host.ts';
import type { AgentJob } from '../../../src/host/runner/runner.ts';
import type { MailEvent } from '../../../src/mail/machine/event.ts';
import { exit } from '../../providers/samples.ts';
import { idleRunner, mailPorts } from '../../support/mail-ports.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { readJournal } from '../../support/read-journal.ts';
import { protocolOf } from '../machine/texts.ts';

const protocol = protocolOf(`
workspace: worktree
roles: { one: { capabilities: [READ] }, two: { capabilities: [READ] } }
messages: { task: { from: user, to: [one, two] }, ok: { from: [one, two], to: user } }
`);
const ok = '---\ntype: ok\nto: user\n---\nDone.\n';
const rest = { session: null, usage: { usd: 0, tokens: 0 }, model: null, denials: [] };

/** A turn of role one runs; what a look costs is counted in names listed, files looked at and changes. */
function project() {
  let now = Date.UTC(2026, 0, 1);
  const disk = new MemoryDisk(() => now);
  const jobs: AgentJob[] = [];
  const stopped: string[] = [];
  const runner = {
    ...idleRunner,
    start: (job: AgentJob) => void jobs.push(job),
    stop: (key: string) => void stopped.push(key),
  };
  const ports = mailPorts(disk, { runner });
  const open = () => {
    const opened = new MailHost(ports, { protocol, protocolHash: 'one', version: 'test' });
    opened.start();
    return opened;
  };
  let host = open();
  let reads = 0;
  disk.beforeRead = () => void (reads += 1);
  const costOf = (act: () => void): number => {
    const before = disk.listed + disk.operations + reads;
    act();
    return disk.listed + disk.operations + reads - before;
  };
  const look = (): number => ((now += 50), costOf(() => void host.look()));
  const looks = (count: number) => Math.max(...Array.from({ length: count }, look));
  disk.plant('agents/one/inbox/task.md', 'Do it\n');
  looks(3);
  const [job] = jobs;
  host.turns.ready(job!.key, launched, null);
  looks(1);
  const { paths, thread } = job!.invocation;
  const staging = paths.outbox.slice(disk.root.length + 1);
  const end = () => {
    const cost = costOf(() => host.turns.ended(job!.key, { is: 'done', text: 'done it', ...rest }, exit()));
    return cost + looks(2);
  };
  const events = (type: string) =>
    readJournal<MailEvent>(disk).records.flatMap(({ event }) => (event.type === type ? [event] : []));
  const restart = () => {
    disk.crash();
    return costOf(() => void (host = open()));
  };
  const turns = () => [...host.state.turns.keys()];
  return { disk, jobs, turns, staging, thread, look, looks, end, events, restart };
}

const launched = { pid: 1, startTime: '1', mark: 'm' };

type World = ReturnType<typeof project>;

const many =
  (folder: string, name: (index: number) => string, text = ok) =>
  (world: World, count: number) => {
    for (let index = 0; index < count; index += 1) world.disk.plant(`${folder}/${name(index)}`, text);
  };
const deep = (folder: string) => (world: World, count: number) =>
  world.disk.plant(`${folder}/${'d/'.repeat(Math.min(count, 2_000))}x.md`, ok);
const own = 'agents/one/outbox';
const staged = (name: (index: number) => string) => (world: World, count: number) =>
  many(world.staging, name)(world, count);
const checkedOut = (folder: string, name: (index: number) => string) => (world: World, count: number) =>
  many(`.mailroom/worktrees/${world.thread}/${folder}`, name)(world, count);

const floods: Readonly<Record<string, (world: World, count: number) => void>> = {
  'mail in its outbox': many(own, (index) => `${index}.md`),
  'mail of one name in its outbox and its staging folder': (world, count) => {
    staged((index) => (index === 0 ? 'x.md' : `x-${index + 1}.md`))(world, count);
    world.disk.plant(`${own}/x.md`, ok);
  },
  'other files in its outbox': many(own, (index) => `${index}.txt`),
  'hidden files in its outbox': many(own, (index) => `.${index}.md`),
  'folders in its outbox': many(own, (index) => `${index}/x.md`),
  'incomplete mail in its outbox': many(own, (index) => `${index}.md`, '---\ntype: ok\n'),
  'a deep tree in its outbox': deep(own),
  'long names in its outbox': many(own, (index) => `${String(index).padStart(250, 'n')}.md`),
  'mail in its staging folder': staged((index) => `${index}.md`),
  'other files in its staging folder': staged((index) => `${index}.txt`),
  'hidden files in its staging folder': staged((index) => `.${index}`),
  'folders in its staging folder': staged((index) => `${index}.md/x.md`),
  'a deep tree in its staging folder': (world, count) => deep(world.staging)(world, count),
  'mail in the outbox of its checkout': checkedOut('agents/two/outbox', (index) => `${index}.md`),
  'other files in an inbox of its checkout': checkedOut('agents/two/inbox', (index) => `${index}.txt`),
  'roles in its checkout': checkedOut('agents', (index) => `r${index}/inbox/x.md`),
  'mail in its inbox': many('agents/one/inbox', (index) => `${index}.md`, 'Do it\n'),
  'other files in its inbox': many('agents/one/inbox', (index) => `${index}.txt`),
  'incomplete mail in its inbox': many('agents/one/inbox', (index) => `${index}.md`, '---\n'),
  'mail in the outbox of another role': many('agents/two/outbox', (index) => `${index}.md`),
  'other files in the outbox of another role': many('agents/two/outbox', (index) => `${index}.txt`),
  'mail of mine': many('agents/user/outbox', (index) => `${index}.md`, '---\nto: one\n---\nDo it\n'),
};

/** More than what is listed of an inbox; the number itself must not matter. */
const flood = 12_000;

it.each(Object.keys(floods))('%s cost a look no more than their limit, and hold up no other role', (what) => {
  const costs = [flood, 2 * flood].map((count) => {
    const world = project();
    floods[what]!(world, count);
    world.disk.plant('agents/two/inbox/task.md', 'Do it\n');
    const cost = world.looks(3);
    expect(world.jobs.map(({ invocation }) => invocation.role)).toContain('two');
    return Math.max(cost, world.end());
  });
  expect(costs[0]).toBeLessThan(40_000);
  expect(costs[1]).toBeLessThan(1.3 * costs[0]! + 500);
});

it('corrects a turn whose outbox holds too much, and keeps that whole where it says', () => {
  const world = project();
  floods['mail in its outbox']!(world, flood);
  world.looks(5);
  expect(world.disk.list(own)).toHaveLength(flood);
  world.end();
  const place = '.mailroom/turns/t1/1/outbox-of-one';
  expect(world.events('returned')).toMatchObject([
    {
      result: {
        violations: [
          `agents/one/outbox held more than 1000 files, the most that one turn may hand over: they lie unread in ${place}`,
        ],
      },
    },
  ]);
  expect([world.disk.list(place)?.length, world.disk.list(own)?.length]).toEqual([flood, 0]);
  expect(world.jobs.at(-1)?.invocation).toMatchObject({ role: 'one', turn: 't1', round: 1 });
});

it('sets aside what a turn left in its outbox that a crash ended, and notifies a person', () => {
  const world = project();
  floods['mail in its outbox']!(world, flood);
  expect(world.restart()).toBeLessThan(5_000);
  const place = '.mailroom/turns/t1/1/outbox-of-one';
  expect([world.disk.list(place)?.length, world.disk.list(own)?.length]).toEqual([flood, 0]);
  world.looks(2);
  const [notice] = world.disk.list('agents/user/inbox') ?? [];
  expect(world.disk.read(`agents/user/inbox/${notice}`, 10_000)?.toString()).toContain(`unread in ${place}`);
  expect(world.events('refused')).toEqual([]);
});

it('loses none of it in a crash at any moment', () => {
  let crashes = 0;
  for (let until = 1; ; until += 1) {
    const world = project();
    floods['other files in its outbox']!(world, 1_001);
    floods['mail in its staging folder']!(world, 1_001);
    let left = until;
    world.disk.before = () => {
      left -= 1;
      if (left === 0) throw new Error('crash');
    };
    let isOver = true;
    try {
      world.end();
    } catch {
      isOver = false;
      crashes += 1;
    }
    world.disk.before = null;
    if (!isOver) world.restart();
    const attempt = '.mailroom/turns/t1/1';
    const folders = [own, world.staging, `${attempt}/outbox-of-one`, `${attempt}/outbox-earlier`];
    const files = folders.flatMap((folder) => world.disk.list(folder) ?? []);
    expect(new Set(files).size, `crashed at operation ${String(until)}`).toBe(2_002);
    expect(world.turns()).toEqual(['t1']);
    if (isOver) break;
  }
  expect(crashes).toBeGreaterThan(5);
});

it('hands over a thousand files of an outbox, and gives each the name that it has then', () => {
  const world = project();
  floods['mail in its outbox']!(world, 500);
  world.disk.plant(`${world.staging}/7.md`, ok);
  world.looks(3);
  floods['mail in its outbox']!(world, 499);
  world.end();
  const [returned] = world.events('returned');
  expect(returned).toMatchObject({ result: { violations: [], staged: { length: 1_000 } } });
});
