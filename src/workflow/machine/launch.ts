import type { Json } from '../../kernel/json.ts';
import type { StepPath, ProcessKey } from './event.ts';
import type { Agent } from '../agent.ts';
import type { Land, Merge } from '../git-work.ts';
import type { Convergence, Stall, StepId, ValueType } from '../model.ts';
import type { Capability } from '../../kernel/capabilities.ts';
import type { Budget, Session } from '../../kernel/cost.ts';
import type { WorkerNeeds } from '../../kernel/launched.ts';

/** The work of one process of a run: every expression is resolved, no path is checked yet. */
export interface Launch {
  readonly run: string;
  readonly key: ProcessKey;
  readonly step: StepId;
  readonly work: LaunchWork;
  /** As the definition has it, relative to the run's workspace; null: that workspace. */
  readonly workspace: { readonly path: string; readonly outside: boolean } | null;
  /** Its own git worktree, instead of that workspace; absent: none. */
  readonly checkout?: LaunchCheckout;
  /** What a worker host needs to run it; absent: it runs on this host. */
  readonly on?: WorkerNeeds;
  /** Variables of the definition; the host adds `MAILROOM_…`. */
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  /** Names of variables inherited from the host. */
  readonly inherit: readonly string[];
  readonly network: boolean;
  /** A file used as standard input, or as the prompt of an agent; null: none. */
  readonly stdin: string | null;
  /** A file below a folder that receives standard output; null: none. */
  readonly stdout: { readonly folder: string; readonly path: string } | null;
  readonly inputs: readonly LaunchInput[];
  readonly outputs: readonly LaunchOutput[];
  readonly values: Readonly<Record<string, ValueType>>;
  /** Milliseconds; null: unlimited. */
  readonly timeout: number | null;
  /** Milliseconds between the request to stop and the kill; null: the default. */
  readonly grace: number | null;
  /** When the silent worker is ended; null: never, or this is a check. */
  readonly stall: Stall | null;
  readonly budget: Budget | null;
  /** The conversation to continue; null: a new one. */
  readonly session: Session | null;
  /** For a check: its id and where its verdict is read. Null: this is the worker. */
  readonly check: {
    readonly id: string;
    readonly decisionFile: string | null;
    /** The check asks for a summary of this value; null: for a verdict. */
    readonly summary: { readonly of: Json } | null;
  } | null;
  /** Values that an agent is given as data. */
  readonly promptInputs: readonly PromptValue[];
  /** How a complete verdict is measured; null: not at all. */
  readonly convergence: (Convergence & { readonly stage: number }) | null;
}

/** The git worktree of a step, and what it must contain before the worker starts. */
export interface LaunchCheckout {
  /** The end of the names of its branch and its folder. */
  readonly name: string;
  /** Whether changes are committed; otherwise the step reads exactly the work that it takes. */
  readonly edits: boolean;
  readonly takes: readonly TakenCommit[];
  /** The commit that the step left last; null: none. */
  readonly last: string | null;
  /** Its worker runs only to resolve a conflict. */
  readonly merges: boolean;
  /** The conflict that its last attempt failed with; null: none. */
  readonly conflict: string | null;
}

/** A commit that an earlier step made. */
export interface TakenCommit {
  readonly commit: string;
  readonly branch: string;
  readonly step: StepPath;
}

export type LaunchWork =
  | (Omit<Agent, 'instructions' | 'profile'> & {
      readonly instructions: string;
      /** What earlier iterations left to do; null: this is the first. */
      readonly leftToDo: string | null;
    })
  /** `env` has the values that the script refers to. */
  | {
      readonly kind: 'script';
      readonly script: string;
      readonly env: Readonly<Record<string, string>>;
      readonly capabilities: readonly Capability[];
    }
  /** `capabilities` null: not declared. */
  | {
      readonly kind: 'command';
      readonly argv: readonly string[];
      readonly capabilities: readonly Capability[] | null;
    }
  /** `takes`: the work that its message is about; null: none. */
  | {
      readonly kind: 'role';
      readonly role: string;
      readonly instructions: string;
      readonly takes: TakenCommit | null;
    }
  | Merge
  /**
   * `takes`: the work to land; null: none. `approved`: the digest of the changes of rules that a
   * person has approved; null: none.
   */
  | (Land & { readonly takes: TakenCommit | null; readonly approved: string | null });

/** A value that an agent is given. */
export interface PromptValue {
  readonly name: string;
  readonly description: string | null;
  readonly value: Json;
  /**
   * Instead of the value: the end of that process's output; `provider`: of its agent, null: it was
   * not an agent. Null: the value counts.
   */
  readonly log: { readonly key: ProcessKey; readonly provider: string | null } | null;
}

export interface LaunchInput {
  /** The step that made it, as a path that is also its folder in the context. */
  readonly from: StepPath;
  readonly artifact: string;
  readonly as: string;
  readonly required: boolean;
}

export interface LaunchOutput {
  readonly name: string;
  /** Relative to the step's workspace. */
  readonly path: string;
  readonly type: string | null;
  readonly required: boolean;
}

/**
 * The folder of a process, in that of its run's steps: `build/1.1`, or `build/1.1.2` for a check.
 */
export function processName({ path, iteration, attempt, check }: ProcessKey): string {
  const name = `${String(iteration)}.${String(attempt)}`;
  return `${path}/${check === 0 ? name : `${name}.${String(check)}`}`;
}

/** The environment of a step's process: absolute paths. */
export interface Prepared {
  readonly workspace: string;
  /**
   * `.mailroom/runs/<run>/steps/<path>/<iteration>.<attempt>[.check]/`: stdout, stderr, prompt,
   * result.
   */
  readonly folder: string;
  /** The JSON file for the step's values. */
  readonly valuesFile: string;
  readonly decisionFile: string | null;
  /** The content of `stdin`; null: there is none. */
  readonly stdin: string | null;
  /** Where the inputs are; absent inputs are left out. */
  readonly inputs: readonly { readonly artifact: string; readonly from: StepPath; readonly path: string }[];
  readonly stdout: string;
  readonly stderr: string;
}

/** The outputs found after the worker ended. */
export interface Collected {
  readonly artifacts: readonly {
    readonly name: string;
    readonly path: string;
    readonly type: string | null;
  }[];
  /** Declared outputs that are missing. `found`: what is at their path, such as a fifo. */
  readonly missing: readonly (LaunchOutput & { readonly found?: string })[];
  /** The values file; null: there is none. */
  readonly values: Json | { readonly unreadable: string } | null;
  /** The content of the decision file, empty if it is not a file; null: it does not exist. */
  readonly decision: string | null;
  /** What was left out of an artifact, and why. */
  readonly warnings: readonly string[];
}
