import { askState } from '../fold/asks.ts';
import type { Ask } from '../event.ts';
import type { Mail, MailState, Wait } from '../state.ts';
import type { MessageId, RoleName, ThreadId } from '../../../kernel/ids.ts';

/** The waits that keep a role from picking up mail of this thread. */
export function blocking(state: MailState, role: RoleName, thread: ThreadId): Wait[] {
  const { blockedBy } = state.roles.get(role) ?? { blockedBy: null };
  const ids = [...(blockedBy?.get('') ?? []), ...(blockedBy?.get(thread) ?? [])];
  return ids.flatMap((id) => state.waits.get(id) ?? []);
}

/** The waits for requests that are in a thread, or opened one of its sub-threads. */
export function requestedIn(state: MailState, id: ThreadId): Wait[] {
  const ids = new Set<string>();
  const { messages = [], children = [] } = state.threads.get(id) ?? {};
  // A sub-thread has the id of the request that opened it.
  for (const request of [...messages, ...children]) {
    const wait = state.mail.get(request)?.request?.wait;
    if (wait != null) ids.add(wait);
  }
  return [...ids].flatMap((wait) => state.waits.get(wait) ?? []);
}

/** Every ask of a wait. */
function asksOf(state: MailState, wait: Wait): Ask[] {
  return wait.requests.flatMap((request) =>
    [...(state.mail.get(request)?.request?.asks.keys() ?? [])].map((recipient) => ({ request, recipient })),
  );
}

/** The unanswered asks of a wait. */
export function openAsks(state: MailState, wait: Wait): Ask[] {
  return asksOf(state, wait).filter((ask) => askState(state, ask)?.is === 'open');
}

/** The replies of a wait that have arrived, and the notices in place of replies. */
export function answers(state: MailState, wait: Wait): MessageId[] {
  const ids = asksOf(state, wait).flatMap((ask) => {
    const current = askState(state, ask);
    return current?.is === 'answered' ? [current.by] : [];
  });
  return [...new Set(ids)].filter((id) => state.mail.get(id)?.deliveries.get(wait.role)?.at === 'inbox');
}

/** The roles that this role waits for, directly or indirectly. */
export function waitsFor(state: MailState, role: RoleName): Set<RoleName> {
  const found = new Set<RoleName>();
  const next = [role];
  for (let name = next.pop(); name !== undefined; name = next.pop())
    for (const other of state.roles.get(name)?.waitsFor.keys() ?? [])
      if (!found.has(other)) {
        found.add(other);
        next.push(other);
      }
  return found;
}

/**
 * Whether a blocked role can still be invoked for this message: a request from a role that it waits
 * for.
 */
export function mayNest(state: MailState, role: RoleName): (mail: Mail) => boolean {
  const awaited = waitsFor(state, role);
  return (mail) => mail.request !== null && awaited.has(mail.message.from);
}

/** The waits of a state by role, for display. */
export class Waiting {
  readonly #state: MailState;
  readonly #byRole = new Map<RoleName, Wait[]>();

  constructor(state: MailState) {
    this.#state = state;
    for (const wait of state.waits.values()) {
      const known = this.#byRole.get(wait.role);
      if (known) known.push(wait);
      else this.#byRole.set(wait.role, [wait]);
    }
  }

  of(role: RoleName): readonly Wait[] {
    return this.#byRole.get(role) ?? [];
  }

  openAsks(wait: Wait): Ask[] {
    return openAsks(this.#state, wait);
  }
}
