import type { AskedCall } from '../../kernel/asked-call.ts';
import type { ErrorClass, Reason } from '../../kernel/errors.ts';
import { subjectLine, type Draft, type Message } from '../format/message.ts';
import type { Blocking, Lands, TimeoutPolicy } from '../format/protocol.ts';
import type { MessageId, RoleName, ThreadId, TypeName } from '../../kernel/ids.ts';
import type { Budget, Reported, Usage, Session } from '../../kernel/cost.ts';
import type { Assigned, TurnLaunch } from '../../kernel/launched.ts';
import type { RuleChanges } from '../../kernel/work.ts';
import type { TurnId, Target } from '../../letters/target.ts';

/** One recipient's duty to answer one request. */
export interface Ask {
  readonly request: MessageId;
  /** The role that the request was sent to, even after escalation to another. */
  readonly recipient: RoleName;
}

/** The terms of a request, from the protocol at the time of sending. */
export interface Request {
  readonly replies: readonly TypeName[];
  readonly blocks: Blocking;
  /** Milliseconds since 1970; null: none. */
  readonly deadline: number | null;
  readonly onTimeout: TimeoutPolicy;
  readonly escalateTo: RoleName;
}

/** A valid message, with what the protocol says about it. */
export interface Sent {
  readonly message: Message;
  readonly request: Request | null;
  /** The ask that this message answers. */
  readonly answers: Ask | null;
  /** A reply after another was accepted: filed, starts no turn. */
  readonly late: boolean;
  readonly closes: boolean;
  /** Recipients that pick this up only together with other messages (an `all` clause). */
  readonly joins: readonly RoleName[];
  /** Recipients that are people: their mail starts no turn. */
  readonly people: readonly RoleName[];
  /** The sub-thread that it opens, which has its id; null: it belongs to a thread that exists. */
  readonly opens: Opening | null;
}

/** A thread that a message of another thread opens. */
export interface Opening {
  readonly parent: ThreadId;
  /** What the sub-thread reserves of the parent's budget; null: it shares that. */
  readonly budget: Budget | null;
}

/**
 * One file of a staging folder (or the final text) after the turn: a draft, or why it is not one.
 */
export interface Staged {
  readonly id: MessageId;
  readonly created: number;
  readonly name: string;
  readonly draft: Draft | null;
  readonly problem: string | null;
  /** The original text. */
  readonly text: string;
}

/** The result of an invocation. */
export interface TurnResult {
  readonly text: string;
  readonly staged: readonly Staged[];
  /** The final text read as a message; used when nothing was staged. */
  readonly finalText: Staged | null;
  /** The stamp of the step's result if the turn does not write one; null: the turn owes none. */
  readonly stepResult: Pick<Staged, 'id' | 'created'> | null;
  /** Violations of the turn outside its staging folder, in words for its author. */
  readonly violations: readonly string[];
  /** Changes during the turn that it was not permitted to make, if their author is ambiguous. */
  readonly reports: readonly string[];
  readonly usage: Usage;
  readonly session: Session | null;
  readonly model: string | null;
  readonly exit: number | null;
  readonly durationMs: number;
}

/** The reason and the messages of a turn; decided from the protocol when the turn was claimed. */
export interface Claim {
  readonly role: RoleName;
  readonly thread: ThreadId;
  readonly priority: 'replies' | 'request' | 'mail';
  readonly messages: readonly MessageId[];
  /** The wait whose replies these are. */
  readonly wait: string | null;
  readonly provider: string;
  readonly retries: number;
  readonly corrections: number;
  /** How many waits of this role enclose the turn. */
  readonly nesting: number;
  /** At the nesting limit a turn must not send requests. */
  readonly mustAnswer: boolean;
  /** The reservation of every launch of the turn. */
  readonly budget: Budget | null;
  /** The folder that this turn locks against other writers, or null. */
  readonly holds: string | null;
}

/** A request of a person or program to the controller. */
export type Command =
  | { readonly verb: 'pause' | 'unpause'; readonly target: Target; readonly now: boolean }
  | { readonly verb: 'cancel'; readonly target: Target }
  /** About work that waits for approval to land, or what an agent asks for. */
  | {
      readonly verb: 'approve' | 'reject';
      readonly target: Target;
      readonly comment: string | null;
      /** The changes that the person has seen, from `changesOf`; missing: those that wait. */
      readonly changes?: string;
    }
  | { readonly verb: 'retry'; readonly message: Message; readonly role: RoleName };

