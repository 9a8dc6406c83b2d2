import type { Pause } from '../../kernel/commands.ts';
import type { FileQuestion } from '../../expressions/language.ts';
import type { ErrorClass, Reason } from '../../kernel/errors.ts';
import type { Json } from '../../kernel/json.ts';
import type { Bills, Budget, Cost } from '../../kernel/cost.ts';
import type { ConvergenceState, Counter, Ending, Failure, RunStart, StepPath, SkipReason } from './event.ts';
import type { ArtifactRecord, Verdict, WorkResult } from './work-result.ts';
import type { Hook } from '../automation.ts';
import type { Approval, StepId } from '../model.ts';
import type { RunStatus, SettledStatus } from './status.ts';
import type { Assigned, Queued } from '../../kernel/launched.ts';

/**
 * The phase of a step. A step that is not in the state's map is PENDING, or READY when it is in
 * `ready`.
 */
export type Phase =
  /** It ran before and runs again; `ready` says whether it may. */
  | { readonly is: 'pending' }
  /**
   * Its worker runs again, not before this time: after a failure, a rate limit, or because it was
   * put back.
   */
  | { readonly is: 'waiting'; readonly notBefore: number; readonly provider: string | null }
  /** Its worker should be running. */
  | {
      readonly is: 'running';
      readonly since: number;
      readonly provider: string | null;
      /** Its job for the workers; null: it has none yet, or runs on this host. */
      readonly launched: Queued | null;
      /** The worker that has that job; null: none. */
      readonly worker: Assigned | null;
      readonly reserves: Budget | null;
      /** Its role waits for others. */
      readonly waits: boolean;
      /** It was sent as mail, and continues without a host. */
      readonly posted: boolean;
    }
  /** Its worker has ended; the next decision is due. */
  | { readonly is: 'ended'; readonly result: WorkResult; readonly provider: string | null }
  /** Its check runs again, not before this time. */
  | { readonly is: 'check-waiting'; readonly notBefore: number; readonly provider: string | null }
  | {
      readonly is: 'checking';
      /** `MAILROOM_COMPLETION_CHECK_ID` of this attempt. */
      readonly id: string;
      readonly since: number;
      readonly provider: string | null;
      readonly reserves: Budget | null;
    }
  | {
      readonly is: 'checked';
      readonly result: WorkResult;
      readonly verdict: Verdict;
      readonly provider: string | null;
    }
  /** A gate, or a landing that changes rules, waits for a person. */
  | {
      readonly is: 'asked';
      readonly message: string;
      readonly approvers: readonly string[];
      readonly choices: Approval['choices'];
      readonly fields: Approval['fields'];
      readonly deadline: number | null;
    }
  /** It has its answer. */
  | {
      readonly is: 'judged';
      readonly choice: string;
      readonly by: string;
      readonly comment: string | null;
      readonly fields: Readonly<Record<string, Json>>;
    }
  /** It waits for a file lookup; `problem`: the path is not allowed. */
  | {
      readonly is: 'looking';
      readonly asks: FileQuestion;
      readonly file: string;
      readonly before: Extract<Phase, { is: 'pending' | 'waiting' | 'open' }>;
      readonly problem: Reason | null;
    }
  /** A loop or a sub-workflow whose steps run. */
  | { readonly is: 'open' }
  | {
      readonly is: 'settled';
      readonly status: SettledStatus;
      readonly class: ErrorClass | null;
      readonly reason: Reason | null;
      readonly skipped: SkipReason | null;
      readonly leaves: 'satisfied' | 'closed';
    };

