import { expect, it } from 'vitest';
import { writeSealed } from '../../../src/host/seal.ts';
import { diskError } from '../../../src/disk/disk.ts';
import { MailHost } from '../../../src/mail/host/mail-host.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { idleRunner, mailPorts } from '../../support/mail-ports.ts';
import { exit } from '../../providers/samples.ts';
import { protocolOf } from '../machine/texts.ts';
import type { AgentJob } from '../../../src/host/runner/runner.ts';
import type { Message } from '../../../src/mail/format/message.ts';

const protocol = protocolOf(`
roles: { one: { retries: 2, capabilities: [READ] }, two: { capabilities: [READ] } }
messages: { task: { from: user, to: [one, two] }, ok: { from: [one, two], to: user } }
`);
const timed = protocolOf(`
roles: { one: { capabilities: [READ], timeout: 30s } }
messages: { task: { from: user, to: one }, ok: { from: one, to: user } }
`);
const gated = protocolOf(`
roles: { one: { capabilities: [READ] } }
messages:
  task: { from: user, to: one }
  ok: { from: one, to: user, gates: [{ run: [make], timeout: 1m }] }
`);
const done = '---\ntype: ok\nto: user\n---\nDone.\n';
const rest = { session: null, usage: { usd: 0, tokens: 0 }, model: null, denials: [] };

function project(rules = protocol) {
  let now = Date.UTC(2026, 0, 1);
  const disk = new MemoryDisk(() => now);
  const started: string[] = [];
  const told: Message[] = [];
  const jobs: AgentJob[] = [];
  const checks: string[] = [];
  const start = (job: AgentJob) => {
    started.push(job.key);
    jobs.push(job);
  };
  const ports = mailPorts(disk, {
    runner: { ...idleRunner, start, check: ({ key }) => void checks.push(key) },
    notify: (_role, message) => void told.push(message),
  });
  const host = new MailHost(ports, { protocol: rules, protocolHash: 'one', version: 'test' });
  host.start();
  const look = () => ((now += 50), host.look());
  const drop = (role: string) => disk.plant(`agents/${role}/inbox/task.md`, 'Do it\n');
  const later = (milliseconds: number) => void (now += milliseconds);
  return { disk, host, jobs, checks, started, told, look, drop, later };
}

const launched = { pid: 1, startTime: '1', mark: 'm' };

it.each([
  ['before it began', false],
  ['after it was launched', true],
])('holds a turn that the machine could not start, %s, and counts no attempt', (_when, isLaunched) => {
  const { host, look, drop, started, told, later } = project();
  drop('one');
  drop('two');
  look();
  look();
  for (let again = 0; again < 4; again += 1) {
    for (const key of started.splice(0)) {
      if (isLaunched) host.turns.ready(key, launched, null);
      look();
      host.turns.held(key, 'no room (EAGAIN)');
    }
    look();
    expect(started).toEqual([]);
    expect(host.problem).toBe('work waits until this machine can start it: no room (EAGAIN)');
    const problem = 'work waits until this machine can start it: no room (EAGAIN)';
    expect(host.turns.waits.held).toEqual(['t1', 't2'].map((work) => ({ work, problem })));
    expect([host.running, host.desired, host.idle()]).toEqual([0, 0, 'stuck']);
    later(1_000);
    look();
    expect(started).toHaveLength(2);
  }
  for (const key of started) host.turns.ready(key, launched, null);
  look();
  expect(host.problem).toBeNull();
  for (const turn of host.state.turns.values()) expect(turn).toMatchObject({ failures: 0 });
  expect(told.map(({ subject }) => subject)).toEqual(['This machine holds work up']);
});