interface AtTurn {
  readonly turn: TurnId;
}

/** The key of an invocation: an event with another key than the turn's current one is ignored. */
export interface AtInvocation extends AtTurn {
  readonly attempt: number;
  readonly round: number;
}

/** A message from Mailroom itself, without an id yet. */
export interface Notice {
  readonly to: RoleName;
  readonly thread: ThreadId | null;
  readonly inReplyTo: MessageId | null;
  readonly subject: string;
  readonly body: string;
}

/**
 * Every fact and event of the mail. `N` is the type of notices: drafts in a fact (what `decide`
 * asks to record), stamped messages in an event (what was recorded).
 */
export type Happening<N> =
  | {
      readonly type: 'started';
      readonly version: string;
      readonly protocol: string;
      /** For how many milliseconds no controller ran; absent: since the last event. */
      readonly off?: number;
    }
  | { readonly type: 'accepted'; readonly sent: Sent }
  | {
      readonly type: 'refused';
      readonly id: MessageId;
      readonly role: RoleName;
      readonly box: 'inbox' | 'outbox';
      readonly name: string;
      readonly text: string;
      readonly reason: Reason;
      readonly notices: readonly N[];
    }
  | ({ readonly type: 'claimed' } & Claim)
  | ({
      readonly type: 'launched';
      readonly process: TurnLaunch;
      readonly tree: string | null;
      /** The commit in the checkout of its role; null: its role has none of its own. */
      readonly entered: string | null;
    } & AtInvocation)
  /** A worker has begun it; null: it was put back, and waits for another. */
  | ({ readonly type: 'assigned'; readonly worker: Assigned | null } & AtInvocation)
  | ({ readonly type: 'returned'; readonly result: TurnResult } & AtInvocation)
  /** A person must decide about these calls before its agent continues. */
  | ({
      readonly type: 'asked';
      readonly result: TurnResult;
      readonly calls: readonly AskedCall[];
      readonly person: RoleName;
      /** Milliseconds since 1970; null: none. */
      readonly until: number | null;
      /** The question. */
      readonly notices: readonly N[];
    } & AtInvocation)
  | ({
      readonly type: 'checked';
      readonly problems: readonly string[];
      /** Whether its work conflicts with further work: both sides lie in the checkout now. */
      readonly conflicts: boolean;
      /** The commit that the turn left and the gates checked; null: none. */
      readonly left: string | null;
      /** The commits of other roles that the gates took into account. */
      readonly met: readonly string[];
      /** What of its work does not travel, in words; absent: all of it does. */
      readonly reports?: readonly string[];
    } & AtInvocation)
  /** Its work waits to land, before its messages are delivered. */
  | ({
      readonly type: 'landing-queued';
      readonly message: MessageId;
      readonly commit: string;
      readonly lands: Lands;
    } & AtInvocation)
  /** A person must let it land on a branch that is at `onto`. */
  | ({
      readonly type: 'landing-asked';
      readonly onto: string;
      /** Null: it changes none, and its branch is protected. */
      readonly rules: RuleChanges | null;
      /** Whether only `mailroom undo` has moved the branch since the last landing. */
      readonly undone?: boolean;
    } & AtInvocation)
  /** The branch moves from `onto` to `result` next, or has moved already. */
  | ({
      readonly type: 'landing-checked';
      readonly onto: string;
      readonly result: string;
    } & AtInvocation)
  /** It cannot land now, and is tried again and again. */
  | ({ readonly type: 'landing-blocked'; readonly problem: string } & AtInvocation)
  /** Somebody else moved the branch first: it is checked again. */
  | ({ readonly type: 'landing-missed' } & AtInvocation)
  /** Its author has to correct something. */
  | ({
      readonly type: 'landing-refused';
      readonly problems: readonly string[];
      /** Whether it conflicts with the branch: both sides lie in its checkout now; absent: no. */
      readonly conflicts?: boolean;
      /** The commit of the branch that a role of the thread has to merge; absent: none. */
      readonly meets?: string;
    } & AtInvocation)
  | ({ readonly type: 'landed' } & AtInvocation)
  /** The time to decide about its calls is over: they are refused. */
  | ({ readonly type: 'unanswered' } & AtTurn)
  /** Its agent continues with what a person has decided. */
  | ({ readonly type: 'continued' } & AtTurn)
  | ({ readonly type: 'corrected'; readonly problems: readonly string[] } & AtTurn)
  | ({
      readonly type: 'attempt-failed';
      readonly class: ErrorClass;
      readonly reason: Reason;
      /** For a usage limit: when the provider is available again. */
      readonly until: number | null;
      readonly usage: Usage;
      /** The resumed conversation, with its total cost; null: none. */
      readonly session: Session | null;
    } & AtInvocation)
  | ({ readonly type: 'stopped' } & AtInvocation)
  | ({ readonly type: 'requeued'; readonly notBefore: number; readonly counted: boolean } & AtTurn)
  | ({
      readonly type: 'conflicted';
      readonly by: 'role' | 'person';
      readonly notices: readonly N[];
    } & AtTurn)
  | ({ readonly type: 'resumed'; readonly provider: string } & AtTurn)
  | ({ readonly type: 'committed'; readonly sent: readonly Sent[] } & AtTurn)
  | ({ readonly type: 'abandoned'; readonly reason: Reason; readonly notices: readonly N[] } & AtTurn)
  | { readonly type: 'escalated'; readonly ask: Ask; readonly to: RoleName; readonly person: boolean }
  | { readonly type: 'proceeded'; readonly ask: Ask; readonly notice: N; readonly person: boolean }
  | {
      readonly type: 'failed-back';
      readonly ask: Ask;
      readonly reason: Reason;
      readonly notices: readonly N[];
    }
  | {
      readonly type: 'thread-failed';
      readonly thread: ThreadId;
      readonly reason: Reason;
      readonly notices: readonly N[];
    }
  | { readonly type: 'quieted'; readonly thread: ThreadId; readonly notices: readonly N[] }
  | {
      readonly type: 'withdrawn';
      readonly message: MessageId;
      readonly recipient: RoleName;
      readonly notices: readonly N[];
    }
  | { readonly type: 'read'; readonly message: MessageId; readonly recipient: RoleName }
  /** The folders show every event up to this one. */
  | { readonly type: 'projected'; readonly through: number }
  | { readonly type: 'vanished'; readonly role: RoleName; readonly notices: readonly N[] }
  | { readonly type: 'restored'; readonly role: RoleName }
  | { readonly type: 'parked'; readonly provider: string; readonly until: number }
  /** So many milliseconds passed in which the host did not run. */
  | { readonly type: 'suspended'; readonly ms: number }
  | {
      readonly type: 'controlled';
      readonly id: string;
      readonly by: string;
      readonly command: Command;
      /** Null when the command succeeded; else why it was refused. */
      readonly refusal: Reason | null;
    };

