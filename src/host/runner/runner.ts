import type { Invocation, Outcome, Exit, CommandLine } from '../../providers/provider.ts';
import type { LandingWork } from '../../git/landing.ts';
import type { TravellingTurn } from '../../git/travel.ts';
import type { RoleName, ThreadId } from '../../kernel/ids.ts';
import type { MessageCheck } from '../../kernel/message-check.ts';
import type { Assigned, Queued, TurnLaunch, WorkerNeeds } from '../../kernel/launched.ts';
import type { Changed } from '../../kernel/edits.ts';
import type { Capability } from '../../kernel/capabilities.ts';
import type {
  Approved,
  CheckedWork,
  Entering,
  Leaving,
  RuleChanges,
  WorkingTurn,
} from '../../kernel/work.ts';

/** One invocation that should be running. Keys are never reused. */
export interface AgentJob {
  readonly key: string;
  readonly provider: string;
  readonly invocation: Invocation;
  /** Milliseconds left before the turn times out; null: unlimited. */
  readonly totalMs: number | null;
  readonly idleMs: number | null;
  /** Whether to record the workspace's git tree before the agent starts. */
  readonly noteTree: boolean;
  /** Whether what it changes in a git workspace is kept for people; absent: it is not. */
  readonly keepsDifference?: boolean;
  /** The thread whose git worktree must exist first; null: the workspace is a folder. */
  readonly worktree: ThreadId | null;
  /** What the checkout of its role must contain first; absent: its role has none of its own. */
  readonly entering?: Entering;
  /** The same for a checkout that is prepared already. */
  readonly entered?: TravellingTurn;
  /** Folders, absolute, whose changes meanwhile are reported; absent: none. */
  readonly watched?: readonly string[];
  /** What a worker needs to run it; absent: it runs on this host. */
  readonly on?: WorkerNeeds;
  /** The queue of the workers; absent: that of its role. */
  readonly queue?: string;
  /** What runs instead of an agent; absent: an agent. */
  readonly program?: RemoteProgram;
  /** What travels with its checkout, at absolute paths; absent: nothing. */
  readonly files?: {
    /** A folder that they lie in, besides the checkout and those of the turn; null: in none. */
    readonly base: string | null;
    readonly carries: readonly string[];
    readonly brings: readonly string[];
    /** Those of them in which its worker masks its own secrets. */
    readonly values: readonly string[];
  };
  /** Variables of its host's own environment; absent: those of its provider. */
  readonly inherit?: readonly string[];
  /** Those of them that must be there; absent: none. */
  readonly secrets?: readonly string[];
  /** Milliseconds between TERM and KILL; absent: the default. */
  readonly graceMs?: number | null;
  /** The job that an earlier start has recorded for it; absent: none. */
  readonly queued?: Queued;
  /** The worker that an earlier host has recorded for that job; absent, or null: none. */
  readonly assigned?: Assigned | null;
}

/** A script or a command of a workflow, as a worker runs it. */
export interface RemoteProgram {
  readonly argv: readonly string[];
  readonly stdin: string;
  /** Files that it finds in its folder. */
  readonly files: Readonly<Record<string, string>>;
  /** Null: they were not declared, so it has all. */
  readonly capabilities: readonly Capability[] | null;
}

export interface CheckJob {
  readonly key: string;
  /**
   * The provider of the turn's role, and whether that has a network: its gates run with the same
   * containment.
   */
  readonly provider: string;
  readonly network: boolean;
  readonly checks: readonly { readonly check: MessageCheck; readonly message: string }[];
  /** The commit to make first, which the gates then check; absent: none. */
  readonly leaving?: Leaving;
  /** What the gates run on in the checkout of a role; absent: on the workspace as it is. */
  readonly work?: CheckedWork;
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
  readonly tree: string | null;
  readonly totalMs: number | null;
  /** The turn and attempt whose folder gets the output. */
  readonly folder: { readonly turn: string; readonly attempt: number };
}

/** A step of the landing of a turn's work: its key is another one for every try. */
export interface LandingJob {
  readonly key: string;
  readonly work: LandingWork;
  readonly step:
    /** Makes what the branch would have, and checks it where it is not what was checked before. */
    | {
        readonly do: 'check';
        readonly checks: LandingChecks;
        /** Nothing lands on its branch that a person has not approved. */
        readonly isProtected: boolean;
        readonly approved: Approved | null;
        /** Where the last landing left its branch; null: there was none. */
        readonly left: string | null;
        /** The turn, if its role resolves what conflicts; null: it must not edit. */
        readonly resolves: WorkingTurn | null;
      }
    /** Moves the branch, or finds out whether it was moved. */
    | { readonly do: 'swap' | 'settle'; readonly onto: string; readonly result: string };
}

/** The gates of work that lands. They run in the checkout of its role, with the caches there. */
export interface LandingChecks extends Omit<CheckJob, 'key' | 'leaving' | 'tree' | 'totalMs'> {
  readonly thread: ThreadId;
  readonly role: RoleName;
}

/** What a step of a landing came to. */
export type LandingReport =
  /** A person must approve it first. `undone`: only `mailroom undo` has moved the branch. */
  | {
      readonly is: 'asks';
      readonly onto: string;
      readonly rules: RuleChanges | null;
      readonly undone?: boolean;
    }
  | { readonly is: 'checked'; readonly onto: string; readonly result: string }
  | { readonly is: 'landed' }
  | { readonly is: 'missed' }
  /**
   * `conflicts`: both sides lie in the checkout of its role now. `meets`: the commit of the branch
   * that it conflicts with, which a role that may edit has to merge; absent: none.
   */
  | {
      readonly is: 'refused';
      readonly problems: readonly string[];
      readonly conflicts: boolean;
      readonly meets?: string;
    }
  /** It is tried again: the only report that is not the last. */
  | { readonly is: 'blocked'; readonly problem: string }
  | { readonly is: 'stopped' };