it('holds gates that the machine could not start, and corrects no agent for them', () => {
  const { host, jobs, checks, look, drop, later } = project(gated);
  drop('one');
  look();
  look();
  host.turns.ended(jobs[0]?.key ?? '', { is: 'done', text: done, ...rest }, exit());
  for (let again = 0; again < 3; again += 1) {
    look();
    const [key = ''] = checks.splice(0);
    host.turns.held(key, 'no room (EAGAIN)');
    look();
    expect([checks, host.problem]).toEqual([[], expect.stringContaining('no room (EAGAIN)')]);
    later(1_000);
  }
  look();
  host.turns.checked(checks[0] ?? '', { problems: [], conflicts: false, left: null });
  look();
  expect([host.problem, host.state.turns.size, jobs.length]).toEqual([null, 0, 1]);
});

it('the time that a turn waits for the machine is not its own', () => {
  const { host, jobs, look, drop, later } = project(timed);
  drop('one');
  look();
  look();
  for (let again = 0; again < 3; again += 1) {
    host.turns.held(jobs.at(-1)?.key ?? '', 'no room (EAGAIN)');
    later(60_000);
    look();
  }
  expect(jobs).toHaveLength(4);
  for (const { totalMs } of jobs) expect(totalMs).toBeGreaterThan(29_000);
});

/** A turn whose agent has ended while the machine has no descriptor left for this path. */
function unread(path: string) {
  const made = project();
  const { disk, host, jobs, look, drop } = made;
  drop('one');
  look();
  look();
  const [key = ''] = jobs.map((job) => job.key);
  host.turns.ready(key, launched, null);
  look();
  disk.beforeRead = (read) => {
    const cause = Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    if (read.startsWith(path)) throw diskError('read', read, cause);
  };
  host.turns.ended(key, { is: 'done', text: done, ...rest }, exit());
  look();
  return { ...made, key };
}

it.each(['.mailroom/turns/t1/1/outbox', 'agents/one/outbox'])(
  'waits until the machine lets it read what an ended agent left in %s, and counts no attempt',
  (path) => {
    const { disk, host, started, look, later, told } = unread(path);
    for (let again = 0; again < 3; again += 1) {
      expect(host.problem).toContain('too many open files');
      expect(host.turns.waits.held).toEqual([
        { work: 't1', problem: expect.stringMatching(/^work has ended and .*too many open files/) },
      ]);
      expect([host.running, host.desired, host.idle()]).toEqual([1, 0, 'busy']);
      later(1_000);
      look();
    }
    disk.beforeRead = null;
    later(1_000);
    look();
    look();
    expect([host.turns.waits.held, host.running, host.state.turns.size, started.length]).toEqual([
      [],
      0,
      0,
      1,
    ]);
    expect(told.filter(({ type }) => type === 'ok')).toHaveLength(1);
  },
);

it('ends with its host, or with its turn, what waits to be read', () => {
  const stopped = unread('.mailroom/turns/t1/1/outbox').host;
  stopped.stop();
  expect(stopped.running).toBe(0);
  const { host, disk, look, later } = unread('.mailroom/turns/t1/1/outbox');
  disk.beforeRead = null;
  const target = { kind: 'thread', thread: [...host.state.threads.keys()][0] };
  const command = { id: 'c', at: 0, by: 'ada', verb: 'cancel', target, now: true };
  writeSealed(disk, '.mailroom/control/c.json', JSON.stringify(command));
  look();
  later(1_000);
  look();
  expect([host.running, host.turns.waits.held]).toEqual([0, []]);
});

it('a turn whose agent has ended is held while its runner cannot read what it left', () => {
  const { host, jobs, look, drop } = project();
  drop('one');
  look();
  look();
  const [key = ''] = jobs.map((job) => job.key);
  host.turns.ready(key, launched, null);
  host.turns.unread(key, 'no room (EAGAIN)');
  look();
  const problem = 'work has ended and waits until this machine can record it: no room (EAGAIN)';
  expect([host.problem, host.turns.waits.held]).toEqual([problem, [{ work: 't1', problem }]]);
  host.turns.ended(key, { is: 'done', text: done, ...rest }, exit());
  look();
  expect([host.problem, host.turns.waits.held, host.state.turns.size]).toEqual([null, [], 0]);
});
