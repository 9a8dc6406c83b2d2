import type { Message } from '../../../src/mail/format/message.ts';
import type { Delivery, MailState, RoleState } from '../../../src/mail/machine/state.ts';

/**
 * Every copy is in exactly one place, every list and count in the state says the same as the copies themselves, and
 * nothing is known of what is not there. `copies`: all that were ever sent; null where that is not known.
 */
export function checkPlaces(
  state: MailState,
  copies: Iterable<{ message: Message; role: string }> | null,
): string[] {
  return [...lost(state, copies ?? []), ...misplaced(state), ...miscounted(state), ...dangling(state)];
}

/** Copies that are nowhere: their thread is known, and they are not. */
function lost(state: MailState, copies: Iterable<{ message: Message; role: string }>): string[] {
  const problems: string[] = [];
  for (const { message, role } of copies) {
    const known = state.mail.get(message.id);
    if (known ? !known.deliveries.has(role) : state.threads.has(message.thread))
      problems.push(`${message.id} for ${role} is lost`);
  }
  return problems;
}

function* deliveries(state: MailState): Generator<{ id: string; role: string; delivery: Delivery }> {
  for (const [id, mail] of state.mail)
    for (const [role, delivery] of mail.deliveries) yield { id, role, delivery };
}

/** Each copy's place agrees with the turn, the wait or the queue that it should be in. */
function misplaced(state: MailState): string[] {
  const problems: string[] = [];
  for (const { id, role, delivery } of deliveries(state)) {
    const copy = `${id} for ${role} is ${delivery.at}`;
    const { queue, requests } = state.roles.get(role) ?? { queue: new Set(), requests: new Set() };
    const queued = Number(queue.has(id)) + Number(requests.has(id));
    const mail = state.mail.get(id)!;
    const withWait = mail.wait !== null && state.waits.get(mail.wait)?.role === role;
    const wanted = delivery.at === 'inbox' && !withWait ? 1 : 0;
    if (queued !== wanted) problems.push(`${copy}, and in ${String(queued)} queues`);
    if (requests.has(id) && !mail.request) problems.push(`${copy} among requests, and asks for nothing`);
    if (state.unread.has(`${id} ${role}`) !== (delivery.at === 'unread'))
      problems.push(`${copy}, but unread is not`);
    const claimed = delivery.at === 'claimed' ? state.turns.get(delivery.turn) : undefined;
    if (delivery.at === 'claimed' && (claimed?.role !== role || !claimed.messages.includes(id)))
      problems.push(`${copy} by ${delivery.turn}, which is not at it`);
  }
  for (const { id, role, messages } of state.turns.values())
    for (const message of messages) {
      const delivery = state.mail.get(message)?.deliveries.get(role);
      if (delivery?.at !== 'claimed' || delivery.turn !== id)
        problems.push(`${id} has taken up ${message}, which is ${delivery?.at ?? 'nowhere'}`);
    }
  return problems;
}

/** What the lists of roles and threads should be, counted again from the copies, the waits and the asks. */
function miscounted(state: MailState): string[] {
  const problems: string[] = [];
  for (const [name, role] of state.roles) {
    const wanted = JSON.stringify(recounted(state, name));
    const found = JSON.stringify(listsOf(role));
    if (wanted !== found) problems.push(`${name} has ${found}, not ${wanted}`);
  }
  for (const thread of state.threads.values()) {
    const running =
      [...state.turns.values()].filter((turn) => turn.thread === thread.id).length +
      [...state.waits.values()].filter((wait) => wait.thread === thread.id).length;
    const waiting = [...state.roles].flatMap(([name, { queue, requests }]) =>
      [...queue, ...requests].filter((id) => {
        const mail = state.mail.get(id)!;
        return mail.message.thread === thread.id && !mail.joins.includes(name);
      }),
    ).length;
    if (thread.running !== running)
      problems.push(`${thread.id} has ${String(thread.running)} running, not ${String(running)}`);
    if (thread.waiting !== waiting)
      problems.push(`${thread.id} has ${String(thread.waiting)} waiting, not ${String(waiting)}`);
    const still = thread.state === 'open' && running === 0 && waiting === 0;
    if (still && !state.possiblyQuiet.has(thread.id))
      problems.push(`${thread.id} may be quiet, and nobody looks`);
  }
  return problems;
}

