import type { ErrorClass, Reason } from '../../kernel/errors.ts';
import type { FileQuestion } from '../../expressions/language.ts';
import type { Template } from '../../expressions/template.ts';
import type { Json } from '../../kernel/json.ts';
import type { Hook } from '../automation.ts';
import type { Approval, StepId } from '../model.ts';
import type { RunStatus, SettledStatus } from './status.ts';
import type { Budget, Currency, Reported } from '../../kernel/cost.ts';
import type { ArtifactRecord, Verdict, WorkResult } from './work-result.ts';
import type { Assigned, Queued } from '../../kernel/launched.ts';

/**
 * Names one visit of a step in a run: `build`, `each/0/lint`, `child/deploy`, and `build#2` for the
 * second visit in a sequence. A number is the index of an item.
 */
export type StepPath = string;

/** What a run started with. */
export interface RunStart {
  readonly run: string;
  readonly workflow: string;
  readonly version: string;
  readonly language: string;
  readonly parameters: Readonly<Record<string, Json>>;
  readonly context: Readonly<Record<string, Json>>;
  readonly trigger: Json;
  /** The `env` namespace of expressions. */
  readonly env: Readonly<Record<string, string>>;
  /** Limits of the run: the definition's combined with those of the command line. */
  readonly budget: Budget;
  /** What its `units` are; null: it counts none. */
  readonly currency: Currency | null;
  /** The git object of the workspace at the start; null: the run has no rollback. */
  readonly checkpoint: string | null;
  /** Milliseconds of running; null: unlimited. */
  readonly timeout: number | null;
  /** The only step to run (`run-step`); null: all. */
  readonly only: StepId | null;
}

/** The key of a process. An event whose key is not the current one is ignored. */
export interface ProcessKey {
  readonly path: StepPath;
  readonly iteration: number;
  readonly attempt: number;
  /** 0: the worker; 1, 2, 3: an attempt of the check. */
  readonly check: number;
}

export type SkipReason =
  /** Its own condition was false. */
  | { readonly why: 'condition' }
  /** This dependency is closed. */
  | { readonly why: 'dependency'; readonly step: StepId }
  /** It failed, and its policy treats that as skipped. */
  | { readonly why: 'failed'; readonly reason: Reason }
  /** No incoming edge was chosen. */
  | {
      readonly why: 'edges';
      /** No edge has a condition: none of these steps ended as it must. Absent: one has. */
      readonly none?: readonly StepId[];
    }
  /** The run ended first. */
  | { readonly why: 'run-ended' }
  /** `run-step` named another step. */
  | { readonly why: 'not-asked' };

/** Why a run, an item or a sub-workflow starts nothing new. */
export type Ending =
  | {
      readonly why: 'aborted';
      readonly path: StepPath;
      readonly class: ErrorClass;
      readonly reason: Reason;
    }
  | { readonly why: 'timed-out' }
  | { readonly why: 'cancelled'; readonly by: string };

/** A step that waits for `of` others of its body, one of which is now settled. */
export interface Wake {
  readonly path: StepPath;
  readonly of: number;
}

/** The next position of a sequence, or how it ended. Always `graph` in a graph. */
export type Counter =
  | { readonly at: 'graph' }
  | { readonly at: 'step'; readonly step: StepId; readonly visit: number }
  | {
      readonly at: 'end';
      readonly how: 'end' | 'break' | 'continue' | 'exit';
      readonly failed: { readonly class: ErrorClass; readonly reason: Reason } | null;
      /** Replaces the reason once evaluated; null: the reason is shown. */
      readonly says: Template | null;
    };

/** What a settled step changes for the other steps of its body. */
export interface Aftermath {
  /** The state of its dependency edge for later steps. */
  readonly leaves: 'satisfied' | 'closed';
  readonly wakes: readonly Wake[];
  readonly next: Counter;
}

/** What a step asks about a file, or about those that match a glob. */
export interface FileLook {
  readonly path: StepPath;
  readonly asks: FileQuestion;
  readonly file: string;
}

