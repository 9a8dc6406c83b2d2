import type { Diagnostics } from '../shared/diagnostics.ts';
import type { LanguageContext } from '../shared/context.ts';

/** Facts about the whole file, known before its steps are lowered. */
export interface FileFacts {
  readonly diagnostics: Diagnostics;
  readonly context: LanguageContext;
  /** The names of all steps, including those in loops. */
  readonly steps: ReadonlySet<string>;
  /** Names of `context` that the file or the start sets; null: the start may set any. */
  readonly contextNames: ReadonlySet<string> | null;
  /** The only step to run: outputs that others need may be missing. Null: all steps run. */
  readonly only: string | null;
  /** Readable environment variables; null: the list could not be read. */
  readonly env: ReadonlySet<string> | null;
  readonly secrets: ReadonlySet<string>;
  readonly maxVisits: number;
}

/** The context in which the texts of one step are lowered. */
export interface Lowering extends FileFacts {
  /** The name of the step, after those of the loops around it; empty: outside a step. */
  readonly way: readonly string[];
  /** Names of the current item. */
  readonly items: ReadonlySet<string>;
  readonly loop: 'for_each' | 'while' | null;
  /** Variables that are empty if they are missing. */
  readonly allowed: ReadonlySet<string>;
}
