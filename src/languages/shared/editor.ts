import type { Language } from '../../expressions/language.ts';
import { isJsonObject, type Json, type JsonObject, type Path } from '../../kernel/json.ts';
import { ownValue } from '../../kernel/own.ts';
import type { Vocabulary } from '../../workflow/check/vocabulary.ts';

/** What a name in a file is a name of. */
export type NameKind = 'step' | 'parameter' | 'artifact' | 'role' | 'type' | 'agent' | 'provider' | 'file';

/** Where names of a kind stand, by paths such as `steps/build/depends_on/0`. */
export interface NamePlace {
  readonly kind: NameKind;
  readonly path: RegExp;
  /** The name is the key at the end of the path, not the value. */
  readonly isKey?: true;
  readonly defines?: true;
  /** Only in lists that begin with this word. */
  readonly tag?: string;
  /** Words that are allowed here and are no names of the file. */
  readonly also?: readonly string[];
}

/** What an editor must know of a language besides its schema. */
export interface LanguageEditor {
  readonly names: readonly NamePlace[];
  /** Null: its strings have no expressions. */
  readonly expressions: Expressions | null;
  /** Null: a person changes its steps in the text only. */
  readonly graph: Layout | null;
}

export interface Expressions {
  readonly opening: '${{' | '${' | '$';
  readonly language: Language;
  readonly vocabulary: Vocabulary;
  /** Keys whose strings are expressions without an opening. */
  readonly bare: RegExp | null;
}

/** One kind of steps of a language. */
export interface StepKind {
  readonly name: string;
  /** The keys that a step of it may have. */
  readonly keys: readonly string[];
  /** Whether a step as written is of this kind. */
  readonly fits: (step: JsonObject) => boolean;
  /**
   * A new step without its name; null: it needs more than that to be valid. `like`: the other
   * steps.
   */
  readonly make: (name: string, like: readonly JsonObject[]) => JsonObject | null;
}

/** Where the steps of a language stand in its files, and how they are written. */
export interface Layout {
  readonly steps: 'stages' | 'steps';
  /** The key that names a step of a list; null: the steps are a mapping by their names. */
  readonly id: 'id' | null;
  readonly condition: 'condition' | 'when';
  /** The keys before `depends_on`, in the usual order. */
  readonly head: readonly string[];
  /** The first kind that fits is that of a step. */
  readonly kinds: readonly StepKind[];
}

/** A new workflow with one step, and where to write what is known of it. */
export interface Starter {
  readonly text: string;
  readonly places: Readonly<Record<'id' | 'name' | 'version', Path>>;
}

/** The value of a key in the first of some steps that has it. */
export function borrowed(steps: readonly JsonObject[], ...path: readonly string[]): Json | undefined {
  for (const step of steps) {
    let here: Json | undefined = step;
    for (const key of path) here = isJsonObject(here) ? ownValue(here, key) : undefined;
    if (here !== undefined) return here;
  }
  return undefined;
}