/** A decision of the machine. */
export type Fact =
  /** A body begins: the run's (path ``), a sub-workflow's, or an item's. */
  | {
      readonly type: 'opened';
      readonly path: StepPath;
      /** The owning step in the definition: without items and visits. */
      readonly body: string;
      readonly item: { readonly index: number; readonly value: Json } | null;
      readonly parameters: Readonly<Record<string, Json>> | null;
      /** The number of steps of a graph; null: a sequence, which ends by its counter. */
      readonly total: number | null;
      readonly budget: Budget;
      readonly wakes: readonly Wake[];
      readonly next: Counter;
      /** Steps that `run-step` leaves out. */
      readonly skips: readonly StepPath[];
    }
  /** The steps wait only for a slot. */
  | { readonly type: 'readied'; readonly paths: readonly StepPath[] }
  | ({ readonly type: 'skipped'; readonly path: StepPath; readonly reason: SkipReason } & Aftermath)
  | {
      readonly type: 'started';
      readonly path: StepPath;
      readonly provider: string | null;
      readonly reserves: Budget | null;
      /** The role chosen among several; null: no role does it, or there was no choice. */
      readonly role: string | null;
    }
  /** A loop begins with these items, or a sub-workflow begins (no items: one body). */
  | {
      readonly type: 'expanded';
      readonly path: StepPath;
      readonly items: readonly Json[] | null;
      /** The maximum iterations of a loop without a list; null: another kind. */
      readonly bound: number | null;
      readonly concurrency: number;
      /** The names of its items, all different; absent: they have none. */
      readonly keys?: readonly string[];
      /** Its timeout in milliseconds of the run's clock. */
      readonly timeout: number | null;
      /** The steps that run finally; absent: another kind. */
      readonly isLast?: true;
      /** What the sequence before them says of its failure; absent: the failure says it. */
      readonly ended?: NonNullable<Extract<Counter, { at: 'end' }>['failed']>;
    }
  | ({
      readonly type: 'asked';
      readonly path: StepPath;
      readonly message: string;
      readonly deadline: number | null;
    } & Pick<Approval, 'approvers' | 'choices' | 'fields'>)
  | {
      readonly type: 'checking';
      readonly path: StepPath;
      readonly id: string;
      readonly provider: string | null;
      readonly reserves: Budget | null;
    }
  /**
   * The worker, or its check, runs again, not before this time. `provider`: the rate-limited one.
   */
  | {
      readonly type: 'retrying';
      readonly path: StepPath;
      readonly what: 'worker' | 'check';
      readonly notBefore: number;
      readonly provider: string | null;
      /** Whether it counts towards the limit of attempts. */
      readonly counted: boolean;
    }
  | {
      readonly type: 'iterating';
      readonly path: StepPath;
      readonly convergence: ConvergenceState;
      readonly reasons: readonly string[];
      readonly fingerprints: readonly string[];
      readonly log: string | null;
    }
  | ({
      readonly type: 'settled';
      readonly path: StepPath;
      readonly status: Exclude<SettledStatus, 'SKIPPED'>;
      readonly class: ErrorClass | null;
      readonly reason: Reason | null;
      /** Its outputs for other steps; empty if it failed. */
      readonly values: Readonly<Record<string, Json>> | readonly Json[];
      readonly artifacts: readonly ArtifactRecord[];
      readonly convergence: ConvergenceState | null;
      /** What it sets in `context`. */
      readonly context: Readonly<Record<string, Json>>;
      /**
       * The body that it ends, in the same record, so that a torn write keeps both or neither;
       * null: none.
       */
      readonly ends: StepPath | null;
    } & Aftermath)
  /** A sub-workflow has succeeded, and its step has a check that decides whether it is complete. */
  | {
      readonly type: 'completed';
      readonly path: StepPath;
      readonly values: Readonly<Record<string, Json>>;
      readonly artifacts: readonly ArtifactRecord[];
    }
  /** A body whose steps are all settled ends with this result. */
  | {
      readonly type: 'left';
      readonly path: StepPath;
      readonly failed: Failure | null;
      readonly broke: boolean;
      /** It ends the enclosing sequence too, and so on outwards. */
      readonly exits: boolean;
    }
  /** Which files of the workspace exist decides what the step does. */
  | ({ readonly type: 'looking' } & FileLook)
  /** A body starts nothing new; `` is the run. */
  | { readonly type: 'ending'; readonly scope: StepPath; readonly ending: Ending }
  /** All steps of an ending body that have not begun, or have nothing running. */
  | {
      readonly type: 'swept';
      readonly scope: StepPath;
      readonly skipped: readonly StepPath[];
      readonly cancelled: readonly StepPath[];
      readonly used?: UsedByPath;
    }
  /** Steps run again: their results are reset; enclosing loops and sub-workflows continue. */
  | {
      readonly type: 'reopened';
      readonly steps: readonly StepPath[];
      readonly opens: readonly StepPath[];
      readonly scopes: readonly ReopenedScope[];
      readonly used?: UsedByPath;
    }
  /** The clock of the run's timeout runs, or stops. */
  | { readonly type: 'clocked'; readonly runs: boolean }
  | { readonly type: 'parked'; readonly provider: string; readonly until: number }
  | {
      readonly type: 'closed';
      readonly status: Exclude<RunStatus, 'PENDING' | 'RUNNING'>;
      readonly reason: Reason | null;
    };

/** How far the iterations of a step have converged. */
export interface ConvergenceState {
  readonly stage: number;
  /** How often in a row the last set was found. */
  readonly stalled: number;
  readonly last: readonly string[] | null;
}

