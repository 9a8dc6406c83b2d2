import { expect, it } from 'vitest';
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
  return { host, jobs, checks, started, told, look, drop, later };
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
    expect(host.heldTurns).toEqual(['t1', 't2'].map((work) => ({ work, problem })));
    expect([host.running, host.desired, host.idle()]).toEqual([0, 0, 'stuck']);
    later(1_000);
    look();
    expect(started).toHaveLength(2);
  }
  for (const key of started) host.turns.ready(key, launched, null);
  look();
  expect(host.problem).toBeNull();
  for (const turn of host.state.turns.values()) expect(turn).toMatchObject({ failures: 0 });
  expect(told.map(({ subject }) => subject)).toEqual(['This machine cannot start work']);
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
