import type { Template } from '../expressions/template.ts';
import type { Tree } from '../expressions/tree.ts';
import type { Json } from '../kernel/json.ts';
import type { Script } from '../expressions/script/script.ts';
import type { Capability } from '../kernel/capabilities.ts';
import type { Budget } from '../kernel/cost.ts';

/*
 * What every workflow language is lowered to. Plain data: a definition is written as JSON into the folder of its run, and
 * the run goes on with that text whatever becomes of the file.
 */

export type StepId = string;

/** A definition that can be run: every name in it is defined in it. */
export interface Workflow {
  /** The language that it was written in; for people, nothing depends on it. */
  readonly language: string;
  readonly name: string;
  readonly version: string;
  readonly description: string | null;
  /** Milliseconds that the run may take; null: as long as it takes. */
  readonly timeout: number | null;
  /** Steps of the run at once; null: the language does not say. */
  readonly concurrency: number | null;
  /** Where the run's artifacts lie, relative to its workspace; null: in the folder of the run. */
  readonly contextDir: string | null;
  /** Null: its runs work where the caller says, else in the project. */
  readonly ownWorkspace: OwnWorkspace | null;
  readonly parameters: Readonly<Record<string, ValueType>>;
  /** What its parameters are called; missing: parameters. */
  readonly parameterWord?: 'input';
  /** Signed events define it, ask for its runs and report them; missing: files and commands alone do. */
  readonly byEvents?: true;
  /** Values of `context` where the caller gives none. Each sees `env`, parameters, what the caller gives and those above it. */
  readonly context: Readonly<Record<string, Template>>;
  readonly env: Readonly<Record<string, Template>>;
  /** Names of variables of the host that steps get and that expressions see as `env`. */
  readonly inherit: readonly string[];
  /** Names of variables of the host that the steps get and that are masked everywhere. */
  readonly secrets: readonly string[];
  readonly budget: Budget;
  readonly triggers: readonly Trigger[];
  readonly hooks: readonly Hook[];
  /** How often a step of a sequence may be entered, by the word of who started the run; missing: as the file says. */
  readonly maxVisits?: number;
  /** How plans and records show it; missing: as any workflow. */
  readonly display?: WorkflowDisplay;
  readonly body: Body;
}

/**
 * The place of a workflow that brings its own: a base, which is the folder above `workflows/`, and in it the workspace, made
 * when missing. Paths of its steps are relative to the workspace and may lead up to the base, but over no link. Its runs
 * are shown in the base, too: a folder for each with `state.json` and `logs/`.
 */
export interface OwnWorkspace {
  /** The workspace, one name in the base. */
  readonly workspace: string;
  /** Where its runs are shown, relative to the base. */
  readonly records: string;
}

/** The type of a parameter or of a value that a step hands over. */
export interface ValueType {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'any';
  /** The type of an array's items. */
  readonly items: ValueType | null;
  readonly enum: readonly Json[] | null;
  readonly required: boolean;
  /** What holds where nothing is given; undefined is never written: without a default there is no key. */
  readonly default?: Json;
  readonly description: string | null;
  /** What a text must match; missing: anything. */
  readonly pattern?: string;
  /** Of a value that a step hands over: its worker's final text is it, read as JSON where it is JSON. Missing: it is not. */
  readonly answer?: true;
}

/** Steps that belong together: a graph, in which all may run whose needs are met, or a sequence with jumps. */
export type Body =
  | { readonly kind: 'graph'; readonly steps: readonly Step[] }
  /** `maxVisits`: how often one step may be entered. */
  | { readonly kind: 'sequence'; readonly steps: readonly Step[]; readonly maxVisits: number };

