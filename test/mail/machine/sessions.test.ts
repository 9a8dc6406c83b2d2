import { describe, expect, it } from 'vitest';
import { team } from './protocols.ts';
import { World } from './world.ts';

/** The engineer is at a design. */
function designed(): World {
  const world = new World(team);
  world.drop('user → architect: task');
  world.turn('architect', ['→ engineer: design']);
  return world;
}

describe('a turn in a conversation', () => {
  it('leaves its session to the next turn of its role in the thread', () => {
    const world = designed();
    const session = { id: 's', usd: 1, tokens: 2 };
    world.turn('engineer', ['→ qa: review-request'], { session });
    expect(world.state.threads.get('task')?.sessions).toEqual({
      engineer: { ...session, provider: 'agent' },
    });
  });

  it('counts what a failed attempt has added to its session, and no other session', () => {
    const world = designed();
    const sessions = { engineer: { id: 's', usd: 1, tokens: 2, provider: 'agent' } };
    world.state.threads.set('task', { ...world.state.threads.get('task')!, sessions });
    const failed = {
      class: 'RETRYABLE_RATE_LIMIT',
      until: world.state.now + 1,
      usage: { usd: 3, tokens: 4 },
    } as const;
    const reason = { code: 'E_PROVIDER', text: 'usage limit' } as const;
    const at = { turn: 't2', attempt: 1, round: 0 };
    world.record({
      type: 'attempt-failed',
      ...at,
      ...failed,
      reason,
      session: { id: 's', usd: 4, tokens: 6 },
    });
    const kept = { engineer: { id: 's', usd: 4, tokens: 6, provider: 'agent' } };
    expect(world.state.threads.get('task')?.sessions).toEqual(kept);
    world.tick('1m');
    const other = { id: 'other', usd: 9, tokens: 9 };
    world.record({ type: 'attempt-failed', ...at, attempt: 2, ...failed, reason, session: other });
    expect(world.state.threads.get('task')?.sessions).toEqual(kept);
  });
});