/** The counters of a loop's or a sub-workflow's bodies. */
export interface Open {
  /** The items of a loop; null: a sub-workflow, which has one body. */
  readonly items: readonly Json[] | null;
  /** The maximum iterations of a loop without a list; null: another kind. */
  readonly bound: number | null;
  /** The names of the items; absent: they have none. */
  readonly keys?: readonly string[];
  /** How many bodies may be open at once. */
  readonly concurrency: number;
  /** The run's clock at the beginning, and its limit; null: unlimited. */
  readonly clockAt: number;
  readonly timeout: number | null;
  /** How many bodies were opened, and how many of them have ended. */
  readonly opened: number;
  readonly left: number;
  /** The first body that failed. */
  readonly failed: Failure | null;
  /** A body requested that no further one starts. */
  readonly broke: boolean;
  /** Its steps run finally; absent: it is a loop or a sub-workflow. */
  readonly isLast?: true;
  /** A body ended the whole sequence, and how; null: none has. */
  readonly exit: { readonly failed: Failure | null } | null;
}

/** One visit of a step. */
export interface StepRun {
  readonly path: StepPath;
  readonly step: StepId;
  /** The scope that contains it. */
  readonly scope: StepPath;
  /** Launches of the worker in the current iteration; the number of the last one. */
  attempt: number;
  /** Those that failed and count as retries. */
  failures: number;
  /** Those that missed declared outputs. */
  misses: number;
  /**
   * Launches of the worker, and of its check, in the current iteration that ended at a usage limit.
   */
  limits: number;
  /** Launches of all iterations that counted: neither put back nor refused by a rate limit. */
  attempts: number;
  /** From 1. */
  iteration: number;
  /** Launches of the current check, and those without a verdict. */
  checks: number;
  checkFailures: number;
  /** Hosts that died while this ran, since it last ended normally. */
  crashes: number;
  /** The worker host of its last launch; null: that was here. */
  host: string | null;
  startedAt: number | null;
  settledAt: number | null;
  cost: Cost;
  /** The last result of the worker. */
  result: WorkResult | null;
  /** Its later summary; `problem`: why there is none. Null: none was requested. */
  summary: { readonly text: string | null; readonly problem: string | null } | null;
  /** Its outputs, once settled; for a loop, a list by index. */
  values: Readonly<Record<string, Json>> | readonly Json[];
  artifacts: readonly ArtifactRecord[];
  /** How far the iterations have converged. */
  convergence: ConvergenceState;
  /** The report of the last incomplete check; null: none yet. */
  outstanding: Omit<Extract<Verdict, { is: 'incomplete' }>, 'is'> | null;
  /** The digest of the changes of rules that a person has let land; null: none. */
  approvedRules: string | null;
  /** A person's instructions that replace the definition's; null: none. */
  instructions: string | null;
  /**
   * The role chosen among several, and those that failed since its last success; null: no choice
   * was made.
   */
  role: string | null;
  failedRoles: readonly string[];
  /** The answers about files that it has asked for, by `seenKey`. */
  looks: Readonly<Record<string, boolean | string[]>>;
  /** For a loop or a sub-workflow, since it was expanded. */
  open: Open | null;
  phase: Phase;
}

/** One execution of a body: the run's own, an item's, or a sub-workflow's. */
export interface Scope {
  /** `` for the run, else the path of its step and item: `each/0`, `child`. */
  readonly path: StepPath;
  /** The owning step in the definition. */
  readonly body: string;
  /** The owning step; null: the run. */
  readonly step: StepPath | null;
  /** The loop's item, or null. */
  readonly item: { readonly index: number; readonly value: Json } | null;
  /** Its steps run finally, and see those around it; absent: another kind. */
  readonly isLast?: true;
  /** The parameters of a sub-workflow; null: those of the enclosing scope. */
  readonly parameters: Readonly<Record<string, Json>> | null;
  /** Its number of steps, null in a sequence, and how many are settled. */
  total: number | null;
  readonly budget: Budget;
  settled: number;
  /** How often it was opened again after a failure. */
  retries: number;
  cost: Cost;
  /** Null: active. Else it starts nothing new, and running processes are stopped. */
  ending: Ending | null;
  /** The first failure that will fail it, although it continued. */
  failed: Failure | null;
  counter: Counter;
  /** The last step that a sequence entered. */
  entered: { readonly step: StepId; readonly visit: number } | null;
  /** How often each step of a sequence was visited. */
  readonly visits: Map<StepId, number>;
  /** Its result; null: not complete. */
  left: { readonly failed: Failure | null } | null;
}

