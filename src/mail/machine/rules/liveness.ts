import { askKey, askState } from '../fold/asks.ts';
import type { Ask } from '../event.ts';
import { isHuman, type Protocol, type Role } from '../../format/protocol.ts';
import type { Mail, MailState, Wait } from '../state.ts';
import { nextOf, takesAlone } from './expects.ts';
import { blocking, mayNest, openAsks, requestedIn } from './waiting.ts';
import type { MessageId, RoleName, ThreadId } from '../../../kernel/ids.ts';

/** How an ask can still be answered: now, when other waits end, or not at all. */
type Hope =
  | { readonly is: 'alive' }
  | { readonly is: 'depends'; readonly on: readonly Wait[] }
  /** One of these waits is enough. */
  | { readonly is: 'any'; readonly of: readonly (readonly Wait[])[] }
  | { readonly is: 'dead' };

const alive: Hope = { is: 'alive' };
const dead: Hope = { is: 'dead' };

/** What the answers to asks depend on, one step deep. */
export class Hopes {
  readonly #state: MailState;
  readonly #protocol: Protocol;

  constructor(state: MailState, protocol: Protocol) {
    this.#state = state;
    this.#protocol = protocol;
  }

  /** What the answer to this ask depends on; one entry for each candidate. */
  of(ask: Ask): Hope[] {
    const current = askState(this.#state, ask);
    const mail = this.#state.mail.get(ask.request);
    if (current?.is !== 'open' || !mail) return [alive];
    // After an escalation the deadline has had its effect.
    const timed = this.#state.deadlines.has(ask.request) && current.escalated === null;
    if (timed || this.#state.broken.has(askKey(ask))) return [alive];
    return current.candidates.map((candidate) => this.#from(ask, mail, candidate));
  }

  #from(ask: Ask, mail: Mail, candidate: RoleName): Hope {
    if (isHuman(this.#protocol, candidate)) return alive;
    const delivery = mail.deliveries.get(candidate);
    if (delivery?.at === 'claimed') return alive;
    if (delivery?.at === 'processed') return this.#fromDebtor(ask, mail, candidate);
    const role = this.#protocol.roles.get(candidate);
    if (delivery?.at !== 'inbox' || !role) return dead;
    return this.#state.roles.get(candidate)?.vanished === true ? alive : this.#fromInbox(mail, role);
  }

  /** The request was picked up: the debt is with a turn, or with a wait of the candidate. */
  #fromDebtor(ask: Ask, { message }: Mail, candidate: RoleName): Hope {
    const owes = (one: { role: RoleName; thread: ThreadId; owes: readonly Ask[] }) =>
      one.role === candidate &&
      one.thread === message.thread &&
      one.owes.some((owed) => askKey(owed) === askKey(ask));
    for (const turn of this.#state.turns.values()) if (owes(turn)) return alive;
    const on: Wait[] = [];
    for (const wait of this.#waitsIn(message.thread)) if (owes(wait)) on.push(wait);
    return on.length > 0 ? { is: 'depends', on } : dead;
  }

  #fromInbox(mail: Mail, role: Role): Hope {
    const { thread, type } = mail.message;
    const alone = takesAlone(role, type);
    if (!alone && !this.#joins(role, thread, mail.message.id)) return this.#fromOthers(thread);
    const on = blocking(this.#state, role.name, thread);
    if (on.length === 0 || (alone && mayNest(this.#state, role.name)(mail))) return alive;
    return { is: 'depends', on };
  }

  /** Whether the role could pick this up now with what it needs, if it were not waiting. */
  #joins(role: Role, thread: ThreadId, id: MessageId): boolean {
    return nextOf(this.#state, role, thread, null)?.includes(id) ?? false;
  }

  /**
   * A join waits for other messages of its thread, so something else must be able to happen there.
   */
  #fromOthers(thread: ThreadId): Hope {
    for (const turn of this.#state.turns.values()) if (turn.thread === thread) return alive;
    const ways: (readonly Wait[])[] = this.#waitsIn(thread).map((wait) => [wait]);
    for (const [name, { inThread }] of this.#state.roles) {
      const role = this.#protocol.roles.get(name);
      if (!role || isHuman(this.#protocol, name) || !inThread.has(thread)) continue;
      if (nextOf(this.#state, role, thread, null)) ways.push(blocking(this.#state, name, thread));
    }
    return { is: 'any', of: ways };
  }

  #waitsIn(thread: ThreadId): Wait[] {
    return requestedIn(this.#state, thread).filter((wait) => wait.thread === thread);
  }
}

/** Which of some waits can still end. Least fixpoint: a wait is alive only for a reason. */
export class Liveness {
  readonly #state: MailState;
  readonly #hopes: Hopes;
  readonly #alive = new Set<string>();

  constructor(state: MailState, hopes: Hopes, waits: Iterable<Wait>) {
    this.#state = state;
    this.#hopes = hopes;
    // Debts lead from older waits to younger ones: with the youngest first, one pass is mostly
    // enough.
    const reached = [...this.#reach(waits)].toReversed();
    for (let grown = true; grown;) {
      grown = false;
      for (const wait of reached)
        if (!this.#alive.has(wait.id) && this.#lives(wait)) {
          this.#alive.add(wait.id);
          grown = true;
        }
    }
  }

  /** These waits, and all that they depend on. */
  #reach(waits: Iterable<Wait>): Set<Wait> {
    const reached = new Set(waits);
    for (const wait of reached)
      for (const ask of this.#openAsks(wait))
        for (const hope of this.#hopes.of(ask)) {
          const further = hope.is === 'depends' ? hope.on : hope.is === 'any' ? hope.of.flat() : [];
          for (const next of further) reached.add(next);
        }
    return reached;
  }

  #openAsks(wait: Wait): Ask[] {
    return wait.turn === null ? openAsks(this.#state, wait) : [];
  }

  #lives(wait: Wait): boolean {
    return this.#openAsks(wait).every((ask) => this.hopeful(ask));
  }

  lives(wait: Wait): boolean {
    return this.#alive.has(wait.id);
  }

  hopeful(ask: Ask): boolean {
    return this.#hopes.of(ask).some((hope) => {
      if (hope.is === 'depends') return hope.on.every((wait) => this.lives(wait));
      if (hope.is === 'any') return hope.of.some((way) => way.every((wait) => this.lives(wait)));
      return hope.is === 'alive';
    });
  }
}