interface FromInbox {
  /** The role in whose inbox lay, as a file from outside, what this event accepts or refuses. */
  readonly inbox?: RoleName;
}

/** What `decide` asks to record. */
export type Fact = Happening<Notice> & FromInbox;

/**
 * What agents of this host had reported when an event ended their invocations. Without them it has
 * none, as every event of earlier versions.
 */
export type UsedByTurn = readonly (Reported & { readonly turn: TurnId })[];

/**
 * A recorded event. `at` is milliseconds since 1970 and never decreases; `v` is the version of the
 * format.
 */
export type MailEvent = Happening<Message> &
  FromInbox & {
    readonly v: 1;
    readonly at: number;
    readonly used?: UsedByTurn;
  };

/** Turns a fact into an event: gives its notices ids and a time. `newId` returns uuid v7s. */
export function stamp(fact: Fact, at: number, newId: () => string): MailEvent {
  const message = (notice: Notice): Message => {
    const id = newId();
    return {
      id,
      type: 'notice',
      from: 'mailroom',
      to: [notice.to],
      thread: notice.thread ?? id,
      inReplyTo: notice.inReplyTo,
      subject: subjectLine(notice.subject),
      created: at,
      work: null,
      attachments: [],
      fields: {},
      extra: {},
      body: notice.body,
    };
  };
  if ('notices' in fact) return { ...fact, notices: fact.notices.map(message), v: 1, at };
  if (fact.type === 'proceeded') return { ...fact, notice: message(fact.notice), v: 1, at };
  return { ...fact, v: 1, at };
}

/** An event with its number in the journal. */
export interface MailEventRecord {
  readonly n: number;
  readonly event: MailEvent;
}
