import type { ErrorClass, Reason } from '../../kernel/errors.ts';
import type { Template } from '../../expressions/template.ts';
import type { Json } from '../../kernel/json.ts';
import type { Hook, StepId } from '../model.ts';
import type { RunStatus, SettledStatus } from './status.ts';
import type { Budget, Session, Usage } from '../../kernel/cost.ts';
import type { Launched } from '../../kernel/launched.ts';

/**
 * Names one entering of one step in a run: `build`, `each/0/lint`, `child/deploy`, and `build#2` on the second visit in a
 * sequence. A number is the index of an item.
 */
export type Path = string;

/** What a run was started with. */
export interface RunStart {
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
  /** How its budget in msats is counted; null: dollars are no msats, and what is over the budget ends the run. */
  readonly msats: { readonly perUsd: number | null; readonly enforced: boolean } | null;
  /** What lay in the workspace when it began, as git names it; null: nothing will be undone. */
  readonly checkpoint: string | null;
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
  /** What an agent changed in its workspace; null: nobody can tell. */
  readonly changed: ChangedFiles | null;
}

export interface ChangedFiles {
  /** Relative to the workspace. */
  readonly paths: readonly string[];
  /** How many more there are than are named. */
  readonly more: number;
}

/** What a check found. */
export type Verdict =
  | { readonly is: 'complete' }
  | {
      readonly is: 'incomplete';
      readonly reasons: readonly string[];
      readonly fingerprints: readonly string[];
    }
  /** No check, but the summary that was asked for; without a text `problem` says why. */
  | { readonly is: 'summarised'; readonly text: string | null; readonly problem: string | null }
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
  /** It failed, and its policy is to go on as if it had been skipped; how it failed. */
  | { readonly why: 'failed'; readonly reason: Reason }
  /** No edge counted. */
  | { readonly why: 'edges' }
  /** The run ended first. */
  | { readonly why: 'run-ended' }
  /** `run-step` was about another step. */
  | { readonly why: 'not-asked' };

/** Why a run, an item of a loop or a sub-workflow takes up nothing new. */
export type Ending =
  | {
      readonly why: 'aborted';
      readonly path: Path;
      readonly class: ErrorClass;
      readonly reason: Reason;
    }
  | { readonly why: 'timed-out' }
  | { readonly why: 'cancelled'; readonly by: string };

/** A step that waits for `of` others of its body; one of them is settled now. */
export interface Wake {
  readonly path: Path;
  readonly of: number;
}

/** Where a sequence goes on, or how it ended. Always `graph` in a graph, which needs no telling. */
export type Counter =
  | { readonly at: 'graph' }
  | { readonly at: 'step'; readonly step: StepId; readonly visit: number }
  | {
      readonly at: 'end';
      readonly how: 'end' | 'break' | 'continue' | 'exit';
      readonly failed: { readonly class: ErrorClass; readonly reason: Reason } | null;
      /** What it says instead of the reason, once it is evaluated; missing: the reason says it. */
      readonly says?: Template;
    };

/** What a settled step changes for the others of its body. */
export interface Aftermath {
  /** For those that come after: `satisfied`, or `closed`. */
  readonly leaves: 'satisfied' | 'closed';
  readonly wakes: readonly Wake[];
  readonly next: Counter;
}

/** What the machine decides. */
export type Fact =
  /** A body begins: the run's (path ``), a sub-workflow's, or that of one item. */
  | {
      readonly type: 'opened';
      readonly path: Path;
      /** The step whose body it is, as the definition has it: without items and visits. */
      readonly body: string;
      readonly item: { readonly index: number; readonly value: Json } | null;
      readonly parameters: Readonly<Record<string, Json>> | null;
      /** How many steps a graph has; null: a sequence, which ends by its counter. */
      readonly total: number | null;
      readonly budget: Budget;
      readonly wakes: readonly Wake[];
      readonly next: Counter;
      /** Steps that nobody asked for (`run-step`). */
      readonly skips: readonly Path[];
    }
  /** They may run, and wait for room only. */
  | { readonly type: 'readied'; readonly paths: readonly Path[] }
  | ({ readonly type: 'skipped'; readonly path: Path; readonly reason: SkipReason } & Aftermath)
  | {
      readonly type: 'started';
      readonly path: Path;
      readonly provider: string | null;
      readonly reserves: Budget | null;
      /** Who was chosen of the roles that can do it; null: no role does it, or only one can. */
      readonly role: string | null;
    }
  /** A loop begins with these items, or a sub-workflow (no items: its one body). */
  | {
      readonly type: 'expanded';
      readonly path: Path;
      readonly items: readonly Json[] | null;
      /** How often a loop without a list may go round; null: it is another one. */
      readonly bound: number | null;
      readonly concurrency: number;
      /** Milliseconds of the run's clock that it may take. */
      readonly timeout: number | null;
    }
  | {
      readonly type: 'asked';
      readonly path: Path;
      readonly message: string;
      readonly approvers: readonly string[];
      readonly deadline: number | null;
    }
  | {
      readonly type: 'checking';
      readonly path: Path;
      readonly id: string;
      readonly provider: string | null;
      readonly reserves: Budget | null;
    }
  /** The worker, or its check, runs again, not before the instant. `provider`: that one is at its limit. */
  | {
      readonly type: 'retrying';
      readonly path: Path;
      readonly what: 'worker' | 'check';
      readonly notBefore: number;
      readonly provider: string | null;
      /** Whether it was one of the attempts, or tries, that are limited. */
      readonly counted: boolean;
    }
  | {
      readonly type: 'iterating';
      readonly path: Path;
      readonly convergence: ConvergenceState;
      readonly reasons: readonly string[];
      readonly fingerprints: readonly string[];
    }
  | ({
      readonly type: 'settled';
      readonly path: Path;
      readonly status: Exclude<SettledStatus, 'SKIPPED'>;
      readonly class: ErrorClass | null;
      readonly reason: Reason | null;
      /** What others see of it; none of one that failed. */
      readonly values: Readonly<Record<string, Json>> | readonly Json[];
      readonly artifacts: readonly ArtifactRecord[];
      readonly convergence: ConvergenceState | null;
      /** What it sets in `context`. */
      readonly context: Readonly<Record<string, Json>>;
      /** The body that it ends, the run's own or the one around it, in the same record: a torn write keeps both or none. Null: none. */
      readonly ends: Path | null;
    } & Aftermath)
  /** A body whose steps are all settled is through, and leaves this. */
  | {
      readonly type: 'left';
      readonly path: Path;
      readonly failed: Failure | null;
      readonly broke: boolean;
      /** It ends the sequence around it, too, and so on. */
      readonly exits: boolean;
    }
  /** Whether a file of the workspace is there decides what becomes of the step. */
  | { readonly type: 'looking'; readonly path: Path; readonly file: string }
  /** A body takes up nothing new; `` is the run. */
  | { readonly type: 'ending'; readonly scope: Path; readonly ending: Ending }
  /** All of an ending body that had not begun, or has nothing running. */
  | {
      readonly type: 'swept';
      readonly scope: Path;
      readonly skipped: readonly Path[];
      readonly cancelled: readonly Path[];
    }
  /** Steps are to run again: they forget how they ended; loops and sub-workflows around them go on. */
  | {
      readonly type: 'reopened';
      readonly steps: readonly Path[];
      readonly opens: readonly Path[];
      readonly scopes: readonly ReopenedScope[];
    }
  /** The time that the run's timeout counts goes on, or stands still. */
  | { readonly type: 'clocked'; readonly runs: boolean }
  | { readonly type: 'parked'; readonly provider: string; readonly until: number }
  | {
      readonly type: 'closed';
      readonly status: Exclude<RunStatus, 'PENDING' | 'RUNNING'>;
      readonly reason: Reason | null;
    };

