import type { Claim, Fact } from '../event.ts';
import type { Protocol, Role } from '../../format/protocol.ts';
import type { MailState, Wait, WaitId } from '../state.ts';
import { nextOf } from './expects.ts';
import { holdsOf, isHeld, type LaunchNeeds, type Slots } from './slots.ts';
import { answers, blocking, mayNest, waitsFor } from './waiting.ts';
import type { MessageId, ThreadId } from '../../../kernel/ids.ts';

export const ranks = { replies: 0, request: 1, mail: 2 } as const;

/** A possible start: a new turn, or the next attempt of one. */
export interface Candidate extends LaunchNeeds {
  readonly rank: number;
  /** Its age: the journal position of its oldest message, or of the last answer to arrive. */
  readonly order: number;
  readonly start: Fact;
}

/** Why a role picks up nothing of its mail in a thread, whatever is free; `explain` reports it. */
type NotYet = 'turn_open' | 'blocked_by_request' | 'join_incomplete';

/** When a turn for these messages could first start, as a position in the journal. */
export function ageOf(state: MailState, priority: Claim['priority'], messages: readonly MessageId[]): number {
  const orders = messages.map((id) => state.mail.get(id)?.order ?? 0);
  return priority === 'replies' ? Math.max(0, ...orders) : Math.min(...orders);
}

/** Scans the waiting mail of one role, no further than its slots require. */
export class RoleScan {
  readonly #state: MailState;
  readonly #protocol: Protocol;
  readonly #slots: Slots;
  readonly #role: Role;
  readonly #byThread = new Map<ThreadId, Candidate | null>();
  readonly #found: Candidate[] = [];
  readonly #nested: ReturnType<typeof mayNest>;

  constructor(state: MailState, protocol: Protocol, slots: Slots, role: Role) {
    this.#state = state;
    this.#protocol = protocol;
    this.#slots = slots;
    this.#role = role;
    this.#nested = mayNest(state, role.name);
  }

  /** What can start, or can never start; may omit what must wait. */
  candidates(): Candidate[] {
    const role = this.#state.roles.get(this.#role.name);
    if (!role) return [];
    this.#gatherAnswers(role.answered);
    if (role.blockedBy.has('')) {
      // While a wait blocks all of its threads, the role accepts only requests from roles that it
      // waits for.
      for (const sender of waitsFor(this.#state, this.#role.name))
        this.#gather(role.fromRole.get(sender) ?? [], ranks.request);
      return this.#found;
    }
    this.#gather(role.requests, ranks.request);
    this.#gather(role.queue, ranks.mail);
    return this.#found;
  }

  /** Collects completed waits, in the order of their last answer. */
  #gatherAnswers(waits: Iterable<WaitId>): void {
    let startable = 0;
    for (const id of waits) {
      if (startable >= this.#slots.free(this.#role)) return;
      const wait = this.#state.waits.get(id);
      if (!wait) continue;
      const candidate = this.replies(wait);
      this.#found.push(candidate);
      if (!isHeld(this.#slots.verdict(candidate))) startable += 1;
    }
  }

  /** The start with the answers of a completed wait. */
  replies(wait: Wait): Candidate {
    return this.#candidate('replies', wait.thread, answers(this.#state, wait), wait.id);
  }

  /**
   * Collects the heads of these messages' threads, until as many of this rank can start as there
   * are slots.
   */
  #gather(ids: Iterable<MessageId>, rank: number): void {
    const free = this.#slots.free(this.#role);
    const counted = new Set<Candidate>();
    for (const id of ids) {
      if (counted.size >= free) return;
      const thread = this.#state.mail.get(id)?.message.thread;
      const candidate = thread === undefined ? null : this.#head(thread);
      if (candidate?.rank === rank && !isHeld(this.#slots.verdict(candidate))) counted.add(candidate);
    }
  }

  /** The first candidate of the role in this thread. */
  #head(thread: ThreadId): Candidate | null {
    const known = this.#byThread.get(thread);
    if (known !== undefined) return known;
    const next = this.next(thread);
    const head = typeof next === 'string' ? null : next;
    this.#byThread.set(thread, head);
    if (head) this.#found.push(head);
    return head;
  }

  /** What the role picks up next of its waiting mail in this thread, or why it picks up nothing. */
  next(thread: ThreadId): Candidate | NotYet {
    if (this.#slots.busy(this.#role.name, thread)) return 'turn_open';
    const blocked = blocking(this.#state, this.#role.name, thread).length > 0;
    const messages = nextOf(this.#state, this.#role, thread, blocked ? this.#nested : null);
    if (!messages) return blocked ? 'blocked_by_request' : 'join_incomplete';
    const asks = messages.some((id) => this.#state.mail.get(id)?.request != null);
    return this.#candidate(asks ? 'request' : 'mail', thread, messages, null);
  }

  #candidate(
    priority: Claim['priority'],
    thread: ThreadId,
    messages: MessageId[],
    wait: string | null,
  ): Candidate {
    const { name, retries, budget } = this.#role;
    const provider = this.#slots.provider(this.#role) ?? this.#role.provider;
    const { corrections, nesting: deepest } = this.#protocol.limits;
    const nesting = blocking(this.#state, name, thread).filter(({ id }) => id !== wait).length;
    const holds = holdsOf(this.#protocol, this.#role, thread);
    const order = ageOf(this.#state, priority, messages);
    const mustAnswer = nesting >= deepest;
    const claim: Claim = {
      role: name,
      thread,
      priority,
      messages,
      wait,
      provider,
      retries,
      corrections,
      nesting,
      mustAnswer,
      budget,
      holds,
    };
    const start: Fact = { type: 'claimed', ...claim };
    return { role: this.#role, thread, holds, budget, turn: null, rank: ranks[priority], order, start };
  }
}
