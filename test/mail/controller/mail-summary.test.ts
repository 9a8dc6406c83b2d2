import { describe, expect, it } from 'vitest';
import { summaryOf } from '../../../src/mail/controller/mail-summary.ts';
import { peers } from '../machine/protocols.ts';
import { World } from '../machine/world.ts';

/** A world in which the first work of a role has failed. */
function failed(): World {
  const world = new World(peers('role'));
  world.drop('user → one: go');
  world.acts();
  world.fail('one', { class: 'NON_RETRYABLE' });
  return world;
}

const rolesThatFailed = ({ state }: World) =>
  summaryOf(state).roles.flatMap(({ name, failed: isFailed }) => (isFailed ? [name] : []));

describe('a role that did not handle the newest of its mail', () => {
  it('has failed until it is tried again, and handles it', () => {
    const world = failed();
    expect(rolesThatFailed(world)).toEqual(['one']);
    expect(world.state.mail.get('go')?.deliveries.get('one')).toMatchObject({ at: 'failed', turn: 't1' });
    const message = world.state.mail.get('go')!.message;
    world.command({ verb: 'retry', message, role: 'one' });
    expect(rolesThatFailed(world)).toEqual([]);
    world.turn('one', ['→ two: note']);
    expect(rolesThatFailed(world)).toEqual([]);
  });

  it('has not where later work succeeded', () => {
    const world = failed();
    world.drop('user → one: go');
    world.turn('one', ['→ two: note']);
    expect(rolesThatFailed(world)).toEqual([]);
  });

  it('has not where a person cancelled it', () => {
    const world = new World(peers('role'));
    world.drop('user → one: go');
    world.acts();
    world.command({ verb: 'cancel', target: { kind: 'turn', turn: 't1' } });
    expect(rolesThatFailed(world)).toEqual([]);
    const given = failed();
    given.command({ verb: 'cancel', target: { kind: 'thread', thread: 'go' } });
    expect(rolesThatFailed(given)).toEqual([]);
  });
});
