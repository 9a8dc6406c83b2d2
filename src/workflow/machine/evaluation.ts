import { evaluate, evaluateCondition, type Evaluated } from '../../expressions/evaluate.ts';
import type { FileQuestion, Language } from '../../expressions/language.ts';
import { evaluateText, render, type Template } from '../../expressions/template.ts';
import type { Tree } from '../../expressions/tree.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import type { Reason } from '../../kernel/errors.ts';

/** Why a step cannot be resolved as written. */
export type ResolveFailure =
  | { readonly is: 'failed'; readonly reason: Reason }
  /** The host must answer a question about files first. */
  | { readonly is: 'unseen'; readonly asks: FileQuestion; readonly file: string };

/** Thrown to abort the resolution of a launch. */
export class Unresolvable extends Error {
  readonly why: ResolveFailure;

  constructor(why: ResolveFailure) {
    super(why.is);
    this.why = why;
  }
}

/** Evaluates the expressions of one step; throws `Unresolvable` for one without a value. */
export class Evaluation {
  readonly #context: JsonObject;
  readonly #language: Language;

  /**
   * `alone`: only this step is run. Values of other steps are not optional: they were never
   * requested.
   */
  constructor(context: JsonObject, language: Language, alone: boolean) {
    this.#context = context;
    this.#language = alone ? withOptional(language, ['parameters']) : language;
  }

  /** The same for places where nothing may be missing: paths, and the lists of loops. */
  get required(): Evaluation {
    return new Evaluation(this.#context, withOptional(this.#language, []), false);
  }

  /** The same with some namespaces replaced. */
  with(namespaces: JsonObject): Evaluation {
    return new Evaluation({ ...this.#context, ...namespaces }, this.#language, false);
  }

  value(tree: Tree): Json {
    return this.#valueOf(evaluate(tree, this.#context, this.#language, 'value'));
  }

  /** As a string, for the environment of a script. */
  text(tree: Tree): string {
    return asText(this.#valueOf(evaluateText(tree, this.#context, this.#language)));
  }

  condition(tree: Tree): boolean {
    return this.#valueOf(evaluateCondition(tree, this.#context, this.#language)) === true;
  }

  render(template: Template): Json {
    return this.#valueOf(render(template, this.#context, this.#language));
  }

  renderText(template: Template): string {
    return asText(this.render(template));
  }

  renderAll(templates: Readonly<Record<string, Template>>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(templates).map(([name, template]) => [name, this.renderText(template)]),
    );
  }

  #valueOf(result: Evaluated): Json {
    if (result.ok) return result.value;
    const { why } = result;
    if (why.kind === 'absent') throw new Unresolvable({ is: 'failed', reason: missing(why.path) });
    if (why.kind === 'unseen') {
      const { asks, file } = why;
      throw new Unresolvable({ is: 'unseen', asks, file });
    }
    throw new Unresolvable({ is: 'failed', reason: { code: 'E_EXPRESSION', text: why.message } });
  }
}

function withOptional(language: Language, optional: readonly string[]): Language {
  return { ...language, optional };
}

/**
 * Throws for an absent requirement. `what`: what requires it, and what is absent, as a sentence.
 */
export function refuseAbsent(what: string): never {
  throw new Unresolvable({ is: 'failed', reason: { code: 'E_VAR_MISSING', text: what } });
}

/** The reason for something without a value. */
function missing(what: string): Reason {
  return { code: 'E_VAR_MISSING', text: `\`${what}\` has no value` };
}

/**
 * A value as a string, for a command line or a variable: null is empty, arrays and objects are
 * JSON.
 */
function asText(value: Json): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
