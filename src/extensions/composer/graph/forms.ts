import type * as z from 'zod';
import { ownValue } from '../../../kernel/own.ts';
import { definitionOf, descriptionAt, fieldsOf, schemasAt, unwrapped } from '../../../yaml/shape.ts';
import type { FormField, Forms } from './documents.ts';
import type { Grammar } from '../../../editing/grammar.ts';
import type { Layout, NameKind } from '../../../languages/shared/editor.ts';

type Schema = z.core.$ZodType;

/** Keys whose texts have several lines. */
const long = /^(?:instructions|description|message|summary|summary_prompt|append_instructions)$/;
/** Groups within groups, above which a value is entered as JSON. */
const deepest = 5;

/**
 * The keys that a file and each kind of steps mostly need, of all languages, the first ones first.
 */
const often: Readonly<Record<string, readonly string[]>> = {
  file: ['workflow', 'description', 'config', 'parameters', 'workspace', 'timeout', 'budget', 'outputs'],
  agent: ['instructions', 'roles', 'agent', 'role', 'capabilities', 'inputs', 'outputs', 'condition'],
  command: ['command', 'workspace', 'outputs', 'timeout', 'retry'],
  gate: ['gate', 'when', 'condition', 'description'],
  for_each: ['for_each', 'when', 'timeout', 'on_failure', 'description'],
  while: ['while', 'when', 'timeout', 'on_failure', 'description'],
  fan_out: ['fan_out', 'condition', 'error_policy', 'handoff', 'name'],
  route: ['route', 'when', 'description'],
  fail: ['fail', 'when', 'description'],
  set: ['set', 'when', 'next', 'description'],
  workflow: ['workflow', 'with', 'exports', 'when', 'timeout'],
  merge: ['merge', 'on_conflict', 'when', 'timeout', 'instructions'],
  land: ['land', 'when', 'timeout', 'on_failure', 'description'],
};
const mostOften = 5;

function oftenIn(name: string, keys: readonly string[]): string[] {
  return (ownValue(often, name) ?? []).filter((key) => keys.includes(key)).slice(0, mostOften);
}

/** Every key of the schema of a language as a field of a form. */
export function formsOf(grammar: Grammar, layout: Layout): Forms {
  const { schema } = grammar;
  const anyStep = [layout.steps, layout.id === null ? 'any' : 0];
  // The picture itself shows these.
  const drawnOfFile = new Set([layout.steps, '$schema']);
  const drawnOfStep = new Set([layout.id ?? '', 'depends_on', 'ui']);
  const file = fields(schema, schema, [], grammar).filter(({ key }) => !drawnOfFile.has(key));
  return {
    kinds: layout.kinds.map(({ name, keys, make }) => ({
      name,
      canAdd: make('step', []) !== null,
      keys: [...keys],
      often: oftenIn(name, keys),
    })),
    often: oftenIn(
      'file',
      file.map(({ key }) => key),
    ),
    file,
    step: schemasAt(schema, anyStep)
      .flatMap(unwrapped)
      .flatMap((each) => fields(schema, each, anyStep, grammar))
      .filter(({ key }) => !drawnOfStep.has(key)),
  };
}

function fields(root: Schema, schema: Schema, path: readonly PropertyKey[], grammar: Grammar): FormField[] {
  return Object.entries(fieldsOf(schema)).map(([key, inner]) =>
    fieldOf(root, key, inner, [...path, key], grammar),
  );
}

function fieldOf(
  root: Schema,
  key: string,
  schema: Schema,
  path: readonly PropertyKey[],
  grammar: Grammar,
): FormField {
  const description = descriptionAt(root, path);
  const forms = unwrapped(schema);
  const control = controlOf(key, forms, path.length);
  return {
    key,
    control,
    choices: control === 'choice' ? choicesOf(forms) : [],
    required: !isOptional(schema),
    description,
    usual: usualIn(description),
    names: namesAt(grammar, path, control),
    fields: innerFields(root, forms, control, path, grammar),
  };
}

function isOptional(schema: Schema): boolean {
  return ['optional', 'default', 'prefault'].includes(definitionOf(schema).type);
}

/** What a description says of the default: `default halt`, `agent (default)`. */
function usualIn(description: string | null): string | null {
  const [, after] = /\bdefault:? ((?:[^.;)]|\.(?=\d))+)/.exec(description ?? '') ?? [];
  const [, before] = /(\S+) \(default\)/.exec(description ?? '') ?? [];
  return after ?? before ?? null;
}

function controlOf(key: string, forms: readonly Schema[], depth: number): FormField['control'] {
  const types = new Set(forms.map((each) => definitionOf(each).type));
  const only = (...allowed: readonly string[]) => [...types].every((type) => allowed.includes(type));
  if (only('enum', 'literal')) return 'choice';
  if (only('boolean')) return 'switch';
  if (only('number', 'int')) return 'number';
  if (types.has('array')) return types.size === 1 && forms.every(isListOfTexts) ? 'list' : 'json';
  if (only('object') && forms.length === 1) return depth > deepest + 2 ? 'json' : 'group';
  if (only('record') && forms.length === 1 && key !== 'steps') return 'map';
  if (types.has('string')) return long.test(key) ? 'lines' : 'text';
  return 'json';
}

function isListOfTexts(schema: Schema): boolean {
  const def = definitionOf(schema);
  if (def.type !== 'array') return false;
  return unwrapped(def.element).every((each) => ['string', 'enum'].includes(definitionOf(each).type));
}

function choicesOf(forms: readonly Schema[]): string[] {
  return forms.flatMap((each) => {
    const def = definitionOf(each);
    if (def.type === 'enum') return Object.values(def.entries).map(String);
    return def.type === 'literal' ? def.values.map(String) : [];
  });
}

function innerFields(
  root: Schema,
  forms: readonly Schema[],
  control: FormField['control'],
  path: readonly PropertyKey[],
  grammar: Grammar,
): FormField[] {
  if (control === 'group') return fields(root, forms[0]!, path, grammar);
  if (control !== 'map') return [];
  const def = definitionOf(forms[0]!);
  if (def.type !== 'record') return [];
  const way = [...path, 'x'];
  const values = unwrapped(def.valueType);
  const [only] = values;
  if (values.length === 1 && only !== undefined && definitionOf(only).type === 'object')
    return fields(root, only, way, grammar);
  return [{ ...fieldOf(root, '', def.valueType, way, grammar), description: null }];
}

/** The kind of the names that a value, or the items of a list, may be. */
function namesAt(
  { names }: Grammar,
  path: readonly PropertyKey[],
  control: FormField['control'],
): NameKind | null {
  const way = [...path, ...(control === 'list' ? [0] : [])].join('/');
  const place = names.find((each) => each.isKey !== true && each.defines !== true && each.path.test(way));
  return place?.kind ?? null;
}
