import type { Json } from '../kernel/json.ts';
import type { JsonType } from './values.ts';
import type { Comparing, Tree } from './tree.ts';

/** A function's result, or why it rejects its arguments. */
export type Called =
  { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly message: string };

interface Signature {
  /** In the spelling of the documentation; calls ignore case. */
  readonly name: string;
  /** How many arguments it takes. */
  readonly least: number;
  readonly most: number;
  /** The types that its result can have; null when they depend on the arguments. */
  readonly gives: readonly JsonType[] | null;
}

/** A pure function of values. Absent arguments stop the evaluation before the call. */
interface PlainFunction extends Signature {
  readonly kind: 'plain';
  readonly call: (values: readonly Json[]) => Called;
  /** Why literals among the arguments never have a result, in words; null: they may. */
  readonly literally?: (operands: readonly Tree[]) => string | null;
}

/** The first argument that is neither absent nor null, else null. Does not evaluate the others. */
interface FallbackFunction extends Signature {
  readonly kind: 'fallback';
}

/** Its only argument, which must exist for every purpose of the expression. */
interface RequiredFunction extends Signature {
  readonly kind: 'required';
}

/** What an expression may ask about files: whether one exists, or which match. */
export type FileQuestion = 'exists' | 'glob';

/** Asks about files. Expressions do not read the disk: the caller must have asked before. */
interface FileFunction extends Signature {
  readonly kind: 'file';
  readonly asks: FileQuestion;
}

export type ExpressionFunction = PlainFunction | FallbackFunction | RequiredFunction | FileFunction;

/** The functions, namespaces and syntax that a workflow language allows in its expressions. */
export interface Language {
  /** The allowed first words of a path. */
  readonly namespaces: readonly string[];
  readonly functions: readonly ExpressionFunction[];
  readonly comparing: Comparing;
  /**
   * The namespace of earlier steps, by id, and the property with the status of a step. A test of
   * that property guards references to anything else of the step. Null when the language has none.
   */
  readonly results: { readonly namespace: string; readonly status: string } | null;
  /** Namespaces whose absent values read as null, even where a value is wanted. Missing: none. */
  readonly optional?: readonly string[];
  /** True: `$` begins a path (`$.a.b`, `$a.b`), as in JSONPath. */
  readonly dollar: boolean;
  /** True: strings may have double quotes, too. */
  readonly doubleQuotes?: boolean;
  /** True: `+ - * /` between numbers. A name may contain a minus, so one needs blanks around it. */
  readonly calculates?: boolean;
  /** What to write in place of first words from other languages, by that word. */
  readonly insteadOf?: Readonly<Record<string, string>>;
}

/** The function that a call refers to. */
export function functionOf(language: Language, name: string): ExpressionFunction | undefined {
  const wanted = name.toLowerCase();
  return language.functions.find((each) => each.name.toLowerCase() === wanted);
}
