import type { Language } from '../../expressions/language.ts';
import type { Template } from '../../expressions/template.ts';
import type { Json } from '../../kernel/json.ts';
import { isJsonObject } from '../../kernel/json.ts';
import { patternProblem } from '../../expressions/machine-functions.ts';
import type { ValueType } from '../../workflow/model.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';
import type { ValueTypeInput } from './parts.ts';
import { withArticle } from '../../kernel/enumerate.ts';

/** Parameters have no `answer`. */
type DeclaredValue = ValueTypeInput & { readonly answer?: boolean | undefined };

/** Types by name, with their defaults filled in; reports contradictions. */
export function lowerValues(
  diagnostics: Diagnostics,
  inputs: Readonly<Record<string, DeclaredValue>> | undefined,
  path: Path,
): Record<string, ValueType> {
  const entries = Object.entries(inputs ?? {});
  return Object.fromEntries(
    entries.map(([name, input]) => [name, lowerValue(diagnostics, input, [...path, name])]),
  );
}

export function lowerValue(diagnostics: Diagnostics, input: DeclaredValue, path: Path): ValueType {
  const items = input.items === undefined ? null : lowerValue(diagnostics, input.items, [...path, 'items']);
  const type: ValueType = {
    type: input.type ?? 'string',
    items,
    enum: input.enum ?? null,
    required: input.required ?? false,
    description: input.description ?? null,
    ...(input.default === undefined ? {} : { default: input.default }),
    ...(input.pattern === undefined ? {} : { pattern: input.pattern }),
    ...(input.answer === true ? { answer: true } : {}),
  };
  checkType(diagnostics, type, path);
  return type;
}

function checkType(diagnostics: Diagnostics, type: ValueType, path: Path): void {
  if (type.items !== null && type.type !== 'array') {
    const message = `only an array has \`items\`, and this is ${withArticle(type.type)}`;
    diagnostics.error('E_VALUE', [...path, 'items'], message, null, 'key');
  }
  if (type.pattern !== undefined && type.type !== 'string') {
    const message = `only a string can have a \`pattern\`, and this is ${withArticle(type.type)}`;
    diagnostics.error('E_VALUE', [...path, 'pattern'], message, null, 'key');
  }
  const problem = type.pattern === undefined ? null : patternProblem(type.pattern, '');
  if (problem !== null)
    diagnostics.error('E_VALUE', [...path, 'pattern'], problem, 'patterns are those of RE2');
  const unfit = (at: Path, subject: string, wanted: ValueType): void => {
    const items = wanted.items === null ? '' : ` whose items are each ${withArticle(wanted.items.type)}`;
    const among = wanted.enum === null ? '' : ' out of `enum`';
    diagnostics.error('E_VALUE', at, `${subject} must be ${withArticle(wanted.type)}${items}${among}`, null);
  };
  const anyOfIt = { ...type, enum: null };
  for (const [index, value] of (type.enum ?? []).entries())
    if (!fits(value, anyOfIt)) unfit([...path, 'enum', index], 'a value of `enum`', anyOfIt);
  if (type.default !== undefined && !fits(type.default, type)) unfit([...path, 'default'], '`default`', type);
}

/** Whether a value has a type. */
function fits(value: Json, type: ValueType): boolean {
  if (type.enum !== null && !type.enum.some((each) => JSON.stringify(each) === JSON.stringify(value)))
    return false;
  switch (type.type) {
    case 'any':
      return true;
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type.type;
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value) && value.every((item) => type.items === null || fits(item, type.items));
    case 'object':
      return isJsonObject(value);
  }
}

/** Environment variables as strings with expressions. */
export function lowerEnv(
  diagnostics: Diagnostics,
  env: Readonly<Record<string, string | number | boolean>> | undefined,
  path: Path,
  language: Language,
): Record<string, Template> {
  const entries = Object.entries(env ?? {});
  return Object.fromEntries(
    entries.map(([name, value]) => [name, diagnostics.template([...path, name], String(value), language)]),
  );
}
