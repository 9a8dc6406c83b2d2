import type { Command } from '../../../src/mail/machine/event.ts';
import type { Turn } from '../../../src/mail/machine/state.ts';
import { answerMail, answers, endTurn, writeMail } from './random-agents.ts';
import { randomProtocol } from './random-protocol.ts';
import { Tape } from './tape.ts';
import { World, type WorldOptions } from './world.ts';
import type { Target } from '../../../src/letters/target.ts';

/** Plays whatever the tape says, checking what always holds after every event. */
export function play(numbers: readonly number[], options: WorldOptions & { calm?: boolean } = {}): World {
  const tape = new Tape(numbers);
  const world = new World(randomProtocol(tape, options.calm), options);
  writeMail(world, tape);
  while (!tape.ended) step(world, tape, options.calm ?? false);
  return world;
}

function running(world: World): Turn[] {
  return [...world.state.turns.values()].filter(({ phase }) => phase.is === 'active');
}

function step(world: World, tape: Tape, calm: boolean): void {
  const turns = running(world);
  if (turns.length > 0 && !tape.oneIn(5)) return endTurn(world, tape, tape.pick(turns));
  switch (tape.below(calm ? 3 : 9)) {
    case 0:
      return writeMail(world, tape);
    case 1:
      answerMail(world, tape);
      return;
    case 2:
      return world.tick(tape.pick(['1s', '30s', '5m', '13h']));
    case 3:
      return command(world, tape);
    case 4:
      return meddle(world, tape);
    case 5:
      return vanish(world, tape);
    case 6:
      return letters(world, tape);
    case 7:
      world.record({ type: 'started', version: '1', protocol: tape.pick(['', 'a', 'b']) });
      return world.settle();
    default: {
      const turn = turns[0];
      if (turn) world.record({ type: 'stopped', turn: turn.id, attempt: turn.attempt, round: turn.round });
      world.settle();
    }
  }
}

function target(world: World, tape: Tape): Target {
  const role = tape.pick([...world.protocol.roles.keys()]);
  const thread = tape.pick([...world.state.threads.keys(), 'none']);
  const turn = tape.pick([...world.state.turns.keys(), 't0']);
  return tape.pick<Target>([
    { kind: 'role', role },
    { kind: 'thread', thread },
    { kind: 'turn', turn },
    { kind: 'all' },
  ]);
}

function command(world: World, tape: Tape): void {
  const verb = tape.pick(['unpause', 'pause', 'cancel'] as const);
  const now = tape.oneIn(2);
  const made: Command =
    verb === 'cancel' ? { verb, target: target(world, tape) } : { verb, target: target(world, tape), now };
  world.command(made);
}

/** A person reads something, or takes a file away from an agent. */
function meddle(world: World, tape: Tape): void {
  const copies = [...world.state.mail].flatMap(([message, { deliveries }]) =>
    [...deliveries].map(([recipient, { at }]) => ({ message, recipient, at })),
  );
  const unread = copies.filter(({ at }) => at === 'unread');
  const inbox = copies.filter(({ at }) => at === 'inbox');
  if (unread.length > 0 && tape.oneIn(2)) {
    const { message, recipient } = tape.pick(unread);
    world.record({ type: 'read', message, recipient });
  } else if (inbox.length > 0) {
    const { message, recipient } = tape.pick(inbox);
    world.record({ type: 'withdrawn', message, recipient, notices: [] });
  }
  world.settle();
}

function vanish(world: World, tape: Tape): void {
  const role = tape.pick([...world.protocol.roles.keys()]);
  const gone = world.state.roles.get(role)?.vanished === true;
  world.record(gone ? { type: 'restored', role } : { type: 'vanished', role, notices: [] });
  world.settle();
}

/** A dead letter is tried again. */
function letters(world: World, tape: Tape): void {
  const dead = [...world.state.mail.values()].flatMap(({ message, deliveries }) =>
    [...deliveries].flatMap(([role, { at }]) => (at === 'failed' ? [{ message, role }] : [])),
  );
  if (dead.length > 0) world.command({ verb: 'retry', ...tape.pick(dead) });
}

/** Lets everybody answer what it owes, and nobody ask or say anything else, until nothing happens any more. */
export function finish(world: World): void {
  const tape = new Tape([]);
  world.command({ verb: 'unpause', target: { kind: 'all' }, now: false });
  for (const [role, { vanished }] of world.state.roles)
    if (vanished) world.record({ type: 'restored', role });
  world.settle();
  for (let round = 0; round < 2_000; round += 1) {
    const [turn] = running(world);
    if (turn) world.turn(turn.role, answers(world, tape, turn), { in: turn.thread });
    else if (answerMail(world, tape)) continue;
    else if (world.decision.wake !== null) {
      world.now = Math.max(world.now, world.decision.wake);
      world.settle();
    } else return;
  }
  throw new Error('it never ends');
}
