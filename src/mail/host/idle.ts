import { askState } from '../machine/fold/asks.ts';
import { freeProvider } from '../machine/rules/fallback.ts';
import { pausedThread, Slots } from '../machine/rules/slots.ts';
import { isHuman, type Protocol } from '../format/protocol.ts';
import type { MailState, Turn } from '../machine/state.ts';
import type { Idle } from '../../host/idle.ts';
import type { MailEvent } from '../machine/event.ts';
import type { ThreadId } from '../../kernel/ids.ts';

/** The threads in which an event moves something to `failed`. */
export function failedThreads(event: MailEvent): readonly ThreadId[] {
  const isFailure =
    event.type === 'abandoned' || event.type === 'failed-back' || event.type === 'thread-failed';
  return isFailure ? event.notices.map(({ thread }) => thread) : [];
}

/** Whether only a person can still move the mail. Does not consider running processes. */
export function idleOf(state: MailState, protocol: Protocol, now: number): Idle {
  if (state.turns.size > 0 || state.pendingProjections.size > 0) return restOf(state, protocol, now);
  if (parkedMail(state, protocol, now)) return 'busy';
  const asks = [...state.waits.values()].flatMap((wait) => wait.requests);
  const people = asks.filter((request) => asksPerson(state, protocol, request));
  if ([...state.deadlines.keys()].some((request) => !asksPerson(state, protocol, request))) return 'busy';
  if (people.length > 0) return 'waiting_for_user';
  const waiting = [...state.roles.values()].some(({ queue, requests }) => queue.size + requests.size > 0);
  return waiting || state.waits.size > 0 ? 'stuck' : 'done';
}

/** Whether every open turn waits for what only a person does, or for tomorrow's budget. */
function restOf(state: MailState, protocol: Protocol, now: number): Idle {
  const slots = new Slots(state, protocol, now);
  const isTomorrows = ({ phase, budget }: Turn) =>
    (phase.is === 'pending' || phase.is === 'returned') && slots.dayOver(budget) !== null;
  const turns = [...state.turns.values()];
  const asking = turns.filter((turn) => asksUser(state, turn));
  const isMoving = turns.some((turn) => !asking.includes(turn) && !isHeld(state, turn) && !isTomorrows(turn));
  if (isMoving || state.pendingProjections.size > 0) return 'busy';
  return asking.length > 0 ? 'waiting_for_user' : 'stuck';
}

/**
 * Whether a person must first decide about its calls, resolve its conflict, approve its landing or
 * unblock its branch.
 */
function asksUser({ landings }: MailState, { id, conflict, phase }: Turn): boolean {
  if (conflict?.waits === true) return true;
  if (phase.is === 'asking') return phase.answer === null;
  const own = landings.get(id);
  if (own === undefined) return false;
  // Those behind a blocked landing wait for it.
  const queue = [...landings.values()].filter(({ lands }) => lands.branch === own.lands.branch);
  return own.phase.is === 'asked' || queue.some(({ blocked }) => blocked !== null);
}

/** Whether a turn waits until a person unpauses it, or restores an inbox. */
function isHeld(state: MailState, { role, thread }: Turn): boolean {
  const { roles, paused } = state;
  return (
    paused.all !== null ||
    paused.roles.has(role) ||
    pausedThread(state, thread) !== null ||
    roles.get(role)?.vanished === true
  );
}

function asksPerson(state: MailState, protocol: Protocol, request: string): boolean {
  return [...(state.mail.get(request)?.request?.asks.keys() ?? [])].some((recipient) => {
    const ask = askState(state, { request, recipient });
    return ask?.is === 'open' && ask.candidates.some((candidate) => isHuman(protocol, candidate));
  });
}

/** Mail, mostly answers, that continues automatically once its provider is available again. */
function parkedMail(state: MailState, protocol: Protocol, now: number): boolean {
  return [...protocol.roles.values()].some((each) => {
    const role = state.roles.get(each.name);
    if (!role || freeProvider(state, each, now) !== null) return false;
    return role.queue.size + role.requests.size + role.answered.size > 0;
  });
}