/** The fold of a run's journal. */
export interface RunState {
  /** The latest time of any event, in milliseconds since 1970. */
  now: number;
  /** The number of folded events. */
  events: number;
  /** Null before `began`. */
  given: RunStart | null;
  status: RunStatus;
  startedAt: number | null;
  endedAt: number | null;
  reason: Reason | null;
  /** Null: active. Else nothing new starts, and running processes are stopped. */
  ending: Ending | null;
  /** Steps to run again besides unfinished ones, not yet resolved; null: none. */
  rerun: readonly StepPath[] | null;
  readonly steps: Map<StepPath, StepRun>;
  readonly scopes: Map<StepPath, Scope>;
  /** The number of settled needs of each step that waits for more. */
  readonly settledNeeds: Map<StepPath, number>;
  /** Costs of its agents; turns of roles are billed in the mail. */
  readonly bills: Bills;
  /** Steps that need a decision, and completed bodies, in the order of their events. */
  readonly dirty: Set<StepPath>;
  readonly completedScopes: Set<StepPath>;
  /** Ending bodies whose steps are not yet settled. */
  readonly endingScopes: Set<StepPath>;
  /** Steps that wait only for a slot, in the order in which they became ready. */
  readonly ready: Set<StepPath>;
  /** Steps that are started and not settled. */
  readonly active: Set<StepPath>;
  /** Rate-limited providers, and until when. */
  readonly parked: Map<string, number>;
  /** Known costs of launches of roles that are chosen among several. */
  readonly rolePrices: Map<string, { readonly usd: number; readonly launches: number }>;
  /** Who has paused the run, and when; null: it is not paused. */
  paused: Pause | null;
  /** Agent steps that failed consecutively with the same error. */
  breaker: { readonly error: string; readonly steps: readonly StepPath[] } | null;
  /** What steps have set in `context`. */
  context: Readonly<Record<string, Json>>;
  /** The hooks that were started, and their problems. */
  readonly hooks: Map<Hook['on'], { readonly over: boolean; readonly problem: string | null }>;
  /** The state of the rollback; null: not begun. */
  rollback: { readonly over: boolean; readonly files: number; readonly problem: string | null } | null;
  cost: Cost;
  /** The ids of the last commands with a verdict, oldest first, so that none is followed twice. */
  readonly commands: Set<string>;
  /**
   * Milliseconds of the run's clock up to `since`, and when it last started; null: it is stopped.
   */
  clock: { readonly spent: number; readonly since: number | null };
}

export function emptyRunState(): RunState {
  return {
    now: 0,
    events: 0,
    given: null,
    status: 'PENDING',
    startedAt: null,
    endedAt: null,
    reason: null,
    ending: null,
    rerun: null,
    steps: new Map(),
    scopes: new Map(),
    settledNeeds: new Map(),
    dirty: new Set(),
    completedScopes: new Set(),
    endingScopes: new Set(),
    ready: new Set(),
    active: new Set(),
    parked: new Map(),
    paused: null,
    rolePrices: new Map(),
    breaker: null,
    context: {},
    hooks: new Map(),
    rollback: null,
    bills: new Map(),
    cost: { usd: 0, tokens: 0, unpriced: 0 },
    commands: new Set(),
    clock: { spent: 0, since: null },
  };
}

/** The state of a snapshot; without one, the state of an empty journal. */
export function runStateOf(snapshot: { readonly state: unknown } | null): RunState {
  return snapshot === null ? emptyRunState() : (snapshot.state as RunState);
}
