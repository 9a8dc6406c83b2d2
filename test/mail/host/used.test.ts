import { writeSealed } from '../../../src/host/seal.ts';
import { expect, it } from 'vitest';
import type { TurnLaunch } from '../../../src/kernel/launched.ts';
import { MailHost } from '../../../src/mail/host/mail-host.ts';
import { builtInProviders } from '../../../src/providers/index.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { idleRunner, mailPorts } from '../../support/mail-ports.ts';
import { environment, fixture } from '../../providers/samples.ts';
import { protocolOf } from '../machine/texts.ts';

/* What an agent has used when its turn is stopped: its budget is 2 dollars. */

const protocol = protocolOf(`
roles: { one: { provider: claude, budget: { usd: 2 } } }
messages: { task: { from: user, to: one }, done: { from: one, to: user } }
`);
const reported = fixture('claude', 'edit-outbox')
  .stdout.split('\n')
  .filter((line) => !line.includes('"type":"result"'))
  .join('\n');

const here = { pid: 4242, startTime: 'then', mark: 'mailroom-test' };

/** A turn whose agent has printed this; `launch` null: it was not started. */
function working(stdout: string | null, launch: TurnLaunch | null = here) {
  let now = Date.UTC(2026, 0, 1);
  const disk = new MemoryDisk(() => now);
  const jobs: string[] = [];
  const runner = { ...idleRunner, start: ({ key }: { readonly key: string }) => void jobs.push(key) };
  const ports = mailPorts(disk, { runner, providers: builtInProviders(environment) });
  const host = new MailHost(ports, { protocol, protocolHash: 'one', version: 'test' });
  host.start();
  disk.plant('agents/one/inbox/task.md', 'Work.\n');
  for (host.look(); jobs.length === 0; host.look()) now += 50;
  if (launch !== null) {
    host.turns.ready(jobs[0] ?? '', launch, null);
    host.look();
  }
  if (stdout !== null) disk.write('.mailroom/turns/t1/1/stdout', stdout);
  const command = (verb: string, more: object) => {
    const letter = { id: 'c', at: now, by: 'ada', verb, now: false, ...more };
    writeSealed(disk, '.mailroom/control/c.json', JSON.stringify(letter));
    host.look();
  };
  return { host, command };
}

type Working = ReturnType<typeof working>;
const ends: Readonly<Record<string, (turn: Working) => void>> = {
  'its host stops': ({ host }) => host.stop(),
  'it is paused now': ({ command }) => command('pause', { target: { kind: 'all' }, now: true }),
  'its role is paused now': ({ command }) =>
    command('pause', { target: { kind: 'role', role: 'one' }, now: true }),
  'it is cancelled': ({ command }) => command('cancel', { target: { kind: 'turn', turn: 't1' } }),
  'its thread is cancelled': ({ command, host }) => {
    const thread = host.state.turns.get('t1')?.thread;
    command('cancel', { target: { kind: 'thread', thread } });
  },
};

const costOf = ({ host }: Working) => host.state.spent.cost;

it.each(Object.keys(ends))('counts what an agent had reported when %s', (how) => {
  const turn = working(reported);
  ends[how]!(turn);
  expect(turn.host.state.turns.get('t1')?.phase.is).not.toBe('active');
  expect(costOf(turn)).toEqual({ usd: 0.0075, tokens: 2100, unpriced: 1 });
  expect(turn.host.state.roles.get('one')?.cost).toEqual(costOf(turn));
  const bills = [...turn.host.state.bills.values()].flatMap((each) => [...each.values()]);
  expect(bills).toMatchObject([{ provider: 'claude', launches: 1, cost: costOf(turn) }]);
});

it.each(Object.keys(ends))('counts its reservation if it had reported nothing when %s', (how) => {
  const turn = working('Hello.\n');
  ends[how]!(turn);
  expect(costOf(turn)).toEqual({ usd: 2, tokens: 0, unpriced: 1 });
});

it('counts nothing for an agent that was not started', () => {
  const turn = working(null, null);
  turn.host.stop();
  expect(costOf(turn)).toEqual({ usd: 0, tokens: 0, unpriced: 0 });
});

it('counts its reservation if it was handed to workers: whether one began it is not always known', () => {
  const turn = working(null, { job: 'one.t1.1.0', nonce: 'n' });
  ends['it is cancelled']!(turn);
  expect(costOf(turn)).toEqual({ usd: 2, tokens: 0, unpriced: 1 });
});

it('leaves alone a turn that a command does not stop', () => {
  const turn = working(reported);
  turn.command('pause', { target: { kind: 'role', role: 'user' }, now: true });
  turn.command('pause', { target: { kind: 'all' }, now: false });
  expect(turn.host.state.turns.get('t1')).toMatchObject({ reserved: true, phase: { is: 'active' } });
  expect(costOf(turn)).toEqual({ usd: 0, tokens: 0, unpriced: 0 });
});
