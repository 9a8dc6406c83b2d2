import type { Segment } from '../../expressions/references.ts';
import type { Template } from '../../expressions/template.ts';
import { typesOf } from '../../expressions/types.ts';
import { withArticle } from '../../kernel/enumerate.ts';
import { parseExactJson, type Json } from '../../kernel/json.ts';
import { nearest } from '../../kernel/nearest.ts';
import { oneOf } from '../../kernel/value-kind.ts';
import { ownValue, setOwn } from '../../kernel/own.ts';
import type { ValueType, Workflow } from '../model.ts';
import { machineLanguage } from './language.ts';
import { misfit } from './values.ts';

type Types = Readonly<Record<string, ValueType>>;

/** A language's word for the values that a run is given. */
export type ParameterWord = 'parameter' | 'input' | 'field' | 'context value';

export function parameterWord(workflow: Pick<Workflow, 'parameterWord'>): ParameterWord {
  return workflow.parameterWord ?? 'parameter';
}

/** Whether a value fits a type, including its items and `enum`. */
export function fits(value: Json, type: ValueType): boolean {
  return misfit(value, type) === null;
}

/** What a type requires, in words: `an integer`, `one of "a", "b"`, `an array of strings`. */
function describeType({ type, items, pattern, enum: allowed }: ValueType): string {
  if (allowed !== null) return oneOf(allowed);
  if (type === 'any') return 'any value';
  if (type === 'boolean') return 'true or false';
  const text = items === null ? withArticle(type) : `${withArticle(type)} of ${items.type}s`;
  return pattern === undefined ? text : `${text} that matches ${pattern}`;
}

/**
 * Parses a parameter value from the command line: a string unchanged, everything else as JSON.
 * Undefined: not such a value.
 */
export function parseValue(text: string, type: ValueType): Json | undefined {
  const read = type.type === 'string' ? text : parseExactJson(text);
  if (read === undefined) return type.type === 'any' ? text : undefined;
  return fits(read, type) ? read : undefined;
}

/**
 * The parameters of a run: the given values, checked, with defaults for the others. Reports all
 * problems at once.
 */
export function fillParameters(
  types: Types,
  given: Readonly<Record<string, Json>>,
  word: ParameterWord = 'parameter',
): { readonly values: Record<string, Json>; readonly problems: readonly string[] } {
  const values: Record<string, Json> = {};
  const problems = Object.keys(given)
    .filter((name) => !Object.hasOwn(types, name))
    .map((name) => unknownParameter(name, types, word));
  for (const [name, type] of Object.entries(types)) {
    const value = Object.hasOwn(given, name) ? given[name] : type.default;
    if (value === undefined) {
      if (type.required) problems.push(`the ${word} \`${name}\` (${describeType(type)}) is missing`);
    } else if (fits(value, type)) setOwn(values, name, value);
    else problems.push(wrongParameter(name, JSON.stringify(value), type, word));
  }
  return { values, problems };
}

export function unknownParameter(name: string, types: Types, word: ParameterWord): string {
  const near = nearest(name, Object.keys(types));
  return `there is no ${word} \`${name}\`${near === null ? '' : `; did you mean \`${near}\`?`}`;
}

export function wrongParameter(name: string, text: string, type: ValueType, word: ParameterWord): string {
  return `the ${word} \`${name}\` must be ${describeType(type)}, not ${text}`;
}

/** The type of what a template gives; null: it may be of several. */
export function typeOfDefault(template: Template, parameters: Types): ValueType | null {
  const [only] = template;
  const typesAt = ([namespace, name, inner]: readonly Segment[]) => {
    const isWhole = namespace?.name === 'parameters' && inner === undefined;
    const type = isWhole ? ownValue(parameters, name?.name ?? '')?.type : undefined;
    return type === undefined || type === 'any' ? null : new Set([type === 'integer' ? 'number' : type]);
  };
  const isOne = template.length === 1 && only?.kind === 'expression';
  const [type, other] = isOne ? (typesOf(only.tree, machineLanguage, typesAt) ?? []) : ['string' as const];
  if (type === undefined || type === 'null' || other !== undefined) return null;
  return { type, items: null, enum: null, required: false, description: null };
}
