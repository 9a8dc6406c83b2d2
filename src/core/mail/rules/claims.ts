import type { Claim, Fact } from '../event.ts';
import { builtInTypes, type MessageId, type ThreadId } from '../message.ts';
import type { Protocol, Role } from '../protocol.ts';
import type { Mail, MailState, Turn } from '../state.ts';
import { holdsOf, type Launch, type Slots } from './slots.ts';
import type { Waiting } from './waiting.ts';
import { failThreadFact } from './notices.ts';

interface Candidate extends Launch {
  readonly rank: number;
  readonly order: number;
  readonly start: Fact;
}

const ranks = { replies: 0, request: 1, mail: 2 } as const;
const alwaysAccepted: ReadonlySet<string> = new Set(builtInTypes);

/**
 * The turns that start now: the oldest first, replies before requests before the rest, as far as slots, folders and money
 * go. A thread that can never go on is failed instead.
 */
export function claims(
  state: MailState,
  protocol: Protocol,
  slots: Slots,
  waiting: Waiting,
  now: number,
): Fact[] {
  const candidates: Candidate[] = pending(state, protocol, now);
  for (const role of protocol.roles.values()) {
    const holds = protocol.workspace.kind === 'worktree' ? null : holdsOf(protocol, role, '');
    const anywhere = { role, thread: '', holds };
    if (role.provider === 'human' || slots.heldBack(anywhere) || !slots.room(anywhere)) continue;
    candidates.push(...new RoleScan(state, protocol, slots, waiting, role).candidates());
  }
  candidates.sort((a, b) => a.rank - b.rank || a.order - b.order);
  const facts: Fact[] = [];
  const failed = new Set<ThreadId>();
  for (const candidate of candidates) {
    const { thread } = candidate;
    if (failed.has(thread) || slots.heldBack(candidate) || !slots.room(candidate)) continue;
    if (candidate.start.type === 'claimed' && slots.busy(candidate.role.name, thread)) continue;
    const reason =
      exhausted(state, protocol, candidate) ?? (slots.money(candidate) === 'never' ? budget : null);
    if (reason) {
      failed.add(thread);
      facts.push(failThreadFact(state, thread, reason));
    } else if (slots.money(candidate) === 'fits') {
      slots.take(candidate);
      facts.push(candidate.start);
    }
  }
  return facts;
}

const budget = { code: 'E_BUDGET', text: 'the next turn does not fit into the budget' } as const;

function exhausted(state: MailState, protocol: Protocol, { start, thread }: Candidate) {
  const { turnsPerThread } = protocol.limits;
  if (start.type !== 'claimed' || (state.threads.get(thread)?.turns ?? 0) < turnsPerThread) return null;
  return { code: 'E_TURNS', text: `the thread has used up its ${String(turnsPerThread)} turns` } as const;
}

/** Turns that wait for their next attempt and need not wait longer. */
function pending(state: MailState, protocol: Protocol, now: number): Candidate[] {
  return [...state.turns.values()].flatMap((turn: Turn) => {
    const role = protocol.roles.get(turn.role);
    if (!role || turn.phase.is !== 'pending' || turn.phase.notBefore > now) return [];
    const order = Math.min(...turn.messages.map((id) => state.mail.get(id)?.order ?? 0), Infinity);
    const { thread, holds, id } = turn;
    return [
      {
        role,
        thread,
        holds,
        rank: ranks[turn.priority],
        order,
        start: { type: 'resumed', turn: id } as const,
      },
    ];
  });
}

/** Looks through what waits for one role. */
class RoleScan {
  readonly #state: MailState;
  readonly #protocol: Protocol;
  readonly #slots: Slots;
  readonly #waiting: Waiting;
  readonly #role: Role;
  readonly #seen = new Set<ThreadId>();
  readonly #found: Candidate[] = [];
  /** How many of them can start at once: the rest of a long queue need not be looked at. */
  #startable = 0;

