import type { Cost } from '../../kernel/cost.ts';
import type { Json } from '../../kernel/json.ts';
import type { FieldShape } from '../parts/fields.tsx';
import type { RunSummary } from '../../operations/runs/summary.ts';
import type { StepStatus } from '../../workflow/machine/status.ts';

/* The documents of the command line's `--json` for which it has no type of its own. */

export interface StepDocument {
  readonly status: StepStatus;
  /** The worker host of its last attempt; null: it ran here. */
  readonly host: string | null;
  readonly attempts: number;
  readonly iterations: number;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly exit_code: number | null;
  readonly error_class: string | null;
  readonly error_code: string | null;
  readonly reason: string | null;
  readonly values: Json;
  readonly artifacts: readonly { readonly name: string; readonly path: string }[];
  /** The work that it left in git. */
  readonly commit: { readonly id: string; readonly branch: string; readonly worktree: string | null } | null;
  readonly cost: Cost;
  /** The steps of a sub-workflow. */
  readonly steps?: StepDocuments;
  /** The iterations of a loop. */
  readonly items?: readonly { readonly index: number; readonly item: Json; readonly steps: StepDocuments }[];
}

export type StepDocuments = Readonly<Record<string, StepDocument>>;

export interface RunDocument extends RunSummary {
  readonly parameters: Readonly<Record<string, Json>>;
  readonly warnings: readonly string[];
  readonly steps: StepDocuments;
}

/** What a resume would do, step by step. */
export interface ResumptionDocument {
  readonly steps: readonly { readonly path: string; readonly does: string; readonly why: string }[];
}

/** The project, and whose key the page has: that is the name of who answers and approves. */
export interface Session {
  readonly project: string;
  readonly name: string;
  readonly access: 'read' | 'write';
}

/** A type of messages, as far as writing one needs it. */
export interface LetterType {
  readonly name: string;
  readonly from: readonly string[];
  readonly to: readonly string[];
  /** It goes to all of `to`. */
  readonly to_all: boolean;
  readonly reply: readonly string[];
  /** What waits for the answer. */
  readonly blocking: string;
  /** Milliseconds; null: it may take any time. */
  readonly timeout: number | null;
  readonly closes: boolean;
  readonly fields: Readonly<Record<string, FieldShape>>;
}

export interface ProtocolDocument {
  readonly roles: readonly { readonly name: string; readonly provider: string }[];
  readonly types: readonly LetterType[];
}

export interface WorkflowRow {
  readonly file: string;
  /** False: it has errors. */
  readonly ok: boolean;
  readonly name: string | null;
  readonly version: string | null;
  readonly tags: readonly string[];
  readonly language: string | null;
  readonly description: string | null;
  readonly steps: number | null;
  readonly errors: readonly DiagnosticDocument[];
  readonly last_run: Pick<RunSummary, 'run' | 'status' | 'alive' | 'started_at'> | null;
}

interface DiagnosticDocument {
  readonly code: string;
  readonly message: string;
  readonly line: number | null;
  readonly hint: string | null;
}

export interface WorkflowDocument {
  readonly file: string;
  readonly ok: boolean;
  readonly text: string;
  readonly parameters: Readonly<Record<string, FieldShape>>;
  readonly errors: readonly DiagnosticDocument[];
  readonly warnings: readonly DiagnosticDocument[];
}
