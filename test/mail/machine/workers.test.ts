import { describe, expect, it } from 'vitest';
import type { SeenWorker } from '../../../src/letters/seen-workers.ts';
import { MailExplainer } from '../../../src/mail/machine/explain/explain.ts';
import { World } from './world.ts';

const remote = `
workspace: { worktree: role }
roles:
  engineer: { provider: claude, capabilities: [READ, EDIT], on: { labels: [gpu] } }
messages:
  task: { from: [user], to: [engineer] }
  delivered: { from: [engineer], to: [user], closes: true }
`;

const worker = { host: 'builder', id: 'w1', login: 'team' };
const at = { turn: 't1', attempt: 1, round: 0 };

function seen(change: Partial<SeenWorker> = {}): SeenWorker {
  const is = {
    ...worker,
    version: '1',
    roles: ['engineer'],
    steps: [],
    labels: ['gpu'],
    slots: 1,
    running: [],
    parked: [],
  };
  const times = { since: '2026-11-25T10:00:00.000Z', lastSeen: '2026-11-25T11:00:00.000Z' };
  return { ...is, ...times, state: 'active', ...change };
}

/** A turn that was handed to the queue. */
function queued(protocol = remote): World {
  const world = new World(protocol);
  world.drop('user → engineer: task');
  const process = { job: 'th.t1.1.0.x', nonce: 'n' };
  world.record({ type: 'launched', ...at, process, tree: null, entered: 'c0' });
  return world;
}

function why({ state, protocol, now }: World, workers: readonly SeenWorker[] | null) {
  const { code, reason, cause, act } = new MailExplainer(state, protocol, now, undefined, workers).role(
    'engineer',
  );
  return { said: `${code}: ${reason}`, cause, act };
}

describe('why a turn in the queue waits', () => {
  it('names what it lacks, as far as the workers are known', () => {
    const world = queued();
    const waits = (workers: readonly SeenWorker[] | null) => why(world, workers).said;
    expect(waits(null)).toBe(
      'waiting_for_worker: turn t1 of engineer waits for a worker with the labels gpu',
    );
    expect(waits([seen()])).toBe(waits(null));
    const none = 'waiting_for_worker: no worker with the labels gpu takes turns of engineer';
    for (const other of [{ roles: ['qa'] }, { labels: ['linux'] }, { state: 'silent' } as const])
      expect(waits([seen(other)])).toBe(none);
    expect(why(world, [])).toMatchObject({
      said: none,
      act: { do: 'work', role: 'engineer', labels: ['gpu'] },
      cause: { record: 't1' },
    });
    expect(waits([seen({ running: ['t9/1/0'] })])).toBe(
      'waiting_for_worker: the workers with the labels gpu of engineer have no free slot of 1',
    );
    expect(why(world, [seen({ state: 'paused' })])).toMatchObject({
      said: 'waiting_for_worker: the worker on builder is paused, and takes no turns of engineer',
      act: { do: 'unpause-worker', host: 'builder' },
    });
    expect(why(world, [seen({ state: 'draining' })]).act).toBeNull();
    const until = new Date(world.now + 60_000).toISOString();
    const limited = seen({ parked: [{ provider: 'claude', until }] });
    expect(
      new MailExplainer(world.state, world.protocol, world.now, undefined, [limited]).role('engineer'),
    ).toMatchObject({
      code: 'usage_limit',
      reason: 'claude is rate limited for all logins of these workers with the labels gpu',
      until: world.now + 60_000,
    });
    expect(waits([limited, seen({ id: 'w2' })])).toBe(waits(null));
    expect(waits([seen({ parked: [{ provider: 'codex', until }] })])).toBe(waits(null));
    // One that can take it is enough.
    expect(waits([seen({ state: 'paused' }), seen({ id: 'w2' })])).toBe(waits(null));
  });

  it('names the worker that has it, and since when that one is silent', () => {
    const world = queued();
    world.record({ type: 'assigned', ...at, worker });
    expect(why(world, [seen()]).said).toBe('running: engineer works in turn t1 on builder');
    expect(why(world, null).said).toBe('running: engineer works in turn t1 on builder');
    expect(why(world, [seen({ state: 'silent' })])).toMatchObject({
      said: 'worker_silent: turn t1 of engineer is with the worker on builder, which is silent: after the lease it starts again',
      cause: { record: 't1', at: Date.parse('2026-11-25T11:00:00.000Z') },
    });
    // Put back.
    world.record({ type: 'assigned', ...at, worker: null });
    expect(why(world, null).said).toContain('waiting_for_worker');
  });
});

describe('the host of a turn', () => {
  it('is that of its bill and of what it sends, and not of the next attempt', () => {
    const world = queued();
    world.record({ type: 'assigned', ...at, worker });
    world.fail('engineer');
    const [bill] = [...world.state.bills.values()].flatMap((bills) => [...bills.values()]);
    expect(bill).toMatchObject({ role: 'engineer', host: 'builder' });
    expect(world.state.turns.get('t1')).toMatchObject({ host: 'builder' });
    world.tick('2m');
    expect(world.state.turns.get('t1')).toMatchObject({ attempt: 2, host: null });
    const second = { ...at, attempt: 2 };
    world.record({ type: 'assigned', ...second, worker: { ...worker, host: 'other' } });
    world.turn('engineer', ['→ user: delivered']);
    world.checks('engineer', [], 'c1');
    const [sent] = [...world.state.mail.values()].filter(({ message }) => message.type === 'delivered');
    expect(sent).toMatchObject({ turn: 't1', host: 'other' });
  });
});

describe('a usage limit on a worker', () => {
  const hit = (world: World) => {
    world.record({ type: 'assigned', ...at, worker });
    world.fail('engineer', { class: 'RETRYABLE_RATE_LIMIT' });
  };

  it('is that of its login: the turn starts again for another one, uncounted', () => {
    const world = queued();
    hit(world);
    expect(world.state.parked.size).toBe(0);
    expect(world.state.turns.get('t1')).toMatchObject({ attempt: 2, failures: 0, phase: { is: 'active' } });
  });

  it('lets a role with a fallback change to that', () => {
    const world = queued(remote.replace('provider: claude,', 'provider: claude, fallback: [codex],'));
    hit(world);
    expect([...world.state.parked.keys()]).toEqual(['claude']);
    expect(world.state.turns.get('t1')).toMatchObject({ attempt: 2, provider: 'codex' });
  });
});
