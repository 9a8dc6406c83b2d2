import type { Invocation, Outcome, Exit, CommandLine } from '../../providers/provider.ts';
import type { ThreadId } from '../../kernel/ids.ts';
import type { MessageCheck } from '../../kernel/message-check.ts';
import type { Launched } from '../../kernel/launched.ts';
import type { Changed } from '../../kernel/edits.ts';
import type { Capability } from '../../kernel/capabilities.ts';

/** One invocation that should be running. `key` is never used again. */
export interface AgentJob {
  readonly key: string;
  readonly provider: string;
  readonly invocation: Invocation;
  /** Milliseconds left of the turn's time; null: unlimited. */
  readonly totalMs: number | null;
  readonly idleMs: number | null;
  /** Whether the workspace's tree is to be noted before the agent starts. */
  readonly noteTree: boolean;
  /** The thread whose git worktree must be there first; null: the workspace is a folder. */
  readonly worktree: ThreadId | null;
  /** Folders, absolute, of which it is to be told what changed in them meanwhile; missing: none. */
  readonly watched?: readonly string[];
}

export interface GateJob {
  readonly key: string;
  /** The provider of the role whose turn it is, and whether that has a network: its gates are held as it is. */
  readonly provider: string;
  readonly network: boolean;
  readonly gates: readonly { readonly gate: MessageCheck; readonly message: string }[];
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
  readonly tree: string | null;
  readonly totalMs: number | null;
  /** Whose folder the output goes to. */
  readonly folder: { readonly turn: string; readonly attempt: number };
}

/** What the runner tells its host. Calls come later, never from inside `start`. */
export interface RunnerEvents {
  /** The process exists and waits behind the launch gate; `release` lets it go. */
  ready(key: string, process: Launched, tree: string | null): void;
  ended(key: string, outcome: Outcome, exit: Exit, changed?: Changed): void;
  gated(key: string, problems: string[]): void;
}

/** Starts and stops processes. */
export interface Runner {
  start(job: AgentJob): void;
  release(key: string): void;
  check(job: GateJob): void;
  /** Ends the process of that key and everything it started. The `ended` call still comes. */
  stop(key: string): void;
  /** Ends what earlier hosts of this project left running. */
  sweep(): Promise<void>;
  /** A name for the workspace's content now (a git tree), or null outside git. */
  tree(workspace: string): Promise<string | null>;
}

/** One process of a run. */
export interface StepJob {
  /** Never used again. */
  readonly key: string;
  /** The provider whose program it is; null: one that the definition's author wrote. */
  readonly provider: string | null;
  /** Null: nothing was said of its rights, so it has all. */
  readonly capabilities: readonly Capability[] | null;
  /** Files and folders that it has to hand over, and may write whatever its rights; absolute. */
  readonly owed: readonly string[];
  readonly command: CommandLine;
  /** Missing: it has a network. */
  readonly network?: false;
  /** True: it may write what configures agents in the workspace; missing: it must not. */
  readonly mayConfigure?: true;
  /** Absolute. */
  readonly workspace: string;
  readonly folder: string;
  readonly stdout: string;
  readonly stderr: string;
  /** Milliseconds; null: unlimited. */
  readonly totalMs: number | null;
  /** Between TERM and KILL; null: as usual. */
  readonly graceMs: number | null;
  /** Whether it is to be told what changed in the workspace meanwhile; missing: it is not. */
  readonly watched?: boolean;
}

/** Starts and stops the processes of a run. */
export interface StepRunner {
  start(job: StepJob): void;
  /** Ends the process of that key and everything it started. The `ended` call still comes. */
  stop(key: string): void;
  /** Ends what earlier hosts of this run left running. */
  sweep(): Promise<void>;
}

/** What the runner tells its host. Calls come later, never from inside `start`. */
export interface StepRunnerEvents {
  /**
   * Of a program that printed much, `stdout` and `stderr` are the beginning and the end. `changed`: paths in the watched
   * workspace, or why git cannot tell; missing: it was not watched, or lies outside git.
   */
  ended(key: string, exit: Exit, changed?: readonly string[] | string): void;
}
