import type { ErrorClass, Reason } from '../../kernel/errors.ts';
import type { Bills, Cost, Session } from '../../kernel/cost.ts';
import type { Ask, Claim, Request, TurnResult } from './event.ts';
import type { Message } from '../format/message.ts';
import type { StepAnswer } from '../../letters/step-answer.ts';
import type { MessageId, RoleName, ThreadId } from '../../kernel/ids.ts';
import type { Launched } from '../../kernel/launched.ts';
import type { TurnId } from '../../letters/target.ts';

export type { Cost };

/** Where one recipient's copy of a message is. */
export type Delivery =
  | { readonly at: 'inbox' }
  /** In the inbox too, but a turn has taken it up. */
  | { readonly at: 'claimed'; readonly turn: TurnId }
  /** In the inbox of a person. */
  | { readonly at: 'unread' }
  | { readonly at: 'read' }
  | { readonly at: 'processed' }
  | { readonly at: 'failed'; readonly reason: Reason }
  | { readonly at: 'withdrawn' };

/** How far one recipient's answer to one request is. */
export type AskState =
  /** `candidates` may still answer; with none left it is broken, and ends as `onTimeout` says. */
  | { readonly is: 'open'; readonly candidates: readonly RoleName[]; readonly escalated: RoleName | null }
  /** `by` is the reply, or the notice that stands in for it. */
  | {
      readonly is: 'answered';
      readonly by: MessageId;
      readonly from: RoleName | null;
      readonly escalated: RoleName | null;
    }
  /** Its thread ended first: nobody waits for the answer any more. */
  | { readonly is: 'over' };

/** A message that the state still knows. */
export interface Mail {
  readonly message: Message;
  /** Position in the journal's order, counted in messages. */
  readonly order: number;
  readonly turn: TurnId | null;
  readonly deliveries: Map<RoleName, Delivery>;
  readonly request:
    (Request & { readonly asks: Map<RoleName, AskState>; readonly wait: WaitId | null }) | null;
  /** The wait that this reply belongs to: it is taken up with the wait, not by itself. */
  readonly wait: WaitId | null;
  /** Recipients that take it up only together with other messages, or may do so. */
  readonly joins: readonly RoleName[];
}

/** `w1`, `w2`, …: numbered by `apply`. */
export type WaitId = string;

/** All requests that one turn sent, until the last is answered and the answers are taken up. */
export interface Wait {
  readonly id: WaitId;
  readonly role: RoleName;
  readonly thread: ThreadId;
  readonly blocks: 'role' | 'thread' | 'none';
  readonly requests: readonly MessageId[];
  /** What the sender owed when it asked, and still owes. */
  readonly owes: readonly Ask[];
  readonly since: number;
  /** The turn that has taken up the answers. */
  readonly turn: TurnId | null;
}

export type Phase =
  /** Claimed, and waits for a slot, not before the instant given. */
  | { readonly is: 'pending'; readonly notBefore: number }
  /** Its agent should be running. */
  | { readonly is: 'active'; readonly since: number; readonly launched: Launched | null }
  /** Its agent is done; what it wrote is to be judged, gated and committed. */
  | {
      readonly is: 'returned';
      readonly since: number;
      readonly result: TurnResult;
      /** Null until the gates have run; then what they found wrong. */
      readonly gates: readonly string[] | null;
    }
  /** Its attempt failed; what comes next is to be decided. */
  | {
      readonly is: 'failed';
      readonly class: ErrorClass;
      readonly reason: Reason;
      readonly until: number | null;
    };

export interface Turn extends Claim {
  readonly id: TurnId;
  /** Asks that were open and are this role's to answer. */
  readonly owes: readonly Ask[];
  readonly claimedAt: number;
  /** Numbers the launches, from 1; names the folder. */
  readonly attempt: number;
  /** Numbers the corrections within an attempt, from 0. */
  readonly round: number;
  /** Attempts that count against `retries`. */
  readonly failures: number;
  /** Attempts that ended at a usage limit. */
  readonly limits: number;
  /** What was wrong with the last round, for the prompt of the next. */
  readonly problems: readonly string[];
  /** What the last round wrote, for the prompt of a correction without a session. */
  readonly lastResult: TurnResult | null;
  /** The reason of the last failed attempt, for the prompt of a retry. */
  readonly lastFailure: Reason | null;
  readonly reserved: boolean;
  readonly cost: Cost;
  readonly phase: Phase;
}

export type ThreadState = 'open' | 'quiet' | 'closed' | 'failed';

export interface Thread {
  readonly id: ThreadId;
  readonly state: ThreadState;
  readonly subject: string;
  readonly opened: number;
  readonly messages: MessageId[];
  /** How many messages were ever sent in it. */
  readonly count: number;
  /** Its open turns and waits; with `waiting` it says whether something can still happen here. */
  readonly running: number;
  /** Copies in inboxes of roles that take them up by themselves. */
  readonly waiting: number;
  readonly turns: number;
  readonly cost: Cost;
  /** The git tree of the workspace at the first launch; what `changed` compares with. */
  readonly tree: string | null;
  readonly sessions: Readonly<Record<RoleName, Session & { readonly provider: string }>>;
  readonly reason: Reason | null;
}

