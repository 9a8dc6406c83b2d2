import { askKey, askState } from '../fold/asks.ts';
import type { Ask, Fact } from '../event.ts';
import type { RoleName } from '../message.ts';
import { isHuman, type Protocol } from '../protocol.ts';
import type { Mail, MailState, Wait } from '../state.ts';
import { takesAlone } from './claims.ts';
import { tellUser } from './notices.ts';
import type { Waiting } from './waiting.ts';

/** Why an ask can still be answered: of itself, when other waits end, or not at all. */
type Hope =
  | { readonly is: 'alive' }
  | { readonly is: 'depends'; readonly on: readonly Wait[] }
  | { readonly is: 'dead' };

const alive: Hope = { is: 'alive' };

/** Finds who waits for what can never come. Least fixpoint: nobody is alive but for a reason. */
export class Liveness {
  readonly #state: MailState;
  readonly #protocol: Protocol;
  readonly #waiting: Waiting;
  readonly #alive = new Set<Wait>();

  constructor(state: MailState, protocol: Protocol, waiting: Waiting) {
    this.#state = state;
    this.#protocol = protocol;
    this.#waiting = waiting;
    for (let grown = true; grown;) {
      grown = false;
      for (const wait of state.waits.values())
        if (!this.#alive.has(wait) && this.#lives(wait)) {
          this.#alive.add(wait);
          grown = true;
        }
    }
  }

  #lives(wait: Wait): boolean {
    return this.#waiting.resumed(wait) || this.#waiting.openAsks(wait).every((ask) => this.#hopeful(ask));
  }

  #hopeful(ask: Ask): boolean {
    const current = askState(this.#state, ask);
    const mail = this.#state.mail.get(ask.request);
    if (current?.is !== 'open' || !mail) return true;
    if (this.#state.deadlines.has(ask.request) || this.#state.broken.has(askKey(ask))) return true;
    return current.candidates.some((candidate) => this.#possible(this.#hope(ask, mail, candidate)));
  }

  #possible(hope: Hope): boolean {
    return hope.is === 'alive' || (hope.is === 'depends' && hope.on.every((wait) => this.#alive.has(wait)));
  }

  /** What this candidate's answer hangs on. */
  #hope(ask: Ask, mail: Mail, candidate: RoleName): Hope {
    if (isHuman(this.#protocol, candidate)) return alive;
    const delivery = mail.deliveries.get(candidate);
    if (delivery?.at === 'claimed') return alive;
    if (delivery?.at === 'processed') return this.#owing(ask, candidate);
    if (delivery?.at !== 'inbox') return { is: 'dead' };
    const role = this.#protocol.roles.get(candidate);
    if (!role) return { is: 'dead' };
    if (this.#state.roles.get(candidate)?.vanished === true) return alive;
    if (!takesAlone(role, mail.message.type)) return this.#joined(mail);
    const blocking = this.#waiting.blocking(candidate, mail.message.thread);
    if (blocking.length === 0 || this.#waiting.nested(candidate, mail)) return alive;
    return { is: 'depends', on: blocking };
  }

  /** The request was taken up: the debt is with a turn, or with a wait of the candidate. */
  #owing(ask: Ask, candidate: RoleName): Hope {
    const owes = (one: { role: RoleName; owes: readonly Ask[] }) =>
      one.role === candidate && one.owes.some((owed) => askKey(owed) === askKey(ask));
    if ([...this.#state.turns.values()].some(owes)) return alive;
    const on = this.#waiting.of(candidate).filter(owes);
    return on.length > 0 ? { is: 'depends', on } : { is: 'dead' };
  }

  /** A join waits for other messages of its thread: something else must be able to happen there. */
  #joined(mail: Mail): Hope {
    const { thread } = mail.message;
    if ([...this.#state.turns.values()].some((turn) => turn.thread === thread)) return alive;
    const startable =
      this.#state.threads.get(thread)?.messages.some((id) => this.#startable(id, thread)) ?? false;
    if (startable) return alive;
    const others = [...this.#state.waits.values()].filter(
      (wait) => wait.thread === thread && this.#alive.has(wait),
    );
    return others.length > 0 ? alive : { is: 'dead' };
  }

  #startable(id: string, thread: string): boolean {
    const mail = this.#state.mail.get(id);
    return [...(mail?.deliveries ?? [])].some(
      ([role, { at }]) =>
        at === 'inbox' &&
        takesAlone(this.#protocol.roles.get(role), mail?.message.type ?? '') &&
        this.#waiting.blocking(role, thread).length === 0,
    );
  }

  /** The oldest wait that is stuck, as a chain of asks; its last request is to be failed back. */
  stuck(): Ask[] {
    for (const wait of this.#state.waits.values()) if (!this.#alive.has(wait)) return this.#chain(wait);
    return [];
  }

  #chain(first: Wait): Ask[] {
    const chain: Ask[] = [];
    const visited = new Set<Wait>();
    for (let wait: Wait | undefined = first; wait && !visited.has(wait);) {
      visited.add(wait);
      const ask: Ask | undefined = this.#waiting.openAsks(wait).find((one) => !this.#hopeful(one));
      if (!ask) break;
      chain.push(ask);
      wait = this.#next(ask);
    }
    return chain;
  }

  #next(ask: Ask): Wait | undefined {
    const current = askState(this.#state, ask);
    const mail = this.#state.mail.get(ask.request);
    if (current?.is !== 'open' || !mail) return undefined;
    return current.candidates
      .map((candidate) => this.#hope(ask, mail, candidate))
      .flatMap((hope) => (hope.is === 'depends' ? hope.on : []))
      .find((wait) => !this.#alive.has(wait));
  }
}

/** Names the oldest stuck wait to `user`, and fails the request at the end of its chain back. */
export function failStuck(state: MailState, protocol: Protocol, waiting: Waiting): Fact[] {
  if (state.waits.size === 0) return [];
  const chain = new Liveness(state, protocol, waiting).stuck();
  const last = chain.at(-1);
  if (!last) return [];
  const lines = chain.map(({ request, recipient }) => {
    const message = state.mail.get(request)?.message;
    return `${message?.from ?? '?'} waits for ${recipient} (${message?.type ?? '?'}: ${message?.subject ?? request})`;
  });
  const thread = state.mail.get(last.request)?.message.thread ?? null;
  const text = `nobody can go on: ${lines.join(', and ')}`;
  const notice = tellUser(thread, 'Stuck: roles wait for each other', [
    'Nobody of these can go on:',
    '',
    ...lines.map((line) => `- ${line}`),
    '',
    'The last request was failed back, and ends as its `on_timeout` says.',
  ]);
  return [{ type: 'failed-back', ask: last, reason: { code: 'E_DEADLOCK', text }, notices: [notice] }];
}
