import type { ErrorClass } from '../errors.ts';
import type { Json } from '../json.ts';
import type { Launched, Reason, Session, Usage } from '../mail/event.ts';
import type { Budget } from '../mail/protocol.ts';
import type { StepId } from './model.ts';
import type { RunStatus, SettledStatus } from './status.ts';

/**
 * Names one entering of one step in a run: `build`, `each/0/lint`, `child/deploy`, and `build#2` on the second visit in a
 * sequence. A number is the index of an item.
 */
export type Path = string;

/** What a run was started with. */
export interface Given {
  readonly run: string;
  readonly workflow: string;
  readonly version: string;
  readonly language: string;
  readonly parameters: Readonly<Record<string, Json>>;
  readonly context: Readonly<Record<string, Json>>;
  readonly trigger: Json;
  /** What expressions see as `env`. */
  readonly env: Readonly<Record<string, string>>;
  /** Limits of the run, the definition's and those of the command line taken together. */
  readonly budget: Budget;
  /** Milliseconds of running; null: unlimited. */
  readonly timeout: number | null;
  /** The only step that is run (`run-step`); null: all. */
  readonly only: StepId | null;
}

export interface ArtifactRecord {
  readonly name: string;
  /** `<name>/<base name>`, within the step's folder of the context. */
  readonly path: string;
  readonly type: string | null;
}

/** What one run of a worker, or of a check, came to. */
export interface WorkResult {
  readonly outcome:
    | { readonly is: 'done' }
    | {
        readonly is: 'failed';
        readonly class: ErrorClass;
        readonly reason: Reason;
        /** The code that the worker itself reported: `{"error": {"code", "message"}}`. */
        readonly reported: string | null;
        /** A rate limit's end, if it was told; milliseconds since 1970. */
        readonly until: number | null;
        readonly timedOut: boolean;
      };
  readonly exitCode: number | null;
  /** Final text or standard output; at most 8 KB. */
  readonly output: string;
  readonly values: Readonly<Record<string, Json>>;
  readonly artifacts: readonly ArtifactRecord[];
  readonly usage: Usage;
  readonly session: Session | null;
  readonly model: string | null;
  readonly durationMs: number;
  /** What a person should know: a declared output that is not there, a value that nobody declared. */
  readonly warnings: readonly string[];
}

/** What a check found. */
export type Verdict =
  | { readonly is: 'complete' }
  | {
      readonly is: 'incomplete';
      readonly reasons: readonly string[];
      readonly fingerprints: readonly string[];
    }
  /** No readable verdict, or a check that failed: it is made again, without the worker. */
  | { readonly is: 'none'; readonly reason: Reason; readonly final: boolean };

/** The key of a process. An event with another key than the current one is ignored. */
export interface ProcessKey {
  readonly path: Path;
  readonly iteration: number;
  readonly attempt: number;
  /** 0: the worker; 1, 2, 3: a try of the check. */
  readonly check: number;
}

export type SkipReason =
  /** Its own condition was false. */
  | { readonly why: 'condition' }
  /** A dependency is closed; which. */
  | { readonly why: 'dependency'; readonly step: StepId }
  /** Something that it requires is absent; what. */
  | { readonly why: 'absent'; readonly what: string }
  /** No edge counted. */
  | { readonly why: 'edges' }
  /** The run ended first. */
  | { readonly why: 'run-ended' }
  /** `run-step` was about another step. */
  | { readonly why: 'not-asked' };

/** Why a run takes up nothing new. */
export type Ending =
  | { readonly why: 'aborted'; readonly path: Path; readonly reason: Reason }
  | { readonly why: 'timed-out' }
  | { readonly why: 'cancelled'; readonly by: string };

/** What the machine decides. */
export type Fact =
  /** All that they need is settled and lets them run; they wait for room only. */
  | { readonly type: 'readied'; readonly paths: readonly Path[] }
  | {
      readonly type: 'skipped';
      readonly path: Path;
      readonly reason: SkipReason;
      readonly wakes: readonly Path[];
    }
  | {
      readonly type: 'started';
      readonly path: Path;
      readonly provider: string | null;
      readonly reserves: Budget | null;
    }
  | { readonly type: 'expanded'; readonly path: Path; readonly items: readonly Json[] }
  | { readonly type: 'entered'; readonly path: Path; readonly parameters: Readonly<Record<string, Json>> }
  | {
      readonly type: 'asked';
      readonly path: Path;
      readonly message: string;
      readonly approvers: readonly string[];
      readonly deadline: number | null;
    }
  | { readonly type: 'checking'; readonly path: Path; readonly id: string; readonly reserves: Budget | null }
  | { readonly type: 'retrying'; readonly path: Path; readonly notBefore: number }
  | { readonly type: 'iterating'; readonly path: Path; readonly stage: number; readonly stalled: number }
  | {
      readonly type: 'settled';
      readonly path: Path;
      readonly status: Exclude<SettledStatus, 'SKIPPED'>;
      readonly class: ErrorClass | null;
      readonly reason: Reason | null;
      /** For those that come after: `satisfied`, or `closed`. */
      readonly leaves: 'satisfied' | 'closed';
      /** The values that others see. */
      readonly values: Readonly<Record<string, Json>>;
      /** Steps of the same body to be looked at again. */
      readonly wakes: readonly Path[];
    }
  | { readonly type: 'ending'; readonly ending: Ending }
  | {
      readonly type: 'closed';
      readonly status: Exclude<RunStatus, 'PENDING' | 'RUNNING'>;
      readonly reason: Reason | null;
    };

/** What the host learns. */
export type Happening =
  | { readonly type: 'began'; readonly given: Given }
  /** A host goes on with the run; what it finds running did not end by itself. */
  | { readonly type: 'resumed'; readonly by: 'person' | 'up' }
  | { readonly type: 'launched'; readonly key: ProcessKey; readonly process: Launched }
  | { readonly type: 'ended'; readonly key: ProcessKey; readonly result: WorkResult }
  | {
      readonly type: 'checked';
      readonly key: ProcessKey;
      readonly result: WorkResult;
      readonly verdict: Verdict;
    }
  /** Stopped on purpose; it starts again, uncounted. */
  | { readonly type: 'put-back'; readonly key: ProcessKey }
  | { readonly type: 'parked'; readonly provider: string; readonly until: number }
  | {
      readonly type: 'judged';
      readonly path: Path;
      readonly verdict: 'approve' | 'reject';
      readonly by: string;
      readonly comment: string | null;
    }
  | { readonly type: 'cancelled'; readonly by: string }
  /** A step that failed is to run again, perhaps with other instructions; what came after it too. */
  | {
      readonly type: 'retried';
      readonly path: Path;
      readonly instructions: string | null;
      readonly by: string;
    }
  | {
      readonly type: 'controlled';
      readonly id: string;
      readonly verb: string;
      readonly refusal: Reason | null;
    };

export type RunEvent = { readonly at: number } & (Fact | Happening);