/** How near the iterations of a step come to complete. */
export interface ConvergenceState {
  readonly stage: number;
  /** How often in a row the last set was found. */
  readonly stalled: number;
  readonly last: readonly string[] | null;
}

export interface Failure {
  readonly path: Path;
  readonly class: ErrorClass;
  readonly reason: Reason;
}

export interface ReopenedScope {
  readonly path: Path;
  readonly next: Counter;
  /** How many steps it has by now, null in a sequence; its settled steps and, of those that wait, how many of their needs are settled. */
  readonly total: number | null;
  readonly settled: number;
  readonly settledNeeds: readonly (readonly [Path, number])[];
  /** Steps to be looked at. */
  readonly dirty: readonly Path[];
  readonly failed: Failure | null;
}

/**
 * The command that a person gave for something: what follows it is its verdict, in one record, so that no crash can come
 * between the two.
 */
export type CommandId = string;

/** What the host learns. */
export type Happening =
  | { readonly type: 'began'; readonly given: RunStart }
  /** A host goes on with the run; what it finds running did not end by itself. */
  | { readonly type: 'resumed'; readonly by: 'person' | 'up' }
  | { readonly type: 'launched'; readonly key: ProcessKey; readonly process: Launched }
  /** Somebody has looked for a file; `problem`: why that may not be. */
  | {
      readonly type: 'looked';
      readonly path: Path;
      readonly file: string;
      readonly exists: boolean;
      readonly problem: Reason | null;
    }
  | { readonly type: 'ended'; readonly key: ProcessKey; readonly result: WorkResult }
  | {
      readonly type: 'checked';
      readonly key: ProcessKey;
      readonly result: WorkResult;
      readonly verdict: Verdict;
    }
  /** Stopped on purpose; it starts again, uncounted. */
  | { readonly type: 'put-back'; readonly key: ProcessKey }
  /** The step was put into the mail: it is no process of this host, and goes on whatever becomes of it. */
  | { readonly type: 'posted'; readonly key: ProcessKey }
  /** The role of a step waits for others, or goes on: while it waits it holds no slot. */
  | { readonly type: 'role-waits'; readonly key: ProcessKey; readonly waits: boolean }
  | {
      readonly type: 'judged';
      readonly path: Path;
      readonly verdict: 'approve' | 'reject';
      readonly by: string;
      readonly comment: string | null;
      /** When it was said; the host may see it later. */
      readonly said: number;
      readonly command: CommandId | null;
    }
  /** A hook is taken up, or (`over`) has ended; it is not taken up again. */
  | {
      readonly type: 'hooked';
      readonly on: Hook['on'];
      readonly over: boolean;
      readonly problem: string | null;
    }
  /** What the run has changed is being undone, or (`over`) was: so many files, or why not all. */
  | {
      readonly type: 'rolled-back';
      readonly over: boolean;
      readonly files: number;
      readonly problem: string | null;
    }
  | { readonly type: 'cancelled'; readonly by: string; readonly command: CommandId | null }
  /**
   * The run goes on with an edited definition; these steps are not what they were and run again, with what came after.
   * `limits`: what bounds it from now on; null: what did before.
   */
  | {
      readonly type: 'updated';
      readonly steps: readonly Path[];
      readonly limits: Pick<RunStart, 'budget' | 'timeout'> | null;
    }
  /** A step that failed is to run again, perhaps with other instructions; what came after it too. */
  | {
      readonly type: 'retried';
      readonly path: Path;
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
