import type { ErrorClass } from '../errors.ts';
import type { Json } from '../json.ts';
import type { Launched, Reason } from '../mail/event.ts';
import type { Budget } from '../mail/protocol.ts';
import type { Cost } from '../mail/state.ts';
import type { Ending, Given, Path, SkipReason, Verdict, WorkResult } from './event.ts';
import type { StepId } from './model.ts';
import type { RunStatus, SettledStatus } from './status.ts';

/** Where a step stands. What is not in the state's map is PENDING, or READY when it is in `ready`. */
export type Phase =
  /** Its worker is to run, not before the instant: after a failure, a rate limit, or because it was put back. */
  | { readonly is: 'waiting'; readonly notBefore: number; readonly provider: string | null }
  /** Its worker should be running. */
  | {
      readonly is: 'running';
      readonly since: number;
      readonly launched: Launched | null;
      readonly reserves: Budget | null;
    }
  /** Its worker has ended; what comes next is to be decided. */
  | { readonly is: 'ended'; readonly result: WorkResult }
  /** Its check is to run, not before the instant. */
  | { readonly is: 'check-waiting'; readonly notBefore: number; readonly provider: string | null }
  | {
      readonly is: 'checking';
      /** `MAILROOM_COMPLETION_CHECK_ID` of this try. */
      readonly id: string;
      readonly since: number;
      readonly launched: Launched | null;
      readonly reserves: Budget | null;
    }
  | { readonly is: 'checked'; readonly result: WorkResult; readonly verdict: Verdict }
  /** A gate that waits for a person. */
  | {
      readonly is: 'asked';
      readonly message: string;
      readonly approvers: readonly string[];
      readonly deadline: number | null;
    }
  /** A gate with its verdict. */
  | {
      readonly is: 'judged';
      readonly verdict: 'approve' | 'reject';
      readonly by: string;
      readonly comment: string | null;
    }
  /** A loop or a sub-workflow whose steps run; `open` counts its scopes that are not through. */
  | { readonly is: 'open' }
  | {
      readonly is: 'settled';
      readonly status: SettledStatus;
      readonly class: ErrorClass | null;
      readonly reason: Reason | null;
      readonly skipped: SkipReason | null;
      readonly leaves: 'satisfied' | 'closed';
    };

/** One entering of one step. */
export interface StepRun {
  readonly path: Path;
  readonly step: StepId;
  /** The scope that it belongs to. */
  readonly scope: Path;
  /** Attempts of the current iteration that were started and count. */
  attempt: number;
  /** Attempts of all iterations. */
  attempts: number;
  /** From 1. */
  iteration: number;
  /** Tries of the current check. */
  checks: number;
  startedAt: number | null;
  settledAt: number | null;
  cost: Cost;
  /** The last result of the worker. */
  result: WorkResult | null;
  /** What others see of its values, once it is settled. */
  values: Readonly<Record<string, Json>>;
  /** How near the iterations come to complete. */
  convergence: { readonly stage: number; readonly stalled: number; readonly last: readonly string[] | null };
  /** What the last incomplete check said; null: none yet. */
  outstanding: { readonly reasons: readonly string[]; readonly fingerprints: readonly string[] } | null;
  /** Instructions that a person gave instead of the definition's; null: none. */
  instructions: string | null;
  phase: Phase;
}

/** The steps of one body, once: the run's own, those of one item, those of a sub-workflow. */
export interface Scope {
  /** `` for the run, else the path of its step, and of the item: `each/0`, `child`. */
  readonly path: Path;
  /** The loop's item, or null. */
  readonly item: { readonly index: number; readonly value: Json } | null;
  /** The parameters of a sub-workflow; null: those of the scope around. */
  readonly parameters: Readonly<Record<string, Json>> | null;
  /** Steps that are settled. */
  settled: number;
  /** Worst that happened in it: what it leaves. */
  failed: { readonly path: Path; readonly reason: Reason } | null;
  /** In a sequence: the step to be entered next, or how it ended. Null in a graph. */
  counter: Counter | null;
}

/** Where a sequence is. */
export type Counter =
  | { readonly at: 'step'; readonly step: StepId; readonly visit: number }
  | { readonly at: 'end'; readonly failed: boolean; readonly message: string | null };

/** Everything that the journal of a run folds to. */
export interface RunState {
  /** The largest time of any event, in milliseconds since 1970. */
  now: number;
  /** How many events were folded. */
  events: number;
  /** Null before `began`. */
  given: Given | null;
  status: RunStatus;
  startedAt: number | null;
  endedAt: number | null;
  reason: Reason | null;
  /** Null: it goes on. Else nothing new is started, and what runs is not wanted any more. */
  ending: Ending | null;
  readonly steps: Map<Path, StepRun>;
  readonly scopes: Map<Path, Scope>;
  /** How many of its needs are settled, of each step that is not ready and has such. */
  readonly touched: Map<Path, number>;
  /** Steps that wait for room only, in the order in which they became so. */
  readonly ready: Set<Path>;
  /** Steps that were started and are not settled. */
  readonly active: Set<Path>;
  /** Providers at their limit, until when. */
  readonly parked: Map<string, number>;
  cost: Cost;
  /** Milliseconds that count for the run's timeout up to `since`, and since when it counts on; null: it stands still. */
  clock: { readonly spent: number; readonly since: number | null };
}
