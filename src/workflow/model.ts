import type { Template } from '../expressions/template.ts';
import type { Tree } from '../expressions/tree.ts';
import type { Backoff } from '../kernel/backoff.ts';
import type { Json } from '../kernel/json.ts';
import type { Script } from '../expressions/script/script.ts';
import type { Capability } from '../kernel/capabilities.ts';
import type { Budget } from '../kernel/cost.ts';
import type { WorkerNeeds } from '../kernel/launched.ts';
import type { Agent } from './agent.ts';
import type { BranchRule, Land, Merge, StepCheckout } from './git-work.ts';
import type { Hook, RunLimit, Trigger } from './automation.ts';

/* The common form of all workflow languages. Plain data: a run uses the copy in its own folder. */

export type StepId = string;

/** A valid definition: every name in it is defined in it. */
export interface Workflow {
  /** The language of the source. Only languages/ compares it. */
  readonly language: string;
  readonly name: string;
  readonly version: string;
  readonly description: string | null;
  /** The run's timeout in milliseconds; null: none. */
  readonly timeout: number | null;
  /** Concurrent steps of the run; null: the language does not say. */
  readonly concurrency: number | null;
  /** The folder of the run's artifacts, relative to its workspace; null: in the run's folder. */
  readonly contextDir: string | null;
  /** A run whose `contextDir` another run uses gets its own folder; absent: it does not start. */
  readonly contextYields?: true;
  /** The absolute folder that such a run has instead; absent: none. */
  readonly contextAt?: string;
  /** How many of its runs may be in progress at once in one workspace; absent: any number. */
  readonly runs?: RunLimit;
  /** Null: its runs work in the caller's workspace, else in the project. */
  readonly ownWorkspace: OwnWorkspace | null;
  readonly parameters: Readonly<Record<string, ValueType>>;
  /** The language's word for its parameters; absent: parameters. */
  readonly parameterWord?: 'input';
  /** Signed events define it, request its runs and report them; absent: files and commands. */
  readonly byEvents?: true;
  /**
   * Values of `context` that the caller does not give. Each sees `env`, parameters, the caller's
   * values and those above it.
   */
  readonly context: Readonly<Record<string, Template>>;
  readonly env: Readonly<Record<string, Template>>;
  /** Names of host variables that steps get and that expressions see as `env`. */
  readonly inherit: readonly string[];
  /** Names of host variables that the steps get and that are masked everywhere. */
  readonly secrets: readonly string[];
  readonly budget: Budget;
  readonly triggers: readonly Trigger[];
  readonly hooks: readonly Hook[];
  /** The maximum visits of a step in a sequence, set by the caller; absent: as in the file. */
  readonly maxVisits?: number;
  /** Names under `inherit` that the caller has added; absent: none. */
  readonly inherited?: readonly string[];
  /** The git branches for its steps; absent: any. Only that of the outermost workflow counts. */
  readonly branch?: BranchRule;
  /** How plans and records show it; absent: the default. */
  readonly display?: WorkflowDisplay;
  readonly body: Body;
}

/**
 * A base, which is the folder above `workflows/`, and the workspace in it, created if missing.
 * Paths of steps are relative to the workspace and may lead up to the base, but not through a link.
 * Each run has a folder in the base's records, whose files its language defines.
 */
export interface OwnWorkspace {
  /** The workspace, a single name in the base. */
  readonly workspace: string;
  /** The folder of its runs' records, relative to the base. */
  readonly records: string;
}

/** The type of a parameter or of a step's value. */
export interface ValueType {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'any';
  /** The type of an array's items. */
  readonly items: ValueType | null;
  readonly enum: readonly Json[] | null;
  readonly required: boolean;
  /** The default value. Never undefined: without a default the key is absent. */
  readonly default?: Json;
  readonly description: string | null;
  /** The pattern of a string; absent: any. */
  readonly pattern?: string;
  /**
   * For a step's value: the worker's final text supplies it, parsed if it is JSON. Absent: it does
   * not.
   */
  readonly answer?: true;
}

/**
 * Steps that belong together: a graph, in which a step runs once its needs are met, or a sequence
 * with jumps.
 */
export type Body =
  | { readonly kind: 'graph'; readonly steps: readonly Step[] }
  /** `maxVisits`: the maximum visits of one step. */
  | { readonly kind: 'sequence'; readonly steps: readonly Step[]; readonly maxVisits: number };

