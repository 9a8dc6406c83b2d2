import type * as z from 'zod';
import { isJsonObject, valueAt, type Json } from '../kernel/json.ts';
import { definitionOf, descriptionAt, keysAt, schemasAt, unwrapped } from '../yaml/shape.ts';
import { cursorsIn, type Completion, type Cursor } from './cursor.ts';
import { completeExpression } from './expressions.ts';
import type { NameKind, NamePlace } from '../languages/shared/editor.ts';
import type { Languages } from '../languages/shared/workflow-language.ts';
import { grammarOf, messageGrammar, type Grammar } from './grammar.ts';
import { definitionsIn } from './definitions.ts';
import type { FileKind } from './kind.ts';
import { frontMatter, messageKeys } from './message.ts';

/** Names that other files define. */
interface OtherNames {
  readonly roles: readonly string[];
  readonly types: readonly string[];
  readonly agents: readonly string[];
  readonly providers: readonly string[];
  /** Paths from the folder of the text. */
  readonly files: readonly string[];
}

/** What may stand at an offset of a source text, which may be broken or half typed. */
export function complete(
  text: string,
  offset: number,
  kind: FileKind,
  around: OtherNames,
  known: Languages,
): readonly Completion[] {
  if (kind === 'message') return completeMessage(text, offset, around);
  const isJson = /^\ufeff?\s*[[{]/.test(text);
  const found = cursorsIn(text, offset).flatMap((cursor) => {
    const grammar = grammarOf(kind, cursor.value, known);
    return cursor.part === 'key'
      ? completeKey(cursor, grammar, isJson)
      : completeValue(cursor, grammar, around);
  });
  return [...new Map(found.map((each) => [each.insert, each])).values()];
}

const plainWord = /[\w./@:+-]*$/;

function completeKey(
  { path, before, value }: Cursor,
  { schema, names }: Grammar,
  isJson: boolean,
): Completion[] {
  const here = valueAt(value, path);
  const present = new Set(isJsonObject(here) ? Object.keys(here) : []);
  const typed = plainWord.exec(before)?.[0] ?? '';
  const own = keysAt(schema, path).keys.map((key): Completion => ({
    label: key,
    kind: 'key',
    description: descriptionAt(schema, [...path, key]),
    insert: isJson ? key : `${key}: `,
    typed,
  }));
  const way = [...path, 'x'].join('/');
  const kind = names.find((place) => place.isKey && place.defines !== true && place.path.test(way))?.kind;
  const others = kind === undefined ? [] : definedNames(value, names, kind);
  const named = others.map((name): Completion => ({
    label: name,
    kind: 'name',
    description: null,
    insert: isJson ? name : `${name}: `,
    typed,
  }));
  return [...own, ...named].filter(({ label }) => !present.has(label) && fits(label, typed));
}

/** Whether a candidate can be meant by what is typed. */
function fits(label: string, typed: string): boolean {
  return label.toLowerCase().startsWith(typed.toLowerCase());
}

function completeValue(cursor: Cursor, grammar: Grammar, around: OtherNames): Completion[] {
  const { path, before, value } = cursor;
  const { expressions } = grammar;
  if (expressions !== null) {
    const inside = completeExpression(cursor, expressions, (kind) =>
      definedNames(value, grammar.names, kind),
    );
    if (inside !== null) return inside;
  }
  const typed = before.includes('\n') ? '' : before.trimStart();
  const way = path.join('/');
  const parent = valueAt(value, path.slice(0, -1));
  const tag = Array.isArray(parent) ? parent[0] : null;
  const place = grammar.names.find(
    (each) => each.isKey !== true && each.path.test(way) && (each.tag === undefined || each.tag === tag),
  );
  const taken = new Set(Array.isArray(parent) ? parent.filter((item) => typeof item === 'string') : []);
  const names = place === undefined || place.defines === true ? [] : namesFor(place, grammar, cursor, around);
  const words = wordsAt(grammar.schema, path);
  return [
    ...names
      .filter((name) => !taken.has(name))
      .map((name): Completion => ({
        label: name,
        kind: place!.kind === 'step' ? 'step' : place!.kind === 'file' ? 'file' : 'name',
        description: null,
        insert: name,
        typed,
      })),
    ...words.map((word): Completion => ({
      label: word,
      kind: 'value',
      description: null,
      insert: word,
      typed,
    })),
  ].filter(({ label }) => fits(label, typed));
}

function namesFor(
  { kind, also = [] }: NamePlace,
  { names }: Grammar,
  { path, value }: Cursor,
  around: OtherNames,
): readonly string[] {
  const own = definedNames(value, names, kind);
  switch (kind) {
    case 'step': {
      const others = own.filter((name) => name !== stepAround(path, value));
      return [...others, ...also];
    }
    case 'artifact':
      return artifactsFor(path, value);
    case 'role':
      return [...new Set([...own, ...around.roles])];
    case 'type':
      return [...new Set([...own, ...around.types])];
    case 'agent':
      return [...new Set([...own, ...around.agents])];
    case 'provider':
      return around.providers;
    case 'file':
      return around.files;
    case 'parameter':
      return own;
  }
}

/** The step in which a path is: it cannot wait for itself. */
function stepAround(path: Cursor['path'], value: Json): string | null {
  const [list, key] = path;
  const step = valueAt(value, [list ?? '', key ?? '']);
  if (typeof key === 'string') return key;
  const name = isJsonObject(step) ? (step['id'] ?? step['name']) : null;
  return typeof name === 'string' ? name : null;
}

/** The artifacts of the step that the same input names; of all steps, while it names none. */
function artifactsFor(path: Cursor['path'], value: Json): string[] {
  const input = valueAt(value, path.slice(0, -1));
  const from = isJsonObject(input) ? input['from'] : undefined;
  return stepsIn(value)
    .filter(([name]) => typeof from !== 'string' || name === from)
    .flatMap(([, step]) => (isJsonObject(step) && Array.isArray(step['outputs']) ? step['outputs'] : []))
    .flatMap((output) => (isJsonObject(output) && typeof output['name'] === 'string' ? output['name'] : []));
}

/** Every step of a native file by its name, those of loops too. */
function stepsIn(value: Json | undefined): [string, Json][] {
  const steps = isJsonObject(value) && isJsonObject(value['steps']) ? value['steps'] : {};
  return Object.entries(steps).flatMap(([name, step]): [string, Json][] => {
    const loop = isJsonObject(step) ? (step['for_each'] ?? step['while']) : undefined;
    return [[name, step], ...stepsIn(loop)];
  });
}

function definedNames(value: Json, names: Grammar['names'], kind: NameKind): string[] {
  return [...new Set(definitionsIn(value, names, kind).map(({ name }) => name))];
}

/** The words that a schema names for a value. */
function wordsAt(schema: z.core.$ZodType, path: Cursor['path']): string[] {
  const forms = schemasAt(schema, path).flatMap(unwrapped).map(definitionOf);
  const isText = forms.some(({ type }) => type === 'string');
  const words = forms.flatMap((def): string[] => {
    if (def.type === 'enum') return Object.values(def.entries).map(String);
    if (def.type === 'literal') return def.values.map(String);
    return def.type === 'boolean' && !isText ? ['true', 'false'] : [];
  });
  return [...new Set(words)];
}

function completeMessage(text: string, offset: number, around: OtherNames): readonly Completion[] {
  const matter = frontMatter(text);
  if (matter === null) return [];
  const { front, start } = matter;
  if (offset < start || offset > start + front.length) return [];
  return cursorsIn(front, offset - start).flatMap((cursor): readonly Completion[] => {
    const { path, part, before, value } = cursor;
    const typed = plainWord.exec(before)?.[0] ?? '';
    if (part === 'key') {
      if (path.length > 0) return [];
      const present = new Set(isJsonObject(value) ? Object.keys(value) : []);
      return Object.entries(messageKeys)
        .filter(([key]) => !present.has(key) && fits(key, typed))
        .map(([key, description]) => ({ label: key, kind: 'key', description, insert: `${key}: `, typed }));
    }
    const kind = messageGrammar.names.find((place) => place.path.test(path.join('/')))?.kind;
    const names = kind === 'type' ? around.types : kind === 'role' ? around.roles : [];
    return names
      .filter((name) => fits(name, typed))
      .map((name) => ({ label: name, kind: 'name', description: null, insert: name, typed }));
  });
}