/**
 * What agents of this host had reported when an event ended them. Without them it has none, as
 * every event of earlier versions.
 */
export type UsedByPath = readonly (Reported & { readonly path: StepPath })[];

export interface Failure {
  readonly path: StepPath;
  readonly class: ErrorClass;
  readonly reason: Reason;
}

export interface ReopenedScope {
  readonly path: StepPath;
  readonly next: Counter;
  /**
   * Steps in all (null in a sequence), settled ones, and the settled needs of each waiting step.
   */
  readonly total: number | null;
  readonly settled: number;
  readonly settledNeeds: readonly (readonly [StepPath, number])[];
  /** Steps to consider. */
  readonly dirty: readonly StepPath[];
  readonly failed: Failure | null;
}

/**
 * The id of a person's command. The event that follows it is its verdict, in the same record, so
 * that no crash separates the two.
 */
export type CommandId = string;

/** An event that the host observed. */
export type Happening =
  /** So many milliseconds passed in which the host did not run. */
  | { readonly type: 'suspended'; readonly ms: number }
  | { readonly type: 'began'; readonly given: RunStart }
  /** A host continues the run; processes that were running did not end normally. */
  | { readonly type: 'resumed'; readonly by: 'person' | 'up'; readonly used?: UsedByPath }
  /** A step was handed to the workers of other hosts: it continues without this one. */
  | { readonly type: 'launched'; readonly key: ProcessKey; readonly process: Queued }
  /** A worker has begun it; null: none has it now. */
  | { readonly type: 'assigned'; readonly key: ProcessKey; readonly worker: Assigned | null }
  /** The result of a file lookup; `problem`: why the path is not allowed. */
  | ({
      readonly type: 'looked';
      /** Whether the file exists, or the files that match. */
      readonly answer: boolean | string[];
      readonly problem: Reason | null;
    } & FileLook)
  | { readonly type: 'ended'; readonly key: ProcessKey; readonly result: WorkResult }
  | {
      readonly type: 'checked';
      readonly key: ProcessKey;
      readonly result: WorkResult;
      readonly verdict: Verdict;
    }
  /** Stopped on purpose; it starts again without counting. */
  | { readonly type: 'put-back'; readonly key: ProcessKey; readonly used?: UsedByPath }
  /** The step was sent as mail: it is not a process of this host, and continues without it. */
  | { readonly type: 'posted'; readonly key: ProcessKey }
  /** The role of a step begins or ends waiting for others; while waiting it holds no slot. */
  | { readonly type: 'role-waits'; readonly key: ProcessKey; readonly waits: boolean }
  | {
      readonly type: 'judged';
      readonly path: StepPath;
      readonly choice: string;
      readonly by: string;
      readonly comment: string | null;
      readonly fields: Readonly<Record<string, Json>>;
      /** When the person answered; the host may see it later. */
      readonly said: number;
      readonly command: CommandId | null;
    }
  /** A hook starts, or (`over`) has ended; it does not start again. */
  | {
      readonly type: 'hooked';
      readonly on: Hook['on'];
      readonly over: boolean;
      readonly problem: string | null;
    }
  /**
   * The rollback of the run's changes begins, or (`over`) has ended: the number of files, or the
   * problem.
   */
  | {
      readonly type: 'rolled-back';
      readonly over: boolean;
      readonly files: number;
      readonly problem: string | null;
    }
  /** `newer`: the run that takes its place; what runs finally continues. */
  | {
      readonly type: 'cancelled';
      readonly by: string;
      readonly command: CommandId | null;
      readonly newer?: string;
    }
  /** Nothing new starts, or (`on` false) does again; what runs continues. */
  | {
      readonly type: 'paused';
      readonly on: boolean;
      readonly by: string;
      readonly command: CommandId | null;
    }
  /**
   * The run continues with an edited definition; these changed steps and their dependents run
   * again. `gone`: steps that it no longer has, or has as another kind, with all inside them;
   * absent: none. `limits`: the new limits; null: unchanged.
   */
  | {
      readonly type: 'updated';
      readonly steps: readonly StepPath[];
      readonly gone?: readonly StepPath[];
      readonly limits: Pick<RunStart, 'budget' | 'timeout'> | null;
    }
  /** A failed step and its dependents run again, perhaps with other instructions. */
  | {
      readonly type: 'retried';
      readonly path: StepPath;
      readonly instructions: string | null;
      readonly by: string;
      readonly command: CommandId | null;
    }
  /** A command is refused. */
  | {
      readonly type: 'controlled';
      readonly id: string;
      readonly by: string;
      readonly verb: string;
      readonly refusal: Reason;
    };

export type RunEvent = { readonly at: number } & (Fact | Happening);
