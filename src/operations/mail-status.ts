import type { Reason } from '../kernel/errors.ts';
import type { MessageId, RoleName, ThreadId, TypeName } from '../kernel/ids.ts';
import type { TurnId } from '../letters/target.ts';
import type { Cost, ThreadState } from '../mail/machine/state.ts';

/** What is going on in the mail. Instants are ISO 8601 in UTC, money is in dollars. */
export interface MailStatus {
  readonly schema: 1;
  /** Who holds the project; null: no controller runs. */
  readonly controller: ControllerStatus | null;
  /** True when the protocol was edited since the controller read it. */
  readonly protocol_changed: boolean;
  readonly paused: {
    readonly all: boolean;
    readonly roles: readonly RoleName[];
    readonly threads: readonly ThreadId[];
  };
  /** Providers that are not used before an instant. */
  readonly parked: readonly { readonly provider: string; readonly until: string }[];
  readonly roles: readonly RoleStatus[];
  readonly threads: readonly ThreadStatus[];
  /** Turns that are not over. */
  readonly turns: readonly TurnStatus[];
  readonly cost: { readonly today: Cost };
  /** Messages in outboxes that wait for a controller. */
  readonly recorded: number;
  /** What is wrong, in words. */
  readonly problems: readonly string[];
}

/** The first of these that holds is a role's state. */
export type RoleActivity = 'paused' | 'parked' | 'running' | 'waiting' | 'idle';

export interface RoleStatus {
  readonly name: RoleName;
  readonly state: RoleActivity;
  /** How many of its turns run. */
  readonly running: number;
  /** How many messages wait in its inbox. */
  readonly inbox: number;
  /** Whom it waits for, and the requests that they have not answered; null: for nobody. */
  readonly waiting_for: {
    readonly roles: readonly RoleName[];
    readonly messages: readonly MessageId[];
    readonly since: string;
  } | null;
  /** Each wait by itself: all requests that one turn sent. */
  readonly waits: readonly WaitStatus[];
  /** The requests that it took up, or as a person received, and has not answered. */
  readonly owes: readonly DebtStatus[];
  readonly turns: number;
  readonly cost: Cost;
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
  readonly subject: string;
  readonly state: ThreadState;
  readonly reason: Reason | null;
  readonly opened: string;
  readonly messages: number;
  readonly turns: number;
  readonly cost: Cost;
  /** The folder of its git worktree, relative to the project; null: it has none. */
  readonly worktree: string | null;
}

export interface TurnStatus {
  readonly id: TurnId;
  readonly role: RoleName;
  readonly thread: ThreadId;
  /** `pending`: it waits for its next attempt; `checking`: its agent is done, its gates run. */
  readonly state: 'running' | 'checking' | 'pending' | 'failed';
  /** Who runs it. */
  readonly provider: string;
  /** The provider that it stands in for, which is at its limit; null: it is the role's own. */
  readonly instead_of: string | null;
  readonly attempt: number;
  readonly round: number;
  readonly messages: readonly MessageId[];
  readonly since: string;
  /** When a pending turn starts again; null: as soon as there is room. */
  readonly again: string | null;
  /** What its agent last said of how far it is, in one line; null: nothing. */
  readonly progress: string | null;
  readonly cost: Cost;
}

/** Who holds the project. */
export interface ControllerStatus {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
  /** False: it is a run that moves the mail for its roles, and starts no workflow by its triggers. */
  readonly triggers: boolean;
}
