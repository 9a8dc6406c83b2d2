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
}

/** One process. */
export interface ProcessJob {
  /** Never used again. */
  readonly key: string;
  /** `agent`: the CLI of an agent; `check`: a gate; `program`: what the definition's author wrote. */
  readonly kind: 'agent' | 'program' | 'check';
  /** The provider that the process belongs to; null: to the definition's author. */
  readonly provider: string | null;
  /** Null: nothing was said of its permissions, so it has all. */
  readonly capabilities: readonly Capability[] | null;
  /** Files and folders that it has to hand over, and may write whatever its permissions; absolute. */
  readonly owed: readonly string[];
  readonly command: CommandLine;
  readonly network: boolean;
  /** True: it may write what configures agents in the workspace. */
  readonly mayConfigure: boolean;
  /** Absolute, as all paths here. */
  readonly workspace: string;
  /** Where the files of its command go. */
  readonly folder: string;
  /** Folders besides the workspace that it may write whatever its permissions. */
  readonly writable: readonly string[];
  /** What it may only read, although it lies in something that it may write. */
  readonly guarded: readonly string[];
  readonly stdout: string;
  readonly stderr: string;
  /** Milliseconds; null: unlimited. */
  readonly totalMs: number | null;
  /** Without any output, in milliseconds; null: unlimited. */
  readonly idleMs: number | null;
  /** Between TERM and KILL; null: as usual. */
  readonly graceMs: number | null;
  /** Folders whose changes meanwhile are reported. */
  readonly watched: readonly string[];
}

/** Starts and stops the processes of a run. */
export interface StepRunner {
  start(job: ProcessJob): void;
  /** Ends the process of that key and everything it started. The `ended` call still comes. */
  stop(key: string): void;
  /** Ends what earlier hosts of this run left running. */
  sweep(): Promise<void>;
}

/** What the runner tells its host. Calls come later, never from inside `start`. */
export interface StepRunnerEvents {
  /** Of a program that printed much, `stdout` and `stderr` are the beginning and the end. */
  ended(key: string, exit: Exit, changed?: Changed): void;
}