export interface Step {
  readonly id: StepId;
  readonly description: string | null;
  readonly needs: readonly Need[];
  /** What its needs, which must all be settled, have to have done. */
  readonly join: Join;
  /** Null: always. Absent values are null in it. */
  readonly when: Tree | null;
  readonly work: Work;
  /** Relative to the run's workspace. `outside`: a literal that may lie anywhere, if it exists. */
  readonly workspace: { readonly path: Template; readonly outside: boolean } | null;
  /** Its own git worktree, instead of the run's workspace; absent: none. */
  readonly checkout?: StepCheckout;
  /** What a worker host must have to run its worker; absent: it runs on the host of the run. */
  readonly on?: WorkerNeeds;
  readonly env: Readonly<Record<string, Template>>;
  /** Its own list of secrets; null: those of the workflow. */
  readonly secrets: readonly string[] | null;
  /** A workspace file: standard input of a program, or an agent's unchanged prompt. */
  readonly stdin: Template | null;
  /** A file below `folder` (in the workspace) that receives the worker's output or final text. */
  readonly stdout: { readonly folder: string; readonly path: Template } | null;
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
  readonly values: Readonly<Record<string, ValueType>>;
  /** The timeout of one run of the worker, in milliseconds. */
  readonly timeout: number | null;
  /** Milliseconds between the request to stop and the kill; null: the default. */
  readonly grace: number | null;
  /** When its silent worker is ended, and what follows; absent: it may be silent. */
  readonly stall?: Stall;
  readonly retry: Retry;
  readonly onFailure: FailurePolicy;
  /** Its processes have no network, enforced by a sandbox or a namespace; absent: they have one. */
  readonly network?: false;
  /** What its agent's prompt has besides the instructions; absent: nothing. */
  readonly promptInputs?: readonly PromptInput[];
  /**
   * An expression that chooses the agent by its name; `work` then has only what all of them share.
   * Absent: the agent is known.
   */
  readonly choice?: {
    readonly name: Template;
    readonly agents: Readonly<Record<string, AgentVariant>>;
  };
  /** How a plan shows it; absent: the default. */
  readonly display?: StepDisplay;
  readonly check: Check | null;
  readonly budget: Budget | null;
  /** The successors in a sequence; null in a graph. */
  readonly next: Next | null;
}

/** What the needs of a step must have done, and the `when` of all, or of that one, be true. */
export type Join = 'all' | 'any' | 'one_success' | 'none_failed' | 'all_done';

/**
 * What a failure does once no attempt is left; `retry` and `abort` end the run. `rollback`, for a
 * step of the outermost body: ends the run and restores the workspace to its state at the start.
 * `skip-dependents`: the run continues without the dependents, and fails. `skip`: the step counts
 * as skipped, and its dependents run.
 */
export type FailurePolicy = 'retry' | 'continue' | 'skip' | 'abort' | 'rollback' | 'skip-dependents';

/** `policy` is what follows once a worker has printed nothing for `after` milliseconds. */
export interface Stall {
  readonly after: number;
  /**
   * `fail`: a failure that is not retried. `retry`: a failure that is retried as a timeout is.
   * `incomplete`: the step has not failed; its check, if it has one, counts as incomplete.
   */
  readonly policy: 'fail' | 'retry' | 'incomplete';
}

export interface Need {
  readonly step: StepId;
  /** The condition of the edge; null: none. */
  readonly when: Tree | null;
}

export interface Retry extends Backoff {
  /** The maximum number of retries. */
  readonly max: number;
  /** Exit codes that are retried; null: every failure that a retry may cure. */
  readonly codes: readonly number[] | null;
  /** Names of failures that are never retried, overriding the rest; absent: none. */
  readonly never?: readonly string[];
  /** Whether one missing declared output allows another attempt; absent: it does not. */
  readonly missingOutputs?: boolean;
}

/** A value that a step's agent is given as data. */
export interface PromptInput {
  readonly name: string;
  readonly description: string | null;
  readonly source: Template;
  /** Its type; null: any. */
  readonly type: ValueType | null;
  /** A null value that is not required is left out. */
  readonly required: boolean;
  /** Instead of the source: the end of that step's output. */
  readonly log?: StepId;
}

/** How the plan of its language shows a workflow. */
interface WorkflowDisplay {
  /** What people call it. */
  readonly title: string;
  /** Files that record the run in the language's own words, relative to the run's folder. */
  readonly record: string;
  /** Project files that changed the workflow, in order of application; absent: none. */
  readonly overrides?: readonly AppliedOverride[];
}

/** What a file changed in a workflow: one readable line per value. */
export interface AppliedOverride {
  /** From the project, else absolute. */
  readonly file: string;
  /** Whether the command line named it; otherwise the project always applies it. */
  readonly isNamed: boolean;
  readonly changes: readonly string[];
}

/** How the plan of its language shows a step; `facts`: lines of a name and a value. */
export interface StepDisplay {
  readonly title: string;
  readonly facts: readonly (readonly [string, string])[];
}

/** What a step does. */
export type Work =
  | Agent
  | { readonly kind: 'script'; readonly script: Script; readonly capabilities: readonly Capability[] }
  /** Its permissions are enforced only in a sandbox; null: not declared. */
  | {
      readonly kind: 'command';
      readonly argv: readonly Template[];
      readonly capabilities: readonly Capability[] | null;
    }
  | RoleWork
  | Merge
  | Land
  | Approval
  | ForEach
  | While
  /** Sets values of `context` for all later steps. */
  | { readonly kind: 'assign'; readonly values: Readonly<Record<string, Template>> }
  | Route
  /** The step, and what contains it, fails for this reason. */
  | { readonly kind: 'fail'; readonly message: Template }
  /** Steps that run once all others of their body are over, however that came about; its last. */
  | { readonly kind: 'finally'; readonly body: Body }
  | Child;

