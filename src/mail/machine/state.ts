import type { AskedCall } from '../../kernel/asked-call.ts';
import type { Pause } from '../../kernel/commands.ts';
import type { ErrorClass, Reason } from '../../kernel/errors.ts';
import type { Bills, Budget, Cost, Session } from '../../kernel/cost.ts';
import type { Ask, Claim, Request, TurnResult } from './event.ts';
import type { Message } from '../format/message.ts';
import type { StepAnswer } from '../../letters/letters.ts';
import type { MessageId, RoleName, ThreadId } from '../../kernel/ids.ts';
import type { Assigned, TurnLaunch } from '../../kernel/launched.ts';
import type { Landing } from './landing.ts';
import type { TakenWork } from '../../kernel/work.ts';
import type { TurnId } from '../../letters/target.ts';

/** The state of one recipient's copy of a message. */
export type Delivery =
  | { readonly at: 'inbox' }
  /** In the inbox too, but claimed by a turn. */
  | { readonly at: 'claimed'; readonly turn: TurnId }
  /** In the inbox of a person. */
  | { readonly at: 'unread' }
  | { readonly at: 'read' }
  | { readonly at: 'processed' }
  /** `turn`: the one that failed on it; absent: none had begun. `since`: absent in older states. */
  | { readonly at: 'failed'; readonly reason: Reason; readonly turn?: TurnId; readonly since?: number }
  | { readonly at: 'withdrawn' };

/** The state of one recipient's answer to one request. */
export type AskState =
  /** `candidates` can still answer; without any it is broken, and ends as `onTimeout` says. */
  | { readonly is: 'open'; readonly candidates: readonly RoleName[]; readonly escalated: RoleName | null }
  /** `by` is the reply, or the notice in place of it. */
  | {
      readonly is: 'answered';
      readonly by: MessageId;
      readonly from: RoleName | null;
      readonly escalated: RoleName | null;
    }
  /** Its thread ended first: the answer is no longer awaited. `was`: the state before that. */
  | { readonly is: 'over'; readonly was?: Exclude<AskState, { is: 'over' }> };

/** A message that the state has not forgotten. */
export interface Mail {
  readonly message: Message;
  /** Position in the journal's order, counted in messages. */
  readonly order: number;
  readonly turn: TurnId | null;
  /** The host of the worker that wrote it; null: the controller's own, or no turn did. */
  readonly host: string | null;
  readonly deliveries: Map<RoleName, Delivery>;
  readonly request:
    (Request & { readonly asks: Map<RoleName, AskState>; readonly wait: WaitId | null }) | null;
  /** The wait that this reply belongs to: it is picked up with the wait, not alone. */
  readonly wait: WaitId | null;
  /** Recipients that pick it up only together with other messages, or may do so. */
  readonly joins: readonly RoleName[];
}

/** `w1`, `w2`, …: numbered by `apply`. */
export type WaitId = string;

/** All requests that one turn sent, until the last is answered and the answers are picked up. */
export interface Wait {
  readonly id: WaitId;
  readonly role: RoleName;
  readonly thread: ThreadId;
  readonly blocks: 'role' | 'thread' | 'none';
  readonly requests: readonly MessageId[];
  /** The asks that the sender owed when it asked, and still owes. */
  readonly owes: readonly Ask[];
  readonly since: number;
  /** The turn that has picked up the answers. */
  readonly turn: TurnId | null;
}

export type Phase =
  /** Claimed, and waits for a slot, at the earliest until the given time. */
  | { readonly is: 'pending'; readonly notBefore: number }
  /** Its agent should be running. */
  | {
      readonly is: 'active';
      readonly since: number;
      readonly launched: TurnLaunch | null;
      /** The worker that has begun it; null: none has, or it runs on the controller's host. */
      readonly worker: Assigned | null;
    }
  /** Its agent has ended; its output is to be judged, checked and committed. */
  | {
      readonly is: 'returned';
      readonly since: number;
      readonly result: TurnResult;
      /** Null until the gates have run; then the errors that they found. */
      readonly checks: readonly string[] | null;
      /** The commits of other roles that the gates took into account. */
      readonly met: readonly string[];
      /** How often the gates have run in this round. */
      readonly runs: number;
    }
  /** It waits, without a process, until a person has decided about these calls. */
  | {
      readonly is: 'asking';
      readonly since: number;
      readonly calls: readonly AskedCall[];
      readonly person: RoleName;
      /** When they are refused without an answer, in milliseconds since 1970; null: never. */
      readonly until: number | null;
      /** The notice to the person. */
      readonly notice: MessageId;
      /** Null: not answered yet; then it continues as soon as there is a slot. */
      readonly answer: Permission | null;
    }
  /** Its work is to land before its messages are delivered; `landings` has how far it came. */
  | { readonly is: 'landing'; readonly since: number; readonly result: TurnResult }
  /** Its work could not land; its correction waits for a slot. */
  | {
      readonly is: 'refused';
      readonly since: number;
      readonly result: TurnResult;
      readonly problems: readonly string[];
    }
  /** Its attempt failed; the next step is not decided yet. */
  | {
      readonly is: 'failed';
      readonly class: ErrorClass;
      readonly reason: Reason;
      readonly until: number | null;
    };