function sorted(map: ReadonlyMap<string, ReadonlySet<string>>): unknown[] {
  return [...map]
    .map(([key, set]) => [key, [...set].toSorted()])
    .toSorted((a, b) => (a[0]! < b[0]! ? -1 : 1));
}

function listsOf(role: RoleState): unknown {
  const { inThread, fromRole, joining, blockedBy, asked, answered, crossed, waitsFor } = role;
  return {
    inThread: sorted(inThread),
    fromRole: sorted(fromRole),
    joining: sorted(joining),
    blockedBy: sorted(blockedBy),
    asked: [...asked].toSorted(),
    answered: [...answered].toSorted(),
    crossed: [...crossed].toSorted(),
    waitsFor: [...waitsFor].toSorted((a, b) => String(a).localeCompare(String(b))),
  };
}

function add(map: Map<string, Set<string>>, key: string, value: string): void {
  map.set(key, (map.get(key) ?? new Set()).add(value));
}

function recounted(state: MailState, name: string): unknown {
  const { queue, requests } = state.roles.get(name)!;
  const lists = { inThread: new Map(), fromRole: new Map(), joining: new Map(), blockedBy: new Map() };
  const asked = new Set<string>();
  const waitsFor = new Map<string, number>();
  const answered: string[] = [];
  for (const id of [...queue, ...requests]) {
    const { message, joins } = state.mail.get(id)!;
    add(lists.inThread, message.thread, id);
    if (!requests.has(id)) continue;
    add(lists.fromRole, message.from, id);
    if (joins.includes(name)) add(lists.joining, message.thread, id);
  }
  for (const [id, { message, request }] of state.mail)
    for (const ask of request?.asks.values() ?? []) {
      if (ask.is !== 'open') continue;
      if (ask.candidates.includes(name)) asked.add(id);
      if (message.from !== name || !state.waits.has(request!.wait ?? '')) continue;
      for (const one of ask.candidates) waitsFor.set(one, (waitsFor.get(one) ?? 0) + 1);
    }
  for (const wait of state.waits.values()) {
    if (wait.role !== name) continue;
    if (wait.blocks !== 'none') add(lists.blockedBy, wait.blocks === 'role' ? '' : wait.thread, wait.id);
    const asks = wait.requests.flatMap((id) => [...(state.mail.get(id)?.request?.asks.values() ?? [])]);
    if (wait.turn === null && asks.every(({ is }) => is !== 'open')) answered.push(wait.id);
  }
  const threads: string[] = [...lists.inThread.keys()];
  const crossed = threads.filter((id) => lists.joining.has(id) || lists.blockedBy.has(id)).toSorted();
  return {
    inThread: sorted(lists.inThread),
    fromRole: sorted(lists.fromRole),
    joining: sorted(lists.joining),
    blockedBy: sorted(lists.blockedBy),
    asked: [...asked].toSorted(),
    answered: answered.toSorted(),
    crossed,
    waitsFor: [...waitsFor].toSorted((a, b) => String(a).localeCompare(String(b))),
  };
}

/** What is spoken of and is not there. */
function dangling(state: MailState): string[] {
  const problems: string[] = [];
  for (const id of state.deadlines.keys())
    if (!state.mail.has(id)) problems.push(`a deadline of ${id}, which nobody knows`);
  const timed = new Set(state.timers.map(({ at, request }) => `${request} ${String(at)}`));
  for (const [id, at] of state.deadlines)
    if (!timed.has(`${id} ${String(at)}`)) problems.push(`the deadline of ${id} never comes`);
  for (const [index, { at }] of state.timers.entries())
    if (index > 0 && at < state.timers[(index - 1) >> 1]!.at)
      problems.push(`timer ${String(index)} is too early`);
  const [first] = state.timers;
  if (first && state.deadlines.get(first.request) !== first.at) problems.push('the next timer is over');
  for (const [key, { request, recipient }] of state.broken)
    if (state.mail.get(request)?.request?.asks.get(recipient)?.is !== 'open')
      problems.push(`${key} is broken and not open`);
  for (const id of [...state.possiblyQuiet, ...state.ended])
    if (!state.threads.has(id)) problems.push(`thread ${id} is listed and not known`);
  for (const { thread, messages } of [...state.threads.values()].map(({ id, messages: all }) => ({
    thread: id,
    messages: all,
  })))
    for (const id of messages)
      if (!state.mail.has(id)) problems.push(`${thread} has ${id}, which nobody knows`);
  return problems;
}