export interface Step {
  readonly id: StepId;
  readonly description: string | null;
  readonly needs: readonly Need[];
  /** `all`: every need must be satisfied. `any`: one whose condition is true is enough; all must be settled. */
  readonly join: 'all' | 'any';
  /** Null: always. Absent values are null in it. */
  readonly when: Tree | null;
  readonly work: Work;
  /** Relative to the workspace of the run. `outside`: it is a literal that may lie anywhere, if it exists. */
  readonly workspace: { readonly path: Template; readonly outside: boolean } | null;
  readonly env: Readonly<Record<string, Template>>;
  /** Those of the workflow that it gets, or others; null: those of the workflow. */
  readonly secrets: readonly string[] | null;
  /** A file of the workspace: a program reads it as standard input, of an agent it is the prompt, as it is. */
  readonly stdin: Template | null;
  /** A file below `folder`, in the workspace, that gets what the worker prints, or its final text. */
  readonly stdout: { readonly folder: string; readonly path: Template } | null;
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
  readonly values: Readonly<Record<string, ValueType>>;
  /** Milliseconds that one run of the worker may take. */
  readonly timeout: number | null;
  /** Milliseconds that it has to end itself before it is killed; null: as long as usual. */
  readonly grace: number | null;
  readonly retry: Retry;
  readonly onFailure: FailurePolicy;
  /** Its processes have no network, where a sandbox or a namespace holds them; missing: they have one. */
  readonly network?: false;
  /** What its agent is told besides the instructions; missing: nothing. */
  readonly promptInputs?: readonly PromptInput[];
  /** How a plan shows it; missing: as any step. */
  readonly shown?: StepDisplay;
  readonly check: Check | null;
  readonly budget: Budget | null;
  /** Where a sequence goes on; null in a graph. */
  readonly next: Next | null;
}

/**
 * What a failure means once no further attempt is left; `retry` and `abort` end the run. `rollback`, of a step of the outermost
 * body: so does it, and the workspace is put back to what it was when the run began. `skip-dependents`: the run goes on without
 * them, and fails. `skip`: the step counts as skipped, and what comes after it goes on.
 */
export type FailurePolicy = 'retry' | 'continue' | 'skip' | 'abort' | 'rollback' | 'skip-dependents';

export interface Need {
  readonly step: StepId;
  /** The condition of the edge; null: none. */
  readonly when: Tree | null;
}

export interface Retry {
  /** Further attempts after a failed one. */
  readonly max: number;
  /** The n-th pause is `base · factorⁿ⁻¹`, at most `cap` milliseconds; with `jitter` a random part of that. */
  readonly base: number;
  readonly factor: number;
  readonly cap: number;
  readonly jitter: boolean;
  /** Exit codes after which it is tried again; null: all that may be better next time. */
  readonly codes: readonly number[] | null;
  /** Names of failures after which it never is, whatever else is said; missing: none. */
  readonly never?: readonly string[];
  /** Whether one miss of what it owes may be made good by a further attempt; missing: it may not. */
  readonly mends?: boolean;
}

/** A value that the agent of a step is given as data. */
export interface PromptInput {
  readonly name: string;
  readonly description: string | null;
  readonly source: Template;
  /** What it must be; null: anything. */
  readonly type: ValueType | null;
  /** Where it is null, and not required, it is left out. */
  readonly required: boolean;
  /** Instead of the source: the end of what that step printed. */
  readonly log?: StepId;
}

/** A workflow as the plan of its language shows it. */
export interface WorkflowDisplay {
  readonly title: string;
  /** Files of the run that show it in its own words, relative to the folder of the run. */
  readonly record: string;
  /** Files of the project that changed the workflow, in the order in which they were applied; missing: none. */
  readonly overrides?: readonly AppliedOverride[];
}

/** What a file changed in a workflow: a line for each value, as people read it. */
export interface AppliedOverride {
  /** As people know it: from the project, else absolute. */
  readonly file: string;
  /** Whether the person who started the run named it; otherwise it is one that the project always applies. */
  readonly isNamed: boolean;
  readonly changes: readonly string[];
}

/** A step as the plan of its language shows it. */
export interface StepDisplay {
  readonly title: string;
  /** Lines of a name and what it says. */
  readonly facts: readonly (readonly [string, string])[];
}

/** What a step does. */
export type Work =
  | Agent
  | { readonly kind: 'script'; readonly script: Script; readonly capabilities: readonly Capability[] }
  /** Its rights bind only inside a sandbox; null: nothing was said of them. */
  | {
      readonly kind: 'command';
      readonly argv: readonly Template[];
      readonly capabilities: readonly Capability[] | null;
    }
  | RoleWork
  | Approval
  | ForEach
  | While
  | Assign
  | Child;

/** A request to a role. */
export interface RoleWork {
  readonly kind: 'role';
  readonly role: string;
  /** Roles that can do it as well: one that is free is asked first, of these the cheapest, and after a failure another. Missing: none. */
  readonly others?: readonly string[];
  readonly instructions: Template;
}

/** One invocation of an agent's program. */
export interface Agent {
  readonly kind: 'agent';
  readonly provider: string;
  readonly model: string | null;
  readonly instructions: Template;
  readonly capabilities: readonly Capability[];
  readonly maxSteps: number | null;
  /** Milliseconds for each command that the agent runs. */
  readonly maxCommandTime: number | null;
  /** Names of MCP servers of the person's own settings that it may use; missing: none. */
  readonly mcp?: readonly string[];
  /** True: it may write what configures agents in its workspace; missing: it must not. */
  readonly mayConfigure?: true;
}

