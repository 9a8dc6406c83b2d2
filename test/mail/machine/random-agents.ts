import {
  hasQuestion,
  question,
  typeNamed,
  typesFrom,
  type MessageType,
} from '../../../src/mail/format/protocol.ts';
import type { Turn } from '../../../src/mail/machine/state.ts';
import type { Tape } from './tape.ts';
import type { World } from './world.ts';

function isReply(world: World, name: string): boolean {
  return [...world.protocol.types.values()].some(({ reply }) => reply.includes(name));
}

/** A message line of a type to some of those that it may go to, its sender left out. */
function line(tape: Tape, type: MessageType, self: string): string[] {
  const others = type.to.filter((name) => name !== self);
  if (others.length === 0) return [];
  const to = tape.oneIn(4) ? others : [tape.pick(others)];
  return [`→ ${to.join(', ')}: ${type.name}`];
}

/** The answers to everything that a turn owes, each request once. */
export function answers(world: World, tape: Tape, turn: Turn): string[] {
  const open = turn.owes.filter(
    ({ request, recipient }) => world.state.mail.get(request)?.request?.asks.get(recipient)?.is === 'open',
  );
  return [...new Set(open.map(({ request }) => request))].map((id) => {
    const mail = world.state.mail.get(id)!;
    return `→ ${mail.message.from}: ${tape.pick(mail.request!.replies)} re ${id}`;
  });
}

/** Ends a running turn as an agent might: mostly right, sometimes not. */
export function endTurn(world: World, tape: Tape, turn: Turn): void {
  const { role, thread } = turn;
  const at = { in: thread };
  const usage = tape.oneIn(3) ? { usd: null, tokens: null } : { usd: 0.5, tokens: 1 };
  if (tape.oneIn(12)) {
    const errorClass = tape.pick(['NON_RETRYABLE', 'RETRYABLE_RATE_LIMIT', 'FATAL'] as const);
    return world.fail(role, { ...at, usage, class: errorClass, until: world.now + 1000 });
  }
  if (tape.oneIn(10)) return world.fail(role, { ...at, usage });
  if (tape.oneIn(10)) return world.asks(role, ['npm install'], { ...at, usage });
  if (tape.oneIn(12)) return world.turn(role, ['→ nobody: nonsense'], { ...at, usage });
  const types = typesFrom(world.protocol, role).filter(({ name }) => !isReply(world, name));
  const senders = turn.messages.flatMap((id) => world.state.mail.get(id)?.message.from ?? []);
  const builtIn =
    hasQuestion(world.protocol) && senders.length > 0 ? [{ ...question, to: [senders[0]!] }] : [];
  const requests = [...types.filter(({ reply }) => reply.length > 0), ...builtIn];
  const rest = types.filter(({ reply }) => reply.length === 0);
  const owed = answers(world, tape, turn);
  const messages: string[] = [];
  if (requests.length > 0 && !turn.mustAnswer && tape.oneIn(2))
    for (let count = 0; count < 1 + tape.below(2); count += 1)
      messages.push(...line(tape, tape.pick(requests), role));
  if (messages.length === 0 || tape.oneIn(4)) messages.push(...owed);
  if (rest.length > 0 && tape.oneIn(3)) messages.push(...line(tape, tape.pick(rest), role));
  if (owed.length > 0 && tape.oneIn(15)) {
    const [finalText] = rest.length > 0 && tape.oneIn(2) ? line(tape, tape.pick(rest), role) : [];
    return world.turn(role, [], {
      ...at,
      usage,
      ...(finalText !== undefined && { finalText, text: 'Words' }),
    });
  }
  world.turn(role, messages, { ...at, usage });
}

/** A person writes something new, or into a thread that is there; or a run wants a step to be done. */
export function writeMail(world: World, tape: Tape): void {
  const roles = [...world.protocol.roles.keys()].filter((name) => name !== 'user');
  if (roles.length > 0 && tape.oneIn(5)) {
    world.step(tape.pick(roles), tape.oneIn(3) ? 600_000 : null);
    return;
  }
  const types = typesFrom(world.protocol, 'user').filter(({ name }) => !isReply(world, name));
  const type = tape.pick(types);
  const [message] = line(tape, type, 'user');
  const threads = [...world.state.threads.keys()];
  const where = threads.length > 0 && tape.oneIn(2) ? ` in ${tape.pick(threads)}` : '';
  if (message) world.drop(`user ${message}${where}`);
}

/** A person answers something that it was asked. False when there is nothing. */
export function answerMail(world: World, tape: Tape): boolean {
  const asking = [...world.state.turns.values()].filter(
    ({ phase }) => phase.is === 'asking' && phase.answer === null,
  );
  if (asking.length > 0) {
    const { id: turn } = tape.pick(asking);
    const verb = tape.oneIn(3) ? 'reject' : 'approve';
    world.command({ verb, target: { kind: 'turn', turn }, comment: null });
    return true;
  }
  const open = [...(world.state.roles.get('user')?.asked ?? [])];
  if (open.length === 0) return false;
  const id = tape.pick(open);
  const mail = world.state.mail.get(id)!;
  const type = mail.request!.replies.find((name) => {
    const known = typeNamed(world.protocol, name);
    return known !== undefined && (known.from.length === 0 || known.from.includes('user'));
  });
  if (type === undefined) return false;
  world.drop(`user → ${mail.message.from}: ${type} re ${id}`);
  return true;
}