/** What a person has answered to a question of an agent. */
export interface Permission {
  readonly allowed: boolean;
  /** Null: it was not answered in time. */
  readonly by: string | null;
  readonly comment: string | null;
}

/** Calls that a person has decided. `round`: the one after it, where what was allowed counts. */
interface DecidedQuestion extends Permission {
  readonly calls: readonly AskedCall[];
  readonly attempt: number;
  readonly round: number;
}

interface TurnConflict {
  /** Who was asked to resolve it. */
  readonly by: 'role' | 'person';
  /** The files and both sides, in words. */
  readonly text: string;
  /** Whether the turn waits until a person says that it is resolved. */
  readonly waits: boolean;
  /** The notice to the person; absent: none was sent. */
  readonly notice?: MessageId;
}

export interface Turn extends Claim {
  readonly id: TurnId;
  /** Open asks that this role must answer. */
  readonly owes: readonly Ask[];
  readonly claimedAt: number;
  /** Numbers the launches, from 1; names the folder. */
  readonly attempt: number;
  /** Numbers the corrections within an attempt, from 0. */
  readonly round: number;
  /** The corrections within an attempt that are due to conflicts with further work. */
  readonly merges: number;
  /** Attempts that count against `retries`. */
  readonly failures: number;
  /** Attempts that ended at a usage limit. */
  readonly limits: number;
  /** The errors of the last round, for the prompt of the next. */
  readonly problems: readonly string[];
  /** The output of the last round, for the prompt of a correction without a session. */
  readonly lastResult: TurnResult | null;
  /** The reason of the last failed attempt, for the prompt of a retry. */
  readonly lastFailure: Reason | null;
  /** What people have decided for it. */
  readonly decided: readonly DecidedQuestion[];
  /** The conflict that its messages brought into its checkout; null: none. */
  readonly conflict: TurnConflict | null;
  readonly reserved: boolean;
  readonly cost: Cost;
  /** The host of the worker that had it last; null: the controller's own. */
  readonly host: string | null;
  /** The commit that it began with, in the checkout of its role; null: not yet, or it has none. */
  readonly entered: string | null;
  /** The commit that its last round left; null: none yet. */
  readonly left: string | null;
  readonly phase: Phase;
}

export type ThreadState = 'open' | 'quiet' | 'closed' | 'failed';

export interface Thread {
  readonly id: ThreadId;
  /** The thread that opened it; null: none did. */
  readonly parent: ThreadId | null;
  /** The threads that it has opened, without forgotten ones. */
  readonly children: readonly ThreadId[];
  /** What it may spend of its parent's budget; null: it shares that. */
  readonly budget: Budget | null;
  /** Whether the rest of that is reserved: until it first ends, or has no work left. */
  readonly reserves: boolean;
  /** Work that its roles must merge before it can land; absent: none. */
  readonly meets?: TakenWork;
  readonly state: ThreadState;
  readonly subject: string;
  readonly opened: number;
  readonly messages: MessageId[];
  /** How many messages were ever sent in it. */
  readonly count: number;
  /**
   * Its open turns and waits; together with `waiting` it shows whether anything can still happen
   * here.
   */
  readonly running: number;
  /** Copies in inboxes of roles that pick them up alone. */
  readonly waiting: number;
  readonly turns: number;
  /** With that of all its sub-threads. */
  readonly cost: Cost;
  /** The git tree of the workspace at the first launch; what `changed` compares with. */
  readonly tree: string | null;
  readonly sessions: Readonly<Record<RoleName, Session & { readonly provider: string }>>;
  readonly reason: Reason | null;
}

/**
 * A pending change of the folders: a copy that has moved, the author's copy, or a refused file.
 * Idempotent.
 */
