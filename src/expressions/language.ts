import type { Json } from '../kernel/json.ts';
import type { JsonType } from './values.ts';
import type { Comparing } from './tree.ts';

/** What a function makes of its arguments, or why it cannot. */
export type Called =
  { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly message: string };

interface Signature {
  /** As the documentation spells it; case does not count in a call. */
  readonly name: string;
  /** How many arguments it takes. */
  readonly least: number;
  readonly most: number;
  /** The types that its result may have; null when only its arguments tell. */
  readonly gives: readonly JsonType[] | null;
}

/** A pure function of values. Absent arguments stop the evaluation before it is called. */
interface PlainFunction extends Signature {
  readonly kind: 'plain';
  readonly call: (values: readonly Json[]) => Called;
}

/** The first argument that is there and not null, else null. The others are not evaluated. */
interface FallbackFunction extends Signature {
  readonly kind: 'fallback';
}

/** Its only argument, which must be there whatever the purpose of the expression is. */
interface RequiredFunction extends Signature {
  readonly kind: 'required';
}

/** Whether a file is there. An expression cannot know: whoever evaluates it must have looked. */
interface FileFunction extends Signature {
  readonly kind: 'file';
}

export type ExpressionFunction = PlainFunction | FallbackFunction | RequiredFunction | FileFunction;

/** What a workflow language allows in its expressions. */
export interface Language {
  /** The first words that a path may have. */
  readonly namespaces: readonly string[];
  readonly functions: readonly ExpressionFunction[];
  readonly comparing: Comparing;
  /**
   * The namespace of earlier steps, by id, and the property that says how a step ended. A reference to anything else of a
   * step is guarded behind a test of that property. Null when the language has no such thing.
   */
  readonly results: { readonly namespace: string; readonly status: string } | null;
  /** Namespaces of which whatever is absent reads as null, also where a value is wanted. Missing: there are none. */
  readonly optional?: readonly string[];
  /** True: `$` begins a path (`$.a.b`, `$a.b`) and strings may have double quotes, as in JSONPath. */
  readonly dollar: boolean;
  /** What to write instead of a first word that other languages have, by that word. */
  readonly insteadOf?: Readonly<Record<string, string>>;
}

/** The function that a call means. */
export function functionOf(language: Language, name: string): ExpressionFunction | undefined {
  const wanted = name.toLowerCase();
  return language.functions.find((each) => each.name.toLowerCase() === wanted);
}
