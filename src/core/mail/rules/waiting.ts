import { askState } from '../fold/asks.ts';
import type { Ask } from '../event.ts';
import type { Mail, MailState, Wait } from '../state.ts';
import type { MessageId, RoleName, ThreadId } from '../message.ts';

/** Who waits for what, indexed once for a round of deciding. */
export class Waiting {
  readonly #state: MailState;
  readonly #byRole = new Map<RoleName, Wait[]>();
  readonly #resumed = new Set<string>();

  constructor(state: MailState) {
    this.#state = state;
    for (const wait of state.waits.values()) {
      const known = this.#byRole.get(wait.role);
      if (known) known.push(wait);
      else this.#byRole.set(wait.role, [wait]);
    }
    for (const turn of state.turns.values()) if (turn.wait !== null) this.#resumed.add(turn.wait);
  }

  of(role: RoleName): readonly Wait[] {
    return this.#byRole.get(role) ?? [];
  }

  /** True when an open turn has taken up the answers of this wait. */
  resumed(wait: Wait): boolean {
    return this.#resumed.has(wait.id);
  }

  /** Every ask of a wait. */
  asks(wait: Wait): Ask[] {
    return wait.requests.flatMap((request) =>
      [...(this.#state.mail.get(request)?.request?.asks.keys() ?? [])].map((recipient) => ({
        request,
        recipient,
      })),
    );
  }

  openAsks(wait: Wait): Ask[] {
    return this.asks(wait).filter((ask) => askState(this.#state, ask)?.is === 'open');
  }

  /** The replies, and the notices that stand in for replies, that are there. */
  answers(wait: Wait): MessageId[] {
    const ids = this.asks(wait).flatMap((ask) => {
      const state = askState(this.#state, ask);
      return state?.is === 'answered' ? [state.by] : [];
    });
    return [...new Set(ids)].filter(
      (id) => this.#state.mail.get(id)?.deliveries.get(wait.role)?.at === 'inbox',
    );
  }

  /** The waits that keep a role from taking up mail of this thread. */
  blocking(role: RoleName, thread: ThreadId): Wait[] {
    return this.of(role).filter(
      ({ blocks, thread: of }) => blocks === 'role' || (blocks === 'thread' && of === thread),
    );
  }

  /** Everybody whom this role waits for, directly or through others. */
  waitsFor(role: RoleName): Set<RoleName> {
    const found = new Set<RoleName>();
    const next = [role];
    for (let name = next.pop(); name !== undefined; name = next.pop())
      for (const wait of this.of(name))
        for (const ask of this.openAsks(wait)) {
          const state = askState(this.#state, ask);
          for (const candidate of state?.is === 'open' ? state.candidates : [])
            if (!found.has(candidate)) {
              found.add(candidate);
              next.push(candidate);
            }
        }
    return found;
  }

  /** Whether a blocked role may still be invoked for this request: from somebody whom it waits for. */
  nested(role: RoleName, mail: Mail): boolean {
    return mail.request !== null && this.waitsFor(role).has(mail.message.from);
  }
}
