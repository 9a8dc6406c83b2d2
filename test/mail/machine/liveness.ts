import type { Ask } from '../../../src/mail/machine/event.ts';
import { isHuman, type Protocol } from '../../../src/mail/format/protocol.ts';
import type { Mail, MailState, Wait } from '../../../src/mail/machine/state.ts';

/**
 * Who waits forever, found by looking at every wait again and again until nothing changes. Call it when there is nothing
 * left to decide: then it must be empty, for whoever is stuck has been named and failed back.
 */
export function checkAlive(state: MailState, protocol: Protocol): string[] {
  const alive = new Set<string>();
  for (let before = -1; alive.size !== before;) {
    before = alive.size;
    for (const wait of state.waits.values()) if (lives(state, protocol, alive, wait)) alive.add(wait.id);
  }
  return [...state.waits.values()]
    .filter(({ id }) => !alive.has(id))
    .map(({ role, requests }) => `${role} waits for ${requests.join(', ')} for ever, and nobody says so`);
}

function lives(state: MailState, protocol: Protocol, alive: ReadonlySet<string>, wait: Wait): boolean {
  return wait.requests.every((request) => {
    const mail = state.mail.get(request);
    return [...(mail?.request?.asks ?? [])].every(([recipient, ask]) => {
      if (!mail || ask.is !== 'open' || state.broken.has(`${request} ${recipient}`)) return true;
      if (state.deadlines.has(request) && ask.escalated === null) return true;
      const may = (role: string) => answers(state, protocol, alive, mail, { request, recipient }, role);
      return ask.candidates.some(may);
    });
  });
}

function answers(
  state: MailState,
  protocol: Protocol,
  alive: ReadonlySet<string>,
  mail: Mail,
  ask: Ask,
  role: string,
): boolean {
  if (isHuman(protocol, role)) return true;
  const owes = (one: { role: string; owes: readonly Ask[] }) =>
    one.role === role &&
    one.owes.some((owed) => owed.request === ask.request && owed.recipient === ask.recipient);
  const at = mail.deliveries.get(role)?.at;
  if (at === 'claimed') return true;
  if (at === 'processed') {
    const debts = [...state.waits.values()].filter(owes);
    return (
      [...state.turns.values()].some(owes) || (debts.length > 0 && debts.every(({ id }) => alive.has(id)))
    );
  }
  return at === 'inbox' && takesUp(state, protocol, alive, mail, role);
}

/** The waits that hold back a role's mail of a thread. */
function holding(state: MailState, role: string, thread: string): Wait[] {
  return [...state.waits.values()].filter(
    (wait) =>
      wait.role === role && (wait.blocks === 'role' || (wait.blocks === 'thread' && wait.thread === thread)),
  );
}

function takesUp(
  state: MailState,
  protocol: Protocol,
  alive: ReadonlySet<string>,
  mail: Mail,
  role: string,
): boolean {
  const { thread, type, from } = mail.message;
  const known = protocol.roles.get(role);
  if (!known) return false;
  if (state.roles.get(role)?.vanished) return true;
  const alone =
    type === 'step' ||
    known.expects.some(({ kind, types }) => (kind === 'any' || types.length === 1) && types.includes(type));
  const held = holding(state, role, thread);
  const free = held.every(({ id }) => alive.has(id));
  if (alone) return free || awaited(state, role).has(from);
  if (complete(state, protocol, role, thread, type)) return free;
  // A join: something else must be able to happen in the thread.
  if ([...state.turns.values()].some((turn) => turn.thread === thread)) return true;
  if ([...state.waits.values()].some((wait) => wait.thread === thread && alive.has(wait.id))) return true;
  return [...protocol.roles.values()].some(
    ({ name, provider }) =>
      provider !== 'human' &&
      complete(state, protocol, name, thread) &&
      holding(state, name, thread).every(({ id }) => alive.has(id)),
  );
}

/** Whether what waits for a role in a thread completes one of its clauses; one with this type in it, where it is given. */
function complete(
  state: MailState,
  protocol: Protocol,
  role: string,
  thread: string,
  including: string | null = null,
): boolean {
  const { queue, requests } = state.roles.get(role) ?? { queue: [], requests: [] };
  const there = new Set(
    [...queue, ...requests].flatMap((id) => {
      const message = state.mail.get(id)?.message;
      return message?.thread === thread ? [message.type] : [];
    }),
  );
  if ((there.has('notice') || there.has('step')) && including === null) return true;
  return (protocol.roles.get(role)?.expects ?? []).some(({ kind, types }) => {
    if (including !== null && !types.includes(including)) return false;
    return kind === 'any' ? types.some((type) => there.has(type)) : types.every((type) => there.has(type));
  });
}

/** Everybody whom a role waits for, directly or through others. */
function awaited(state: MailState, role: string): Set<string> {
  const found = new Set<string>();
  const next = [role];
  for (let name = next.pop(); name !== undefined; name = next.pop())
    for (const { role: asker, requests } of state.waits.values())
      if (asker === name)
        for (const id of requests)
          for (const ask of state.mail.get(id)?.request?.asks.values() ?? [])
            for (const other of ask.is === 'open' ? ask.candidates : [])
              if (!found.has(other)) {
                found.add(other);
                next.push(other);
              }
  return found;
}
