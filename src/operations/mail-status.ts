import type { Reason } from '../kernel/errors.ts';
import type { MessageId, RoleName, ThreadId, TypeName } from '../kernel/ids.ts';
import type { LandingWay } from '../kernel/work.ts';
import type { TurnId } from '../letters/target.ts';
import type { ThreadState } from '../mail/machine/state.ts';
import type { Cost } from '../kernel/cost.ts';
import type { Explained } from './why/explained.ts';

/** The status of the mail. Times are ISO 8601 in UTC, money is in dollars. */
export interface MailStatus {
  readonly schema: 1;
  /** The holder of the project; null: no controller is running. */
  readonly controller: ControllerStatus | null;
  /** True when the protocol was edited since the controller read it. */
  readonly protocol_changed: boolean;
  readonly paused: {
    readonly all: boolean;
    readonly roles: readonly RoleName[];
    readonly threads: readonly ThreadId[];
  };
  /** Providers that are not used before a given time. */
  readonly parked: readonly { readonly provider: string; readonly until: string }[];
  readonly roles: readonly RoleStatus[];
  readonly threads: readonly ThreadStatus[];
  /** Unfinished turns. */
  readonly turns: readonly TurnStatus[];
  /** The landing queues of all branches, each in its order. */
  readonly landings: readonly LandingStatus[];
  readonly cost: { readonly today: Cost };
  /** Messages in outboxes that wait for a controller. */
  readonly recorded: number;
  /** What is wrong, in words. */
  readonly problems: readonly string[];
}

/** A role's state is the first of these that applies. */
export type RoleActivity = 'paused' | 'parked' | 'running' | 'held' | 'waiting' | 'idle';

export interface RoleStatus {
  readonly name: RoleName;
  readonly state: RoleActivity;
  /** The number of its running turns. */
  readonly running: number;
  /** The number of messages waiting in its inbox. */
  readonly inbox: number;
  /** The roles that it waits for, and the unanswered requests to them; null: none. */
  readonly waiting_for: {
    readonly roles: readonly RoleName[];
    readonly messages: readonly MessageId[];
    readonly since: string;
  } | null;
  /** Each wait separately: all requests that one turn sent. */
  readonly waits: readonly WaitStatus[];
  /** The requests that it picked up, or received as a person, and has not answered. */
  readonly owes: readonly DebtStatus[];
  readonly turns: number;
  readonly cost: Cost;
  /** Why its waiting mail does not move; null: none waits, or it moves, or no controller runs. */
  readonly why: Explained | null;
}

export interface WaitStatus {
  readonly thread: ThreadId;
  readonly blocks: 'role' | 'thread' | 'none';
  readonly roles: readonly RoleName[];
  readonly messages: readonly MessageId[];
  /** The types of these messages. */
  readonly types: readonly TypeName[];
  readonly since: string;
  readonly deadline: string | null;
}

export interface DebtStatus {
  readonly message: MessageId;
  readonly type: TypeName;
  readonly to: RoleName;
  readonly subject: string;
}

export interface ThreadStatus {
  readonly id: ThreadId;
  /** The thread that opened it; null: none did. */
  readonly parent: ThreadId | null;
  readonly subject: string;
  readonly state: ThreadState;
  readonly reason: Reason | null;
  readonly opened: string;
  readonly messages: number;
  readonly turns: number;
  /** With that of its sub-threads. */
  readonly cost: Cost;
  /** The folder of its git worktree, relative to the project; null: it has none. */
  readonly worktree: string | null;
  /** The git worktrees of its roles, where each has one of its own. */
  readonly checkouts: readonly { readonly role: RoleName; readonly path: string }[];
}

export interface TurnStatus {
  readonly id: TurnId;
  readonly role: RoleName;
  readonly thread: ThreadId;
  /**
   * `queued`: it waits for a worker; `held`: it waits until this machine can do what it needs, for
   * the reason in `held`; `pending`: it waits for its next attempt, or for a slot to
   * correct what could not land; `conflict`: a person has to resolve the conflict in its checkout;
   * `checking`: its agent has ended, its gates run; `landing`: its work is in the queue of a
   * branch.
   */
  readonly state:
    'queued' | 'running' | 'held' | 'asking' | 'checking' | 'landing' | 'pending' | 'conflict' | 'failed';
  /** Why it is held; null: it is not. */
  readonly held: string | null;
  /** The provider that runs it. */
  readonly provider: string;
  /** The rate-limited provider that it replaces; null: it is the role's own. */
  readonly instead_of: string | null;
  /** The worker that runs it; null: none does. */
  readonly worker: TurnWorker | null;
  readonly attempt: number;
  readonly round: number;
  readonly messages: readonly MessageId[];
  readonly since: string;
  /** When a pending turn starts again; null: as soon as there is a slot. */
  readonly again: string | null;
  /** Its agent's last progress report, in one line; null: none. */
  readonly progress: string | null;
  readonly cost: Cost;
}

/** The worker that runs a turn, as it names itself. */
export interface TurnWorker {
  readonly host: string;
  readonly id: string;
  /** Whose usage limits its agents have. */
  readonly login: string;
}

/** Work in the landing queue of a branch. */
export interface LandingStatus {
  readonly branch: string;
  readonly by: LandingWay;
  /** `approval`: a person has to let it land; `landing`: the branch moves now. */
  readonly state: 'approval' | 'queued' | 'landing' | 'landed';
  readonly turn: TurnId;
  readonly role: RoleName;
  readonly thread: ThreadId;
  /** The message that is delivered once it has landed. */
  readonly message: MessageId;
  readonly commit: string;
  /** Names exactly what waits for approval, for its answer; null: nothing waits. */
  readonly changes: string | null;
  /** What keeps it from landing now; null: nothing. */
  readonly blocked: string | null;
  readonly since: string;
}

/** The holder of the project. */
export interface ControllerStatus {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
  /**
   * False: it is a run that moves the mail for its roles, and starts no workflow by its triggers.
   */
  readonly triggers: boolean;
}
