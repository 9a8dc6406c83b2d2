import type { ErrorClass, Reason } from '../../kernel/errors.ts';
import type { Json } from '../../kernel/json.ts';
import type { Bills, Budget } from '../../kernel/cost.ts';
import type { Cost } from '../../mail/machine/state.ts';
import type {
  ArtifactRecord,
  ConvergenceState,
  Counter,
  Ending,
  Failure,
  RunStart,
  Path,
  SkipReason,
  Verdict,
  WorkResult,
} from './event.ts';
import type { Hook, StepId } from '../model.ts';
import type { RunStatus, SettledStatus } from './status.ts';
import type { Launched } from '../../kernel/launched.ts';

/** Where a step stands. What is not in the state's map is PENDING, or READY when it is in `ready`. */
export type Phase =
  /** It ran before, and is to run again; `ready` says whether it may. */
  | { readonly is: 'pending' }
  /** Its worker is to run, not before the instant: after a failure, a rate limit, or because it was put back. */
  | { readonly is: 'waiting'; readonly notBefore: number; readonly provider: string | null }
  /** Its worker should be running. */
  | {
      readonly is: 'running';
      readonly since: number;
      readonly provider: string | null;
      readonly launched: Launched | null;
      readonly reserves: Budget | null;
      /** Its role waits for others. */
      readonly waits: boolean;
      /** It is in the mail, and goes on without a host. */
      readonly posted: boolean;
    }
  /** Its worker has ended; what comes next is to be decided. */
  | { readonly is: 'ended'; readonly result: WorkResult; readonly provider: string | null }
  /** Its check is to run, not before the instant. */
  | { readonly is: 'check-waiting'; readonly notBefore: number; readonly provider: string | null }
  | {
      readonly is: 'checking';
      /** `MAILROOM_COMPLETION_CHECK_ID` of this try. */
      readonly id: string;
      readonly since: number;
      readonly provider: string | null;
      readonly launched: Launched | null;
      readonly reserves: Budget | null;
    }
  | {
      readonly is: 'checked';
      readonly result: WorkResult;
      readonly verdict: Verdict;
      readonly provider: string | null;
    }
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
  /** What becomes of it depends on a file that is to be looked for, or (`problem`) may not be. */
  | {
      readonly is: 'looking';
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

/** The bodies of a loop or of a sub-workflow, as numbers. */
export interface Open {
  /** The items of a loop; null: a sub-workflow, which has one body. */
  readonly items: readonly Json[] | null;
  /** How often a loop without a list may go round; null: it is another one. */
  readonly bound: number | null;
  /** How many bodies may be open at once. */
  readonly concurrency: number;
  /** Where the run's clock stood at the beginning, and how far it may go; null: as far as it takes. */
  readonly clockAt: number;
  readonly timeout: number | null;
  /** How many bodies were opened, and how many of these are through. */
  readonly opened: number;
  readonly left: number;
  /** The first body that failed. */
  readonly failed: Failure | null;
  /** A body said that there should be no further one. */
  readonly broke: boolean;
  /** A body said that all is over, and how; null: none has. */
  readonly exit: { readonly failed: Failure | null } | null;
}

/** One entering of one step. */
export interface StepRun {
  readonly path: Path;
  readonly step: StepId;
  /** The scope that it belongs to. */
  readonly scope: Path;
  /** Launches of the worker in the current iteration; numbers them. */
  attempt: number;
  /** Those of them that failed and count against the retries. */
  failures: number;
  /** Those of them that missed what the step owes. */
  misses: number;
  /** Launches of the worker, and of its check, in the current iteration that ended at a usage limit. */
  limits: number;
  /** Launches of all iterations that counted: neither put back nor turned away by a rate limit. */
  attempts: number;
  /** From 1. */
  iteration: number;
  /** Launches of the current check, and those that gave no verdict. */
  checks: number;
  checkFailures: number;
  /** Hosts that died while this ran, since it last ended by itself. */
  crashes: number;
  startedAt: number | null;
  settledAt: number | null;
  cost: Cost;
  /** The last result of the worker. */
  result: WorkResult | null;
  /** What it said of it afterwards; `problem`: why it did not. Null: nobody has asked. */
  summary: { readonly text: string | null; readonly problem: string | null } | null;
  /** What others see, once it is settled. Of a loop: a list by index. */
  values: Readonly<Record<string, Json>> | readonly Json[];
  artifacts: readonly ArtifactRecord[];
  /** How near the iterations come to complete. */
  convergence: ConvergenceState;
  /** What the last incomplete check said; null: none yet. */
  outstanding: { readonly reasons: readonly string[]; readonly fingerprints: readonly string[] } | null;
  /** Instructions that a person gave instead of the definition's; null: none. */
  instructions: string | null;
  /** Who was chosen of several roles, and which of them have failed since it last ran well; null: nobody was chosen. */
  role: string | null;
  failedRoles: readonly string[];
  /** Files that were looked for, by path, and whether they were there. */
  looks: Readonly<Record<string, boolean>>;
  /** Of a loop or a sub-workflow, since it was expanded. */
  open: Open | null;
  phase: Phase;
}

/** The steps of one body, once: the run's own, those of one item, those of a sub-workflow. */
export interface Scope {
  /** `` for the run, else the path of its step, and of the item: `each/0`, `child`. */
  readonly path: Path;
  /** The step whose body it is, as the definition has it. */
  readonly body: string;
  /** The step that it belongs to; null: the run. */
  readonly step: Path | null;
  /** The loop's item, or null. */
  readonly item: { readonly index: number; readonly value: Json } | null;
  /** The parameters of a sub-workflow; null: those of the scope around. */
  readonly parameters: Readonly<Record<string, Json>> | null;
  /** Steps that it has, null in a sequence, and how many of them are settled. */
  total: number | null;
  readonly budget: Budget;
  settled: number;
  /** How often it was opened again after it had failed. */
  retries: number;
  cost: Cost;
  /** Null: it goes on. Else nothing new is started in it, and what runs is not wanted any more. */
  ending: Ending | null;
  /** The first failure that makes it fail, although it went on. */
  failed: Failure | null;
  counter: Counter;
  /** The last step that a sequence entered. */
  entered: { readonly step: StepId; readonly visit: number } | null;
  /** How often each step of a sequence was entered. */
  readonly visits: Map<StepId, number>;
  /** How it left; null: it is not through. */
  left: { readonly failed: Failure | null } | null;
}

/** Everything that the journal of a run folds to. */
export interface RunState {
  /** The largest time of any event, in milliseconds since 1970. */
  now: number;
  /** How many events were folded. */
  events: number;
  /** Null before `began`. */
  given: RunStart | null;
  status: RunStatus;
  startedAt: number | null;
  endedAt: number | null;
  reason: Reason | null;
  /** Null: it goes on. Else nothing new is started, and what runs is not wanted any more. */
  ending: Ending | null;
  /** What is to run again besides all that is not done, to be worked out; null: nothing. */
  rerun: readonly Path[] | null;
  readonly steps: Map<Path, StepRun>;
  readonly scopes: Map<Path, Scope>;
  /** How many of its needs are settled, of each step that waits for more. */
  readonly settledNeeds: Map<Path, number>;
  /** What its agents were ever paid; turns of roles are billed in the mail. */
  readonly bills: Bills;
  /** Steps of which something is to be decided, and bodies that are through, in the order in which they became so. */
  readonly dirty: Set<Path>;
  readonly completedScopes: Set<Path>;
  /** Ending bodies whose steps were not looked at yet. */
  readonly endingScopes: Set<Path>;
  /** Steps that wait for room only, in the order in which they became so. */
  readonly ready: Set<Path>;
  /** Steps that were started and are not settled. */
  readonly active: Set<Path>;
  /** Providers at their limit, until when. */
  readonly parked: Map<string, number>;
  /** What launches of roles among which is chosen have cost, where they said so. */
  readonly rolePrices: Map<string, { readonly usd: number; readonly launches: number }>;
  /** Agents' steps that failed one after another with the same error. */
  breaker: { readonly error: string; readonly steps: readonly Path[] } | null;
  /** What steps have set in `context`. */
  context: Readonly<Record<string, Json>>;
  /** The hooks that were taken up, and what went wrong with them. */
  readonly hooks: Map<Hook['on'], { readonly over: boolean; readonly problem: string | null }>;
  /** What became of undoing what the run has changed; null: it was not begun. */
  rollback: { readonly over: boolean; readonly files: number; readonly problem: string | null } | null;
  cost: Cost;
  /** Commands of people that have their verdict: none is followed twice. */
  readonly commands: Set<string>;
  /** Milliseconds that count for the run's timeout up to `since`, and since when it counts on; null: it stands still. */
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

/** The state of a snapshot; without one, that of an empty journal. */
export function runStateOf(snapshot: { readonly state: unknown } | null): RunState {
  return snapshot === null ? emptyRunState() : (snapshot.state as RunState);
}
