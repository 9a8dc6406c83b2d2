import { isJsonObject, valueAt, type Json } from '../kernel/json.ts';
import { ownValue } from '../kernel/own.ts';
import type { Completion, Cursor } from './cursor.ts';
import type { Expressions, NameKind } from '../languages/shared/editor.ts';

/** What may stand in an expression at the cursor; null: the cursor is not in one. */
export function completeExpression(
  { path, before, value }: Cursor,
  { opening, language, vocabulary, bare }: Expressions,
  names: (kind: NameKind) => readonly string[],
): Completion[] | null {
  const open = before.lastIndexOf(opening);
  const close = before.lastIndexOf(opening === '${{' ? '}}' : '}');
  const isBare = open === -1 && bare?.test(path.join('/')) === true;
  if (!isBare && (open === -1 || close > open)) return null;
  const inside = isBare ? before : before.slice(open + opening.length);
  if (/^(?:[^']*'[^']*')*[^']*'[^']*$/.test(inside)) return [];
  const [, way = '', typed = ''] = /((?:[A-Za-z_][\w-]*\.)*)([\w-]*)$/.exec(inside) ?? [];
  const words = way.split('.').slice(0, -1);
  const own = words[0] === 'previous' ? words.slice(1) : words;
  const make = (label: string, kind: Completion['kind'], insert = label): Completion => ({
    label,
    kind,
    description: null,
    insert,
    typed,
  });
  const found =
    words.length === 0
      ? [
          ...language.namespaces.map((name) => make(name, 'name')),
          ...language.functions.map(({ name }) => make(name, 'function', `${name}(`)),
        ]
      : membersOf(own, value, vocabulary, names).map((name) =>
          make(name, own.length === 1 && own[0] === vocabulary.steps ? 'step' : 'name'),
        );
  return found.filter(({ label }) => label.toLowerCase().startsWith(typed.toLowerCase()));
}

/** What a path can continue with. */
function membersOf(
  [namespace = '', name, property]: readonly string[],
  value: Json,
  { steps, properties, namespaces }: Expressions['vocabulary'],
  names: (kind: NameKind) => readonly string[],
): readonly string[] {
  if (namespace === steps && name === undefined) return names('step');
  if (namespace === steps && property === undefined) return Object.keys(properties);
  if (namespace === steps) return handedOver(value, name!, ownValue(properties, property!) ?? '');
  if (name !== undefined) return [];
  if (namespace === 'parameters' || namespace === 'input') return names('parameter');
  const isEnv = namespace === 'env';
  const declared = ['env', 'context'].includes(namespace)
    ? [valueAt(value, [namespace]), isEnv ? valueAt(value, ['config', 'env']) : null]
    : [];
  const inherited = isEnv ? valueAt(value, ['inherit']) : null;
  return [
    ...declared.flatMap((each) =>
      isJsonObject(each) ? Object.keys(each) : Array.isArray(each) ? each.map(String) : [],
    ),
    ...(Array.isArray(inherited) ? inherited.map(String) : []),
    ...(ownValue(namespaces, namespace) ?? []),
  ];
}

/** The values or artifacts that a step declares. */
function handedOver(value: Json, step: string, property: string): string[] {
  const found = findStep(value, step);
  if (found === null) return [];
  if (property === 'approval') return ['by', 'comment', 'choice', 'fields'];
  const { values, outputs } = found;
  if (property === 'artifacts')
    return (Array.isArray(outputs) ? outputs : []).flatMap((output) =>
      isJsonObject(output) && typeof output['name'] === 'string' ? output['name'] : [],
    );
  if (property !== 'values') return [];
  return [values, outputs].flatMap((each) => (isJsonObject(each) ? Object.keys(each) : []));
}

/** The step with a name, wherever it is. */
function findStep(value: Json, name: string): { readonly [key: string]: Json } | null {
  const inner = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  if (isJsonObject(value)) {
    const { steps } = value;
    const own = isJsonObject(steps) ? ownValue(steps, name) : undefined;
    if (isJsonObject(own)) return own;
    if (value['id'] === name) return value;
  }
  for (const each of inner) {
    const found = findStep(each, name);
    if (found !== null) return found;
  }
  return null;
}
