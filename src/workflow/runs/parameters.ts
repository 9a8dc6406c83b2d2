import { currencyName } from '../../kernel/money.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { Json } from '../../kernel/json.ts';
import type { ValueType, Workflow } from '../model.ts';
import {
  fillParameters,
  fits,
  parseValue,
  typeOfDefault,
  type ParameterWord,
  unknownParameter,
  wrongParameter,
} from '../machine/parameters.ts';
import { tokens } from '../../yaml/schema.ts';
import type { Budget } from '../../kernel/cost.ts';
import { ownValue, setOwn } from '../../kernel/own.ts';

type Types = Readonly<Record<string, ValueType>>;

/**
 * The parameters of a run from a person's arguments, checked, with defaults. Throws `E_USAGE` that
 * names every problem.
 */
export function readParameters(
  types: Types,
  given: readonly (readonly [string, string])[],
  word: ParameterWord = 'parameter',
): Record<string, Json> {
  const read: Record<string, Json> = {};
  const problems: string[] = [];
  for (const [name, text] of given) {
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    const value = type && parseValue(text, type);
    if (type === undefined) problems.push(unknownParameter(name, types, word));
    else if (value === undefined) problems.push(`${wrongParameter(name, text, type, word)}${asJson(type)}`);
    else setOwn(read, name, value);
  }
  // An invalid value is not reported as missing too.
  const named = new Set(given.map(([name]) => name));
  const open = Object.fromEntries(
    Object.entries(types).filter(([name]) => !named.has(name) || Object.hasOwn(read, name)),
  );
  const filled = fillParameters(open, read, word);
  problems.push(...filled.problems);
  if (problems.length > 0) throw new MailroomError('E_USAGE', problems.join('; '), hint(types, word));
  return filled.values;
}

/**
 * The caller's values of `context`, each of the type of the definition's own; `texts` of the
 * command line are read by it, and replace `values`. Throws an error of `code` that names every
 * problem.
 */
export function readContext(
  { context, parameters }: Pick<Workflow, 'context' | 'parameters'>,
  values: Readonly<Record<string, Json>>,
  texts: readonly (readonly [string, string])[] = [],
  code: 'E_USAGE' | 'E_VALUE' = 'E_USAGE',
): Record<string, Json> {
  const read: Record<string, Json> = {};
  const problems: string[] = [];
  const said = new Map<string, string | undefined>(texts);
  for (const name of new Set([...Object.keys(values), ...said.keys()])) {
    const [own, text] = [ownValue(context, name), said.get(name)];
    const type = own && typeOfDefault(own, parameters);
    const given = text !== undefined && type ? parseValue(text, type) : (text ?? values[name]!);
    if (given !== undefined && (!type || fits(given, type))) setOwn(read, name, given);
    else
      problems.push(
        `${wrongParameter(name, text ?? JSON.stringify(given), type!, 'context value')}${asJson(type!)}`,
      );
  }
  if (problems.length > 0) throw new MailroomError(code, problems.join('; '));
  return read;
}

/** Lists and mappings are given as JSON. */
function asJson({ type }: ValueType): string {
  if (type === 'array') return `; write it as JSON: '["a", "b"]'`;
  return type === 'object' ? `; write it as JSON: '{"a": 1}'` : '';
}

function hint(types: Types, word: ParameterWord): string | null {
  const names = Object.keys(types);
  const [first] = names;
  if (first === undefined) return `the workflow has no ${word}s`;
  const option = word === 'input' ? '--input' : '--param';
  return `the ${word}s are ${names.join(', ')}; one is given as ${option} ${first}=…`;
}

/** `usd=10,tokens=2M`, and as `units` an amount of the currency. Throws `E_USAGE`. */
export function parseBudget(text: string): Budget {
  const budget: { usd: number | null; tokens: number | null; units?: number } = { usd: null, tokens: null };
  for (const part of text.split(',')) {
    const [, key, value = ''] = /^(\w+)=(.+)$/.exec(part.trim()) ?? [];
    const amount = key === undefined ? undefined : ownValue(readAmount, key)?.(value);
    if (amount === undefined)
      throw new MailroomError(
        'E_USAGE',
        `\`${text}\` is not a valid budget`,
        `write usd=10, tokens=2M or ${currencyName}=1000, several with a comma between them`,
      );
    budget[key === currencyName ? 'units' : (key as 'usd' | 'tokens')] = amount;
  }
  return budget;
}

const readAmount: Readonly<Record<string, (text: string) => number | undefined>> = {
  usd: dollars,
  tokens: (text) => tokens.safeParse(text).data,
  [currencyName]: (text) =>
    /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined,
};

/** Dollars, not negative; undefined: it is not such a number. */
export function dollars(text: string): number | undefined {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}
