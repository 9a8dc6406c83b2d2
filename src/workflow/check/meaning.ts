import type { Segment } from '../../expressions/references.ts';
import type { Types } from '../../expressions/types.ts';
import type { JsonType } from '../../expressions/values.ts';
import { bodyOf } from '../bodies.ts';
import type { Step, ValueType } from '../model.ts';
import type { Graph } from './body.ts';
import type { CheckReport } from './report.ts';

/** Where an expression stands: what `steps` means in it. */
export interface Here {
  readonly report: CheckReport;
  /** The body that its step belongs to, and which one that is; null: it belongs to no step. */
  readonly place: { readonly graph: Graph; readonly step: number } | null;
  /** Names that a loop gives to its items, in small letters. */
  readonly items: ReadonlySet<string>;
  /** The run has ended: `run` says how. */
  readonly over?: true;
}

/** What a path in an expression reads. */
export type Meaning =
  | { readonly is: 'status' }
  /** What a worker wrote last. */
  | { readonly is: 'output'; readonly step: Step }
  | { readonly is: 'typed'; readonly type: ValueType }
  | { readonly is: 'plain'; readonly types: Types };

const anything: Meaning = { is: 'plain', types: null };

function plain(...types: JsonType[]): Meaning {
  return { is: 'plain', types: new Set(types) };
}

/** The properties that each step has in expressions. */
export const stepProperties = [
  'status',
  'values',
  'artifacts',
  'exit_code',
  'output',
  'duration',
  'summary',
] as const;

/** A name among others, as an expression finds it: that very one, else one that differs only in case. */
export function findName<T>(names: Readonly<Record<string, T>>, name: string): T | undefined {
  if (Object.hasOwn(names, name)) return names[name];
  const folded = name.toUpperCase();
  const found = Object.keys(names).find((each) => each.toUpperCase() === folded);
  return found === undefined ? undefined : names[found];
}

/** A step that a name means, and the body that it is found in, from the inside outwards. */
export function findStep(
  name: string,
  place: Here['place'],
): { readonly graph: Graph; readonly target: number; readonly from: number } | null {
  for (let here = place; here !== null; here = here.graph.parent) {
    const target = here.graph.named(name);
    if (target !== null) return { graph: here.graph, target, from: here.step };
  }
  return null;
}

export function isNamespace(path: readonly Segment[], name: string): boolean {
  return path[0]?.name?.toLowerCase() === name;
}

/** What a path means, as far as the definition tells; what does not exist may be anything. */
export function meaningOf(path: readonly Segment[], here: Here): Meaning {
  const [, second] = path;
  if (second?.name == null) return anything;
  if (isNamespace(path, 'env')) return plain('string');
  if (isNamespace(path, 'parameters')) {
    const type = findName(here.report.workflow.parameters, second.name);
    return type === undefined ? anything : descend(type, path.slice(2));
  }
  if (!isNamespace(path, 'steps') || here.items.has('steps')) return anything;
  const found = findStep(second.name, here.place);
  return found === null ? anything : meaningInStep(found.graph.steps[found.target]!, path.slice(2));
}

function meaningInStep(step: Step, [property, name, ...rest]: readonly Segment[]): Meaning {
  switch (property?.name?.toLowerCase()) {
    case 'status':
      return { is: 'status' };
    case 'output':
      return { is: 'output', step };
    case 'exit_code':
    case 'duration':
      return plain('number', 'null');
    case 'summary':
      return plain('string', 'null');
    case 'artifacts':
      return name === undefined ? plain('object') : plain('string');
    case 'values': {
      if (!handsOver(step))
        return bodyOf(step.work) !== null && name === undefined ? plain('array') : anything;
      if (name === undefined) return plain('object');
      const type = name.name === null ? undefined : findName(step.values, name.name);
      return type === undefined ? anything : descend(type, rest);
    }
    default:
      return anything;
  }
}

/** Whether the values of a step are those that it declares. */
export function handsOver(step: Step): boolean {
  return ['agent', 'script', 'command', 'role'].includes(step.work.kind);
}

function descend(type: ValueType, path: readonly Segment[]): Meaning {
  const [first, ...rest] = path;
  if (first === undefined) return { is: 'typed', type };
  return type.type === 'array' && type.items !== null ? descend(type.items, rest) : anything;
}

/** The types of a value by its declaration; null: any. */
export function jsonTypes({ type }: ValueType): Types {
  if (type === 'any') return null;
  return new Set([type === 'integer' ? 'number' : type]);
}

/** The types of what a path reads. */
export function typesOfMeaning(meaning: Meaning): Types {
  switch (meaning.is) {
    case 'status':
    case 'output':
      return new Set(['string']);
    case 'typed':
      return jsonTypes(meaning.type);
    case 'plain':
      return meaning.types;
  }
}
