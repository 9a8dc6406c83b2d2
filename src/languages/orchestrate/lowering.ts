import type { Span } from '../../expressions/problem.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';
import type { LanguageContext } from '../shared/context.ts';
import type { StepInput } from './schema.ts';

/** Where a variable of a step stands: it is looked at when the ways between all steps are known. */
export interface Reading {
  /** The step that is read. */
  readonly step: string;
  readonly path: Path;
  readonly span: Span | null;
  /** The step that reads, or the loop whose condition does. */
  readonly by: Place;
  /** It may be missing. */
  readonly allowed: boolean;
}

/** A step of the file and the loops around it, the outermost first. */
export interface Place {
  readonly step: string;
  readonly loops: readonly string[];
  /** It is the condition of the innermost loop: it sees the steps of the round before. */
  readonly isCondition: boolean;
  /** It is said when the step is over: what that came to is there. */
  readonly isOver?: true;
}

/** What is known of the whole file before its steps are lowered. */
export interface FileFacts {
  readonly diagnostics: Diagnostics;
  readonly surroundings: LanguageContext;
  /** All steps by name, those of loops too, and the loops around each. */
  readonly steps: ReadonlyMap<string, { readonly input: StepInput; readonly loops: readonly string[] }>;
  /** Steps that are written so badly that nothing is concluded from them. */
  readonly broken: ReadonlySet<string>;
  /** Names of `context` that somebody sets; null: the start may set any. */
  readonly context: ReadonlySet<string> | null;
  /** The only step that is run: what others need may be missing. Null: all are. */
  readonly only: string | null;
  /** Variables that may be looked at; null: which these are cannot be read. */
  readonly env: ReadonlySet<string> | null;
  readonly secrets: ReadonlySet<string>;
  readonly maxVisits: number;
  /** Filled while steps are lowered. */
  readonly readings: Reading[];
}

/** What the texts of one step are lowered with. */
export interface Lowering extends FileFacts {
  readonly place: Place;
  /** Names that mean the current item. */
  readonly items: ReadonlySet<string>;
  readonly loop: 'for_each' | 'while' | null;
  /** Variables that are empty when they are missing. */
  readonly allowed: ReadonlySet<string>;
}
