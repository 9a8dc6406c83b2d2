import type { Language } from '../../expressions/language.ts';
import { constant } from '../../expressions/build.ts';
import type { Template } from '../../expressions/template.ts';
import { patternProblem } from '../../expressions/machine-functions.ts';
import type { ValueType } from '../../workflow/model.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';
import { checkOwnValues } from '../shared/own-values.ts';
import type { ValueTypeInput } from './parts.ts';
import type { Json } from '../../kernel/json.ts';
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
  // An unreadable type is reported; nothing else is compared with another one.
  if (input.type !== undefined || !diagnostics.isPartial(path)) checkType(diagnostics, type, path);
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
  else checkOwnValues(diagnostics, type, path);
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

/** Values of `context`: a string may have expressions, any other value is as it is written. */
export function lowerContext(
  diagnostics: Diagnostics,
  values: Readonly<Record<string, Json>> | undefined,
  path: Path,
  language: Language,
): Record<string, Template> {
  return Object.fromEntries(
    Object.entries(values ?? {}).map(([name, value]) => {
      const at = [...path, name];
      if (typeof value === 'string') return [name, diagnostics.template(at, value, language)];
      return [name, diagnostics.from(at, [{ kind: 'expression', tree: constant(value) }])];
    }),
  );
}