/**
 * A file that the folders do not show yet: a copy that came to lie somewhere else, what its author keeps, or what was
 * refused. Projecting it twice is harmless.
 */
export type Projection =
  | {
      readonly kind: 'copy';
      readonly message: Message;
      readonly role: RoleName;
      readonly delivery: Delivery;
      readonly since: number;
    }
  | { readonly kind: 'sent'; readonly message: Message; readonly role: RoleName; readonly since: number }
  | {
      readonly kind: 'refused';
      readonly id: MessageId;
      readonly created: number;
      readonly role: RoleName;
      readonly text: string;
      readonly reason: Reason;
      readonly since: number;
    }
  /** What a run hears of a step, in the inbox of the run. */
  | { readonly kind: 'answer'; readonly role: RoleName; readonly answer: StepAnswer; readonly since: number };

/** An instant at which a request's time is over. */
export interface Timer {
  readonly at: number;
  readonly request: MessageId;
}

export interface RoleState {
  /** Waiting requests, and other waiting mail, in the journal's order; replies that belong to a wait are in neither. */
  readonly requests: Set<MessageId>;
  readonly queue: Set<MessageId>;
  /** What is in `requests` and `queue`, by thread. */
  readonly inThread: Map<ThreadId, Set<MessageId>>;
  /** What is in `requests`, by sender. */
  readonly fromRole: Map<RoleName, Set<MessageId>>;
  /** Requests that this role may still answer. */
  readonly asked: Set<MessageId>;
  /** How many answers its waits still lack, by who may give them. */
  readonly waitsFor: Map<RoleName, number>;
  /** Its waits that hold back other mail: of their thread, or of everything, under ''. */
  readonly blockedBy: Map<ThreadId, Set<WaitId>>;
  /** Waiting requests that it takes up only together with other mail, by thread. */
  readonly joining: Map<ThreadId, Set<MessageId>>;
  /** Threads in which its own waits hold back its mail, or a request waits for a join: where roles can get stuck. */
  readonly crossed: Set<ThreadId>;
  /** Its waits whose answers are all in and not yet taken up. */
  readonly answered: Set<WaitId>;
  readonly turns: number;
  readonly cost: Cost;
  /** Its inbox vanished with waiting mail in it: nothing is concluded until it is back. */
  readonly vanished: boolean;
}

/**
 * Everything that is true of the mail now: the fold of the journal. It is made of plain values, maps and sets;
 * `apply` is the only code that changes it.
 */
export interface MailState {
  /** The largest `at` of any event. */
  now: number;
  /** How many events were applied. */
  events: number;
  /** Counters that number turns, waits and messages. */
  lastTurn: number;
  lastMail: number;
  lastWait: number;
  /** The protocol that the last start read. */
  protocol: string;
  readonly threads: Map<ThreadId, Thread>;
  /** Mail of every thread that is still known. */
  readonly mail: Map<MessageId, Mail>;
  readonly turns: Map<TurnId, Turn>;
  readonly waits: Map<WaitId, Wait>;
  readonly roles: Map<RoleName, RoleState>;
  /** Mail of people that was not read yet, by message and role. Outlives its thread. */
  readonly unread: Map<string, { readonly message: Message; readonly role: RoleName }>;
  /** What the folders do not show yet, by message and role. */
  readonly pendingProjections: Map<string, Projection>;
  /** Requests with a deadline that lies ahead of some ask, and the same as a heap, in which some may be over. */
  readonly deadlines: Map<MessageId, number>;
  readonly timers: Timer[];
  /** Asks that nobody is left to answer. */
  readonly broken: Map<string, Ask & { readonly reason: Reason }>;
  /** Open threads in which, as far as the fold can tell, nothing more can happen. */
  readonly possiblyQuiet: Set<ThreadId>;
  /** Ended threads, oldest first; the oldest leave. */
  readonly ended: Set<ThreadId>;
  readonly paused: { all: boolean; readonly roles: Set<RoleName>; readonly threads: Set<ThreadId> };
  readonly parked: Map<string, number>;
  spent: { readonly day: string; readonly cost: Cost };
  /** What was ever paid, by thread; of threads that are forgotten together, under ''. */
  readonly bills: Map<ThreadId, Bills>;
}

export function emptyState(): MailState {
  return {
    now: 0,
    events: 0,
    lastTurn: 0,
    lastMail: 0,
    lastWait: 0,
    protocol: '',
    threads: new Map(),
    mail: new Map(),
    turns: new Map(),
    waits: new Map(),
    roles: new Map(),
    unread: new Map(),
    pendingProjections: new Map(),
    deadlines: new Map(),
    timers: [],
    broken: new Map(),
    possiblyQuiet: new Set(),
    ended: new Set(),
    paused: { all: false, roles: new Set(), threads: new Set() },
    parked: new Map(),
    spent: { day: '', cost: { usd: 0, tokens: 0, unpriced: 0 } },
    bills: new Map(),
  };
}

/** The state of a snapshot; without one, that of an empty journal. */
export function stateOf(snapshot: { readonly state: unknown } | null): MailState {
  return snapshot === null ? emptyState() : (snapshot.state as MailState);
}

export const nothing: Cost = { usd: 0, tokens: 0, unpriced: 0 };
