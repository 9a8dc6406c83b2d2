import type { Diagnostics } from '../shared/diagnostics.ts';
import type { LanguageContext } from '../shared/context.ts';

/** What is known of the whole file before its steps are lowered. */
export interface FileFacts {
  readonly diagnostics: Diagnostics;
  readonly surroundings: LanguageContext;
  /** The names of all steps, those of loops too. */
  readonly steps: ReadonlySet<string>;
  /** Names of `context` that somebody sets; null: the start may set any. */
  readonly context: ReadonlySet<string> | null;
  /** The only step that is run: what others need may be missing. Null: all are. */
  readonly only: string | null;
  /** Variables that may be looked at; null: which these are cannot be read. */
  readonly env: ReadonlySet<string> | null;
  readonly secrets: ReadonlySet<string>;
  readonly maxVisits: number;
}

/** What the texts of one step are lowered with. */
export interface Lowering extends FileFacts {
  /** The name of the step, after those of the loops around it; empty: it is no step. */
  readonly way: readonly string[];
  /** Names that mean the current item. */
  readonly items: ReadonlySet<string>;
  readonly loop: 'for_each' | 'while' | null;
  /** Variables that are empty when they are missing. */
  readonly allowed: ReadonlySet<string>;
}
