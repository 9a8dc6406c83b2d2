import fc from '../../support/fast-check.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { explore, type Exploration } from '../../../src/mail/machine/explore/explore.ts';
import { typesFrom, type Protocol } from '../../../src/mail/format/protocol.ts';
import type { Turn } from '../../../src/mail/machine/state.ts';
import { follow, letTimeGoBy, stuckIn } from './follow.ts';
import { answers } from './random-agents.ts';
import { largeProtocol } from './large-protocol.ts';
import { randomProtocol } from './random-protocol.ts';
import { settings } from './settings.ts';
import { Tape } from './tape.ts';
import { World } from './world.ts';

const bounds = { threads: 2, depth: 4, states: 400, moves: Infinity };
const numbers = (count: number) => fc.array(fc.nat({ max: 999 }), { minLength: count, maxLength: count });
const { numRuns, seed } = settings(30);

/** Limits end threads that are not stuck: an exploration looks past them. */
function unlimited(protocol: Protocol): Protocol {
  const none = { usd: null, tokens: null };
  const limits = { ...protocol.limits, turnsPerThread: 10_000, threadBudget: none, dayBudget: none };
  return { ...protocol, limits, concurrency: 100 };
}

/** Protocols of two roles, of which an exploration sees all within its depth, with what it finds. */
const explored: { protocol: Protocol; found: Exploration }[] = [];

beforeAll(() => {
  for (const [, ...tape] of fc.sample(numbers(120), { numRuns, seed })) {
    const protocol = unlimited(randomProtocol(new Tape([0, ...tape])));
    explored.push({ protocol, found: explore(protocol, bounds) });
  }
});

describe('exploring a generated protocol', () => {
  it('reports only what happens to those who follow its message sequence', () => {
    const all = explored.flatMap(({ protocol, found }) =>
      found.stuck.map((stuck) => ({ protocol, ...stuck })),
    );
    expect(all.length).toBeGreaterThan(numRuns / 10);
    const untrue = all.filter(({ protocol, path, why }) => follow(protocol, path, why) === null);
    expect(untrue.map(({ path, why }) => `${path.join('; ')}: ${why}`)).toEqual([]);
  });

  it('reports something wherever random agents get stuck within its bounds', () => {
    // Neither the number of states nor that of findings has ended it: all with so few messages was seen.
    const whole = explored.filter(({ found }) => found.states < bounds.states && found.stuck.length === 0);
    expect(whole.length).toBeGreaterThan(numRuns / 12);
    const missed = whole.flatMap(({ protocol }) =>
      fc
        .sample(numbers(60), { numRuns: 30, seed })
        .flatMap((tape) => stuckIn(wander(protocol, new Tape(tape), bounds.depth)) ?? []),
    );
    expect(missed).toEqual([]);
  });
});

describe('exploring a protocol of 12 roles and 40 types', () => {
  it('ends after its number of moves, with the same result every time', () => {
    const protocol = largeProtocol();
    expect([protocol.roles.size - 1, protocol.types.size]).toEqual([12, 40]);
    const bounded = () => explore(protocol, { threads: 2, depth: 14, states: 50_000, moves: 300 });
    const first = bounded();
    expect(first.complete).toBe(false);
    expect(first.states).toBeGreaterThan(100);
    expect(first.states).toBeLessThanOrEqual(300);
    expect(bounded()).toEqual(first);
  });
});

/** Agents that end their turns at random in the ways that an exploration plays, and people who answer when they like. */
function wander(protocol: Protocol, tape: Tape, messages: number): World {
  const world = new World(protocol, { watched: false });
  while (!tape.ended && sentIn(world) < messages) {
    const turns = [...world.state.turns.values()];
    const starts = world.state.threads.size < bounds.threads ? linesOf(protocol, 'user') : [];
    const asked = [...(world.state.roles.get('user')?.asked ?? [])];
    const choice = tape.below(turns.length + 2);
    const turn = turns[choice];
    if (turn) world.turn(turn.role, ending(world, tape, turn), { in: turn.thread });
    else if (choice === turns.length && starts.length > 0) world.drop(`user ${tape.pick(starts)}`);
    else if (asked.length > 0) answerAs(world, tape.pick(asked));
    else if (turns.length === 0 && world.state.deadlines.size > 0) letTimeGoBy(world);
  }
  return world;
}

function sentIn(world: World): number {
  return world.history.reduce(
    (sum, event) =>
      sum + (event.type === 'accepted' ? 1 : event.type === 'committed' ? event.sent.length : 0),
    0,
  );
}

function answerAs(world: World, id: string): void {
  const mail = world.state.mail.get(id);
  const type = mail?.request?.replies.find((name) => world.protocol.types.get(name)?.from.includes('user'));
  if (mail && type !== undefined) world.drop(`user → ${mail.message.from}: ${type} re ${id}`);
}

/** Answers to all that is owed, or one request; where nothing is owed one message. */
function ending(world: World, tape: Tape, turn: Turn): string[] {
  const owed = answers(world, tape, turn);
  const lines = linesOf(world.protocol, turn.role, turn.mustAnswer);
  const asking = lines.filter((line) => isRequest(world.protocol, line));
  if (owed.length > 0) return asking.length > 0 && tape.oneIn(3) ? [tape.pick(asking)] : owed;
  return lines.length > 0 ? [tape.pick(lines)] : [];
}

function isRequest(protocol: Protocol, line: string): boolean {
  return (protocol.types.get(line.slice(line.lastIndexOf(' ') + 1))?.reply.length ?? 0) > 0;
}

/** What a role may say of itself, each to one of those whom it may go to, or to all. */
function linesOf(protocol: Protocol, role: string, mustAnswer = false): string[] {
  const replies = new Set([...protocol.types.values()].flatMap(({ reply }) => reply));
  return typesFrom(protocol, role)
    .filter(({ name, reply }) => !replies.has(name) && !(mustAnswer && reply.length > 0))
    .flatMap(({ name, to, blocking }) => {
      const others = blocking === 'none' && role !== 'user' ? to : to.filter((other) => other !== role);
      const agents = role === 'user' ? others.filter((other) => other !== 'user') : others;
      const single = agents.map((other) => `→ ${other}: ${name}`);
      return agents.length > 1 && role !== 'user' ? [...single, `→ ${agents.join(', ')}: ${name}`] : single;
    });
}