/** A request to a role. */
export interface RoleWork {
  readonly kind: 'role';
  readonly role: string;
  /**
   * Alternatives: a free one first, then the cheapest, and another after a failure. Empty: none.
   */
  readonly others: readonly string[];
  readonly instructions: Template;
}

/** What a step has with one of the agents that its expression may choose. */
export type AgentVariant = Pick<Step, 'timeout' | 'budget' | 'env' | 'stall'> & {
  readonly work: Agent;
  readonly network: boolean;
};

/** A point where a person must approve. */
export interface Approval {
  readonly kind: 'gate';
  readonly message: Template;
  /** Who may approve; empty: any person. */
  readonly approvers: readonly string[];
  /** What a person can choose: `reject` closes the gate, every other choice opens it. */
  readonly choices: readonly string[];
  /** What an answer carries besides, by name. */
  readonly fields: Readonly<Record<string, ValueType>>;
  readonly timeout: number | null;
  readonly onTimeout: 'abort' | 'approve' | 'reject';
}

/** The same steps for each item of a list; `as`: what the current item is called in them. */
export interface ForEach {
  readonly kind: 'for-each';
  /** An array, or an expression that evaluates to one: a tree is not an array. */
  readonly items: Tree | readonly Json[];
  readonly as: string;
  readonly concurrency: number;
  /** Names each item; absent: results and errors are lists, not mappings by it. */
  readonly key?: Template;
  /** Each item has a git worktree, which its steps share; absent: none has. */
  readonly isolated?: true;
  /** The step whose values are those of an item; absent: those of all steps, by step. */
  readonly gives?: StepId;
  readonly body: Body;
}

/** The same steps repeated while a condition holds. */
export interface While {
  readonly kind: 'while';
  /** Evaluated before each iteration; it sees the steps of the previous one. */
  readonly condition: Tree;
  /** It fails after this many iterations if the condition still holds. */
  readonly maxIterations: number;
  readonly body: Body;
}

/** Where a sequence continues: by the first way whose condition is true, or that has none. */
export interface Route {
  readonly kind: 'route';
  readonly ways: readonly { readonly when: Tree | null; readonly to: Target }[];
}

/** Another workflow as a step. */
export interface Child {
  readonly kind: 'workflow';
  readonly workflow: Workflow;
  readonly with: Readonly<Record<string, Template>>;
  readonly exports: readonly { readonly from: StepId; readonly artifact: string; readonly as: string }[];
}

/** An artifact of another step, placed in the workspace before the step starts. */
export interface Input {
  readonly from: StepId;
  readonly artifact: string;
  /** Relative to the workspace of the step. */
  readonly as: string;
  readonly required: boolean;
}

/** A file or folder of the workspace that becomes an artifact. */
export interface Output {
  readonly name: string;
  readonly path: Template;
  readonly type: string | null;
  readonly required: boolean;
}

/**
 * Checks whether a successful step is complete; if not, it runs again. Or, for a summary, continues
 * the step's conversation, and keeps its text beside the values; the step is complete without it.
 */
export interface Check {
  readonly purpose?: 'summary';
  readonly work: Agent | Extract<Work, { kind: 'script' }> | Extract<Work, { kind: 'command' }>;
  readonly timeout: number;
  /**
   * Where the verdict is read, relative to the workspace of the step; null: in the worker's answer.
   */
  readonly decisionFile: string | null;
  readonly maxIterations: number;
  readonly onExhausted: 'abort' | 'continue';
  readonly budget: Budget | null;
  readonly convergence: Convergence | null;
  /** Variables of its agent, over those of the step; absent: none. */
  readonly env?: Readonly<Record<string, Template>>;
  /** False: its processes have no network; absent: as those of the step. */
  readonly network?: false;
}

/** What happens when iterations stop converging, and what they may change. */
export interface Convergence {
  readonly stallThreshold: number;
  readonly maxStage: number;
  readonly failOnMaxStage: boolean;
  /** Appended to the instructions from that stage on. */
  readonly stages: readonly { readonly stage: number; readonly instructions: string }[];
  readonly allowedPaths: readonly string[];
  readonly ignoredPaths: readonly string[];
  readonly diffBase:
    { readonly kind: 'ref'; readonly ref: string } | { readonly kind: 'file'; readonly path: string };
  readonly maxChangedFiles: number | null;
}

export interface Next {
  readonly success: Target;
  readonly failure: Target;
  /** Null: as `failure`; a sequence that fails this way has timed out. */
  readonly timeout: Target | null;
}

export type Target =
  | { readonly to: 'step'; readonly step: StepId }
  | { readonly to: 'end' }
  | { readonly to: 'error'; readonly message: string | null }
  | { readonly to: 'break' }
  | { readonly to: 'continue' }
  /** Out of all loops: the outermost sequence ends, in success or with an error. */
  | { readonly to: 'finish' }
  | { readonly to: 'fail'; readonly message: Template | null };