/** What the checks of a turn's messages have found. */
export interface CheckReport {
  readonly problems: readonly string[];
  /** Whether its work conflicts with further work: both sides lie in the checkout now. */
  readonly conflicts: boolean;
  /** The commit that was made, whatever the gates found; null: none. */
  readonly left: string | null;
  /** What of the work does not travel, in words; absent: all of it does. */
  readonly reports?: readonly string[];
}

/** Callbacks of the runner to its host. They come later, never from inside `start`. */
export interface RunnerEvents {
  /**
   * The process exists and waits at the launch barrier, until `release`. `entered`: the commit in
   * the checkout of its role.
   */
  ready(key: string, process: TurnLaunch, tree: string | null, entered?: string | null): void;
  /** A worker has begun it; null: none has it now. Called again and again with the same. */
  assigned(key: string, worker: Assigned | null): void;
  /** `difference`: what its workspace has now and had not before; null: nothing, or unknown. */
  ended(key: string, outcome: Outcome, exit: Exit, changed?: Changed, difference?: string | null): void;
  checked(key: string, report: CheckReport): void;
  /**
   * The machine could not start an agent, or the gates: in place of `ended` or `checked`. Absent:
   * that is a failure that may pass.
   */
  readonly held?: (key: string, problem: string) => void;
  /** An agent has ended, and the machine prevents reading what it left: that is tried again. */
  readonly unread?: (key: string, problem: string) => void;
  landing(key: string, report: LandingReport): void;
}

/** Those about agents, and programs of other hosts. */
export type AgentEvents = Pick<RunnerEvents, 'ready' | 'assigned' | 'ended' | 'held'>;

/** Starts and stops agents, here or on workers. */
export interface AgentRunner {
  /** A key that has not ended yet does not start again. */
  start(job: AgentJob): void;
  release(key: string): void;
  /** Ends the process of a key and everything it started. The `ended` call still comes. */
  stop(key: string): void;
  /**
   * The host ends: like `stop`, except that a turn on a worker continues, and the next host finds
   * it. The `ended` call still comes.
   */
  leave(key: string): void;
  /** The end of a key is durable: what was kept for a host that asks again can go. */
  forget(key: string): void;
}

/** Does that on other hosts. */
export interface AwayRunner extends AgentRunner {
  /** What keeps agents from there, in words. */
  problems(): string[];
  /** Removes what earlier hosts have left of jobs that nothing needs. `needed`: their ids. */
  clean(needed: ReadonlySet<string>): void;
}

/** Starts and stops processes. */
export interface Runner extends AgentRunner {
  check(job: CheckJob): void;
  land(job: LandingJob): void;
  /** Ends processes that earlier hosts of this project left running. */
  sweep(): Promise<void>;
}

/** One process. */
export interface ProcessJob {
  /** Never reused. */
  readonly key: string;
  /**
   * `agent`: the CLI of an agent; `check`: a gate; `program`: a script or command of the
   * definition.
   */
  readonly kind: 'agent' | 'program' | 'check';
  /** The provider of the process; null: it belongs to the definition's author. */
  readonly provider: string | null;
  /** Null: permissions were not declared, so it has all. */
  readonly capabilities: readonly Capability[] | null;
  /** Its output files and folders, which it may write whatever its permissions; absolute. */
  readonly owed: readonly string[];
  readonly command: CommandLine;
  readonly network: boolean;
  /** True: it may write agent configuration in the workspace. */
  readonly mayConfigure: boolean;
  /** Absolute, as all paths here. */
  readonly workspace: string;
  /** The folder for the files of its command. */
  readonly folder: string;
  /** Folders besides the workspace that it may write whatever its permissions. */
  readonly writable: readonly string[];
  /** Paths that it may only read, although they are inside something that it may write. */
  readonly guarded: readonly string[];
  readonly stdout: string;
  readonly stderr: string;
  /** Milliseconds; null: unlimited. */
  readonly totalMs: number | null;
  /** Milliseconds without any output; null: unlimited. */
  readonly idleMs: number | null;
  /** Milliseconds between TERM and KILL; null: the default. */
  readonly graceMs: number | null;
  /** Folders whose changes meanwhile are reported. */
  readonly watched: readonly string[];
}

/** Starts and stops the processes of a run. */
export interface StepRunner {
  start(job: ProcessJob): void;
  /** Ends the process of a key and everything it started. The `ended` call still comes. */
  stop(key: string): void;
  /** Ends processes that earlier hosts of this run left running. */
  sweep(): Promise<void>;
}

/** Callbacks of the runner to its host. They come later, never from inside `start`. */
export interface StepRunnerEvents {
  /** `stdout` and `stderr` of a large output are its beginning and end. */
  ended(key: string, exit: Exit, changed?: Changed): void;
  /** The machine could not start it: in place of `ended`. Absent: that is its exit. */
  readonly held?: (key: string, problem: string) => void;
  /** It has ended, and the machine prevents reading what it left: that is tried again. */
  readonly unread?: (key: string, problem: string) => void;
}