  constructor(state: MailState, protocol: Protocol, slots: Slots, waiting: Waiting, role: Role) {
    this.#state = state;
    this.#protocol = protocol;
    this.#slots = slots;
    this.#waiting = waiting;
    this.#role = role;
  }

  candidates(): Candidate[] {
    for (const wait of this.#waiting.of(this.#role.name)) {
      if (this.#waiting.resumed(wait) || this.#waiting.openAsks(wait).length > 0) continue;
      this.#add('replies', wait.thread, this.#waiting.answers(wait), wait.id);
    }
    const { requests, queue } = this.#state.roles.get(this.#role.name) ?? { requests: [], queue: [] };
    for (const ids of [requests, queue])
      for (const id of ids) {
        if (this.#startable >= this.#slots.free(this.#role)) break;
        const thread = this.#state.mail.get(id)?.message.thread;
        if (thread !== undefined && !this.#seen.has(thread)) this.#head(thread);
      }
    return this.#found;
  }

  /** The first thing of this thread that the role may take up, in the journal's order. */
  #head(thread: ThreadId): void {
    this.#seen.add(thread);
    if (this.#slots.busy(this.#role.name, thread)) return;
    const blocked = this.#waiting.blocking(this.#role.name, thread).length > 0;
    const gathered = new Map<string, MessageId>();
    for (const id of this.#state.threads.get(thread)?.messages ?? []) {
      const mail = this.#state.mail.get(id);
      if (!mail || !this.#waits(mail)) continue;
      if (blocked && !this.#waiting.nested(this.#role.name, mail)) continue;
      const taken = this.#take(mail, gathered, blocked);
      if (taken) return this.#add(mail.request ? 'request' : 'mail', thread, taken, null);
    }
  }

  #waits(mail: Mail): boolean {
    const { queue, requests } = this.#state.roles.get(this.#role.name) ?? {};
    return (queue?.has(mail.message.id) ?? false) || (requests?.has(mail.message.id) ?? false);
  }

  /** The messages of the first clause that this one completes. */
  #take(mail: Mail, gathered: Map<string, MessageId>, blocked: boolean): MessageId[] | null {
    const { id, type } = mail.message;
    if (alwaysAccepted.has(type)) return [id];
    if (!gathered.has(type)) gathered.set(type, id);
    for (const { kind, types } of this.#role.expects) {
      if (!types.includes(type)) continue;
      if (kind === 'any' || types.length === 1) return [id];
      const all = types.map((name) => gathered.get(name));
      if (!blocked && all.every((one) => one !== undefined)) return all;
    }
    return null;
  }

  #add(priority: Claim['priority'], thread: ThreadId, messages: MessageId[], wait: string | null): void {
    const role = this.#role;
    const nesting = this.#waiting.blocking(role.name, thread).filter(({ id }) => id !== wait).length;
    const holds = holdsOf(this.#protocol, role, thread);
    const order = Math.min(...messages.map((id) => this.#state.mail.get(id)?.order ?? 0), Infinity);
    const claim: Claim = {
      role: role.name,
      thread,
      priority,
      messages,
      wait,
      provider: role.provider,
      retries: role.retries,
      corrections: this.#protocol.limits.corrections,
      nesting,
      mustAnswer: nesting >= this.#protocol.limits.nesting,
      budget: role.budget,
      holds,
    };
    if (!this.#slots.heldBack({ role, thread, holds }) && this.#slots.room({ role, thread, holds }))
      this.#startable += 1;
    this.#found.push({
      role,
      thread,
      holds,
      rank: ranks[priority],
      order,
      start: { type: 'claimed', ...claim },
    });
  }
}

/** True when the role takes this type up by itself. */
export function takesAlone(role: Role | undefined, type: string): boolean {
  if (!role) return false;
  if (alwaysAccepted.has(type)) return true;
  return role.expects.some(
    ({ kind, types }) => (kind === 'any' || types.length === 1) && types.includes(type),
  );
}
