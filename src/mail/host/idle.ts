import { askState } from '../machine/fold/asks.ts';
import { freeProvider } from '../machine/rules/fallback.ts';
import { isHuman, type Protocol } from '../format/protocol.ts';
import type { MailState } from '../machine/state.ts';
import type { Idle } from '../../host/idle.ts';

/** Whether only a person can still move the mail. Does not consider running processes. */
export function idleOf(state: MailState, protocol: Protocol, now: number): Idle {
  if (state.turns.size > 0 || state.pendingProjections.size > 0) return restOf(state);
  if (parkedMail(state, protocol, now)) return 'busy';
  const asks = [...state.waits.values()].flatMap((wait) => wait.requests);
  const people = asks.filter((request) => asksPerson(state, protocol, request));
  if ([...state.deadlines.keys()].some((request) => !asksPerson(state, protocol, request))) return 'busy';
  if (people.length > 0) return 'waiting_for_user';
  const waiting = [...state.roles.values()].some(({ queue, requests }) => queue.size + requests.size > 0);
  return waiting || state.waits.size > 0 ? 'stuck' : 'done';
}

/** Whether open turns wait for something that only a person does. */
function restOf(state: MailState): Idle {
  const turns = [...state.turns.values()];
  if (held(state))
    return turns.some(({ conflict }) => conflict?.waits === true) ? 'waiting_for_user' : 'stuck';
  const landings = turns.map(({ id }) => state.landings.get(id));
  const waits = landings.every(
    (landing) => landing !== undefined && (landing.phase.is === 'asked' || landing.blocked !== null),
  );
  return waits && state.pendingProjections.size === 0 ? 'waiting_for_user' : 'busy';
}

/** Every open turn waits until a person unpauses it, resolves a conflict, or restores an inbox. */
function held({ turns, roles, paused, pendingProjections }: MailState): boolean {
  return (
    pendingProjections.size === 0 &&
    [...turns.values()].every(
      ({ role, thread, conflict }) =>
        conflict?.waits === true ||
        paused.all !== null ||
        paused.roles.has(role) ||
        paused.threads.has(thread) ||
        roles.get(role)?.vanished === true,
    )
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