export type Projection =
  | {
      readonly kind: 'copy';
      readonly message: Message;
      readonly role: RoleName;
      readonly delivery: Delivery;
      /** It was in `failed` before, and its file may still be there. */
      readonly leavesFailed: boolean;
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
  /** A step's result for its run, in the inbox of the run. */
  | { readonly kind: 'answer'; readonly role: RoleName; readonly answer: StepAnswer; readonly since: number };

/** The time at which a request times out. */
export interface Timer {
  readonly at: number;
  readonly request: MessageId;
}

export interface RoleState {
  /**
   * Waiting requests, and other waiting mail, in the journal's order; replies that belong to a wait
   * are in neither.
   */
  readonly requests: Set<MessageId>;
  readonly queue: Set<MessageId>;
  /** The messages in `requests` and `queue`, by thread. */
  readonly inThread: Map<ThreadId, Set<MessageId>>;
  /** The messages in `requests`, by sender. */
  readonly fromRole: Map<RoleName, Set<MessageId>>;
  /** Requests that this role can still answer. */
  readonly asked: Set<MessageId>;
  /** How many answers its waits still lack, by the roles that can give them. */
  readonly waitsFor: Map<RoleName, number>;
  /** Its waits that block other mail: by their thread, or all mail, under ''. */
  readonly blockedBy: Map<ThreadId, Set<WaitId>>;
  /** Waiting requests that it picks up only together with other mail, by thread. */
  readonly joining: Map<ThreadId, Set<MessageId>>;
  /**
   * Threads in which its own waits block its mail, or a request waits for a join: where roles can
   * get stuck.
   */
  readonly crossed: Set<ThreadId>;
  /** Its waits whose answers have all arrived and are not yet picked up. */
  readonly answered: Set<WaitId>;
  readonly turns: number;
  readonly cost: Cost;
  /** Its inbox vanished with waiting mail: missing files mean nothing until it is restored. */
  readonly vanished: boolean;
}

/**
 * The whole state of the mail: the fold of the journal. It consists of plain values, maps and sets;
 * only `apply` changes it.
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
  /** The hash of the protocol that the last start read. */
  protocol: string;
  readonly threads: Map<ThreadId, Thread>;
  /** Mail of every remembered thread. */
  readonly mail: Map<MessageId, Mail>;
  readonly turns: Map<TurnId, Turn>;
  readonly waits: Map<WaitId, Wait>;
  /** Waits that a failure ended: a retry of a message of theirs opens them again. */
  readonly cut: Map<WaitId, Wait>;
  /** By turn; the order is that of the queues, one for each branch. */
  readonly landings: Map<TurnId, Landing>;
  /** Where Mailroom's last landing left each branch. */
  readonly branches: Map<string, string>;
  readonly roles: Map<RoleName, RoleState>;
  /** Unread mail of people, by message and role. Outlives its thread. */
  readonly unread: Map<string, { readonly message: Message; readonly role: RoleName }>;
  /** The changes that the folders do not show yet, by message and role. */
  readonly pendingProjections: Map<string, Projection>;
  /**
   * Deadlines of requests with an ask that has not reached its deadline, and the same as a heap,
   * which can contain expired ones.
   */
  readonly deadlines: Map<MessageId, number>;
  readonly timers: Timer[];
  /** Asks without a remaining candidate. */
  readonly broken: Map<string, Ask & { readonly reason: Reason }>;
  /** Open threads in which nothing more can happen, as far as the fold knows. */
  readonly possiblyQuiet: Set<ThreadId>;
  /** Ended threads, oldest first; the oldest are forgotten. */
  readonly ended: Set<ThreadId>;
  readonly paused: {
    all: Pause | null;
    readonly roles: Map<RoleName, Pause>;
    readonly threads: Map<ThreadId, Pause>;
  };
  /** The ids of the last commands with a verdict, oldest first. */
  readonly commands: Set<string>;
  readonly parked: Map<string, number>;
  /** When the last turn ended. */
  agentsRan: number;
  /** By inbox, when files were accepted while agents ran: those of an hour, the oldest first. */
  readonly dropped: Map<RoleName, readonly number[]>;
  spent: { readonly day: string; readonly cost: Cost };
  /** All costs, by thread; those of forgotten threads together, under ''. */
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
    cut: new Map(),
    landings: new Map(),
    branches: new Map(),
    roles: new Map(),
    unread: new Map(),
    pendingProjections: new Map(),
    deadlines: new Map(),
    timers: [],
    broken: new Map(),
    possiblyQuiet: new Set(),
    ended: new Set(),
    paused: { all: null, roles: new Map(), threads: new Map() },
    commands: new Set(),
    parked: new Map(),
    agentsRan: 0,
    dropped: new Map(),
    spent: { day: '', cost: { usd: 0, tokens: 0, unpriced: 0 } },
    bills: new Map(),
  };
}

/** The state of a snapshot; without one, that of an empty journal. */
export function stateOf(snapshot: { readonly state: unknown } | null): MailState {
  return { ...emptyState(), ...(snapshot?.state as MailState | undefined) };
}
