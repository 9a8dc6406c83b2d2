import type { ErrorClass, Reason } from '../../kernel/errors.ts';
import type { Json } from '../../kernel/json.ts';
import type { Session, Usage } from '../../kernel/cost.ts';

export interface ArtifactRecord {
  readonly name: string;
  /** `<name>/<base name>`, within the step's folder of the context. */
  readonly path: string;
  readonly type: string | null;
}

/** Work of a step in git. */
export interface StepCommit {
  readonly id: string;
  /** The branch that has it. */
  readonly branch: string;
  /** Its git worktree, relative to the project; null: it has none. */
  readonly worktree: string | null;
}

/** The result of one run of a worker or a check. */
export interface WorkResult {
  readonly outcome:
    | { readonly is: 'done' }
    | {
        readonly is: 'failed';
        readonly class: ErrorClass;
        readonly reason: Reason;
        /** The failure code from the worker: `{"error": {"code", "message"}}`. */
        readonly reported: string | null;
        /** The end of a rate limit, if known; milliseconds since 1970. */
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
  /** Warnings for people: a missing declared output, an undeclared value. */
  readonly warnings: readonly string[];
  /** Files that an agent changed in its workspace; null: unknown. */
  readonly changed: ChangedFiles | null;
  /** The work that it leaves in git; null: none, or it failed. */
  readonly commit: StepCommit | null;
}

/** That of work which took no time and gave nothing. */
export const blankResult: WorkResult = {
  outcome: { is: 'done' },
  exitCode: null,
  output: '',
  values: {},
  artifacts: [],
  usage: { usd: 0, tokens: 0 },
  session: null,
  model: null,
  durationMs: 0,
  warnings: [],
  changed: null,
  commit: null,
};

export interface ChangedFiles {
  /** Relative to the workspace. */
  readonly paths: readonly string[];
  /** How many changed files `paths` leaves out. */
  readonly more: number;
}

/** The result of a check. */
export type Verdict =
  | { readonly is: 'complete' }
  | {
      readonly is: 'incomplete';
      readonly reasons: readonly string[];
      readonly fingerprints: readonly string[];
      /** The file with the whole output, in the project; null: the reasons are a report. */
      readonly log: string | null;
    }
  /** No check, but the requested summary; without `text`, `problem` says why. */
  | { readonly is: 'summarised'; readonly text: string | null; readonly problem: string | null }
  /** An unreadable verdict, or a check that failed: it runs again, without the worker. */
  | { readonly is: 'none'; readonly reason: Reason; readonly final: boolean };