/** A point where a person must say yes. */
export interface Approval {
  readonly kind: 'gate';
  readonly message: Template;
  /** Who may say it; empty: anybody. */
  readonly approvers: readonly string[];
  readonly timeout: number | null;
  readonly onTimeout: 'abort' | 'approve' | 'reject';
}

/** `by` of a gate that its timeout has opened; no person may answer under this name. */
export const automaticApprover = 'auto_approve';

/** The same steps for each item of a list. */
export interface ForEach {
  readonly kind: 'for-each';
  /** An array, or an expression that evaluates to one: a tree is no array. */
  readonly items: Tree | readonly Json[];
  /** The name of the current item in the steps. */
  readonly as: string;
  readonly concurrency: number;
  /** The step whose values are those of an item; missing: those of all steps, by step. */
  readonly gives?: StepId;
  readonly body: Body;
}

/** The same steps again and again, as long as a condition holds. */
export interface While {
  readonly kind: 'while';
  /** Evaluated before each round; it sees the steps of the round before. */
  readonly condition: Tree;
  /** After so many rounds it fails, if the condition still holds. */
  readonly maxIterations: number;
  readonly body: Body;
}

/** Sets values of `context` for all that comes after. */
export interface Assign {
  readonly kind: 'assign';
  readonly values: Readonly<Record<string, Template>>;
}

/** Another workflow as a step. */
export interface Child {
  readonly kind: 'workflow';
  readonly workflow: Workflow;
  readonly with: Readonly<Record<string, Template>>;
  readonly exports: readonly { readonly from: StepId; readonly artifact: string; readonly as: string }[];
}

/** An artifact of another step that lies in the workspace before the step starts. */
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
 * Who says whether a step that succeeded is complete; where it is not, the step runs again. Or, for a summary, another turn
 * of the step's own conversation, whose text is kept beside the values: without one the step is as complete.
 */
export interface Check {
  readonly purpose?: 'summary';
  readonly work: Agent | Extract<Work, { kind: 'script' }> | Extract<Work, { kind: 'command' }>;
  readonly timeout: number;
  /** Where the verdict is read, relative to the workspace of the step; null: the worker's answer. */
  readonly decisionFile: string | null;
  readonly maxIterations: number;
  readonly onExhausted: 'abort' | 'continue';
  readonly budget: Budget | null;
  readonly convergence: Convergence | null;
}

/** What happens when iterations stop getting nearer to complete, and what they may change. */
export interface Convergence {
  readonly stallThreshold: number;
  readonly maxStage: number;
  readonly failOnMaxStage: boolean;
  /** Added to the instructions from that stage on. */
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
  /** Null: as `failure`; a sequence that fails by that has timed out. */
  readonly timeout: Target | null;
}

export type Target =
  | { readonly to: 'step'; readonly step: StepId }
  | { readonly to: 'end' }
  | { readonly to: 'error'; readonly message: string | null }
  | { readonly to: 'break' }
  | { readonly to: 'continue' }
  /** Out of all loops: the outermost sequence ends, well or with an error. */
  | { readonly to: 'finish' }
  | { readonly to: 'fail'; readonly message: Template | null };

/** What starts a run automatically while `up` is running. Milliseconds. */
export type Trigger = { readonly name: string } & (
  | { readonly kind: 'cron'; readonly expression: string; readonly timezone: string | null }
  | {
      readonly kind: 'files';
      readonly globs: readonly string[];
      readonly debounce: number;
      readonly cooldown: number;
    }
  | { readonly kind: 'webhook'; readonly path: string; readonly secret: string }
  | {
      readonly kind: 'command';
      readonly argv: readonly string[];
      readonly every: number;
      readonly on: 'change' | 'success';
    }
  | { readonly kind: 'message'; readonly role: string; readonly type: string }
);

/** Programs and notifications at the start and end of a run. What goes wrong in it is a warning. */
export interface Hook {
  readonly on: 'start' | 'complete' | 'failure';
  readonly run: readonly Template[] | null;
  /** The role that gets a notice. */
  readonly notify: string | null;
  /** Somebody outside who is told: by the command of that scheme, which gets the target and the words; null: it is only logged. */
  readonly tell?: {
    readonly scheme: string;
    readonly target: Template;
    readonly command: readonly string[] | null;
  };
}
