import type { Mail, MailState, RoleState } from '../state.ts';

/**
 * An independent copy: what `apply` changes in place is copied, what it only replaces is shared.
 * About twenty times as fast as a deep copy.
 */
export function cloneState(state: MailState): MailState {
  return {
    ...state,
    threads: new Map(
      [...state.threads].map(([id, thread]) => [id, { ...thread, messages: [...thread.messages] }]),
    ),
    mail: new Map([...state.mail].map(([id, mail]) => [id, cloneMail(mail)])),
    turns: new Map(state.turns),
    waits: new Map(state.waits),
    landings: new Map(state.landings),
    branches: new Map(state.branches),
    roles: new Map([...state.roles].map(([name, role]) => [name, cloneRole(role)])),
    unread: new Map(state.unread),
    pendingProjections: new Map(state.pendingProjections),
    deadlines: new Map(state.deadlines),
    dropped: new Map(state.dropped),
    timers: [...state.timers],
    broken: new Map(state.broken),
    possiblyQuiet: new Set(state.possiblyQuiet),
    ended: new Set(state.ended),
    commands: new Set(state.commands),
    paused: { ...state.paused, roles: new Map(state.paused.roles), threads: new Map(state.paused.threads) },
    parked: new Map(state.parked),
    bills: new Map([...state.bills].map(([thread, bills]) => [thread, new Map(bills)])),
  };
}

function cloneMail(mail: Mail): Mail {
  const request = mail.request && { ...mail.request, asks: new Map(mail.request.asks) };
  return { ...mail, deliveries: new Map(mail.deliveries), request };
}

function cloneRole(role: RoleState): RoleState {
  return {
    ...role,
    requests: new Set(role.requests),
    queue: new Set(role.queue),
    inThread: cloneSets(role.inThread),
    fromRole: cloneSets(role.fromRole),
    asked: new Set(role.asked),
    waitsFor: new Map(role.waitsFor),
    blockedBy: cloneSets(role.blockedBy),
    joining: cloneSets(role.joining),
    crossed: new Set(role.crossed),
    answered: new Set(role.answered),
  };
}

function cloneSets(sets: ReadonlyMap<string, ReadonlySet<string>>): Map<string, Set<string>> {
  return new Map([...sets].map(([key, set]) => [key, new Set(set)]));
}
