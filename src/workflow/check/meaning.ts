import { pathOf, type Segment } from '../../expressions/references.ts';
import type { Json } from '../../kernel/json.ts';
import { ownValue } from '../../kernel/own.ts';
import type { Tree } from '../../expressions/tree.ts';
import { typesOf, type Types } from '../../expressions/types.ts';
import type { JsonType } from '../../expressions/values.ts';
import { bodyOf } from '../bodies.ts';
import { previousNamespace } from '../reserved.ts';
import type { Approval, Step, ValueType } from '../model.ts';
import type { Graph } from './body.ts';
import type { CheckReport } from './report.ts';
import type { StepProperty } from './vocabulary.ts';

/** The scope of an expression: what `steps` means in it. */
export interface Here {
  readonly report: CheckReport;
  /** The body of its step, and the step's number; null: it belongs to no step. */
  readonly place: { readonly graph: Graph; readonly step: number } | null;
  /** Item names of enclosing loops, in lower case. */
  readonly items: ReadonlySet<string>;
  /** The run has ended: `run` says how. */
  readonly over?: true;
  /** The step itself has ended: the expression may read its result. */
  readonly isDone?: true;
}

/** What a path in an expression reads. */
export type Meaning =
  | { readonly is: 'status'; readonly step: Step; readonly graph: Graph }
  /** The last output of a worker. */
  | { readonly is: 'output'; readonly step: Step }
  | { readonly is: 'typed'; readonly type: ValueType }
  | { readonly is: 'plain'; readonly types: Types };

const anything: Meaning = { is: 'plain', types: null };

function plain(...types: JsonType[]): Meaning {
  return { is: 'plain', types: new Set(types) };
}

/** A name as an expression resolves it: an exact match, else one that differs only in case. */
export function findName<T>(names: Readonly<Record<string, T>>, name: string): T | undefined {
  if (Object.hasOwn(names, name)) return ownValue(names, name);
  const folded = name.toUpperCase();
  const found = Object.keys(names).find((each) => each.toUpperCase() === folded);
  return found === undefined ? undefined : ownValue(names, found);
}

/** The step that a name means, and the body that contains it, from the inside outwards. */
export function findStep(
  name: string,
  { place, report }: Pick<Here, 'place' | 'report'>,
): { readonly graph: Graph; readonly target: number; readonly from: number } | null {
  for (let here = place; here !== null; here = here.graph.parent) {
    const target = here.graph.named(name, report.context.language.comparing === 'loose');
    if (target !== null) return { graph: here.graph, target, from: here.step };
  }
  return null;
}

/**
 * An expression that reads the previous iteration of the enclosing `while`, as one that reads the
 * steps of that iteration when all have ended; null: it reads something else.
 */
export function ofPrevious(
  path: readonly Segment[],
  here: Here,
): { readonly path: readonly Segment[]; readonly here: Here } | null {
  if (!isNamespace(path, previousNamespace) || here.items.has(previousNamespace)) return null;
  let graph = here.place?.graph ?? null;
  while (graph?.parent && graph.parent.graph.steps[graph.parent.step]?.work.kind !== 'while')
    graph = graph.parent.graph;
  if (graph?.parent == null) return null;
  return { path: path.slice(1), here: { ...here, place: { graph, step: -1 } } };
}

/** Whether a path leads to a step. */
export function isStep(path: readonly Segment[], { report, items }: Here): boolean {
  const { steps } = report.vocabulary;
  return isNamespace(path, steps) && !items.has(steps);
}

/** The property of a step that a word means; undefined: none. */
export function propertyNamed(word: string | null | undefined, { report }: Here): StepProperty | undefined {
  const { properties } = report.vocabulary;
  const key = word?.toLowerCase() ?? '';
  return Object.hasOwn(properties, key) ? properties[key] : undefined;
}

export function isNamespace(path: readonly Segment[], name: string): boolean {
  return path[0]?.name?.toLowerCase() === name;
}

/** What a path means, as far as the definition determines it; undefined names may be anything. */
export function meaningOf(path: readonly Segment[], here: Here): Meaning {
  const previous = ofPrevious(path, here);
  if (previous !== null) return meaningOf(previous.path, previous.here);
  const [, second] = path;
  if (second?.name == null) return anything;
  if (isNamespace(path, 'env')) return plain('string');
  if (isNamespace(path, 'parameters')) {
    const type = findName(here.report.workflow.parameters, second.name);
    return type === undefined ? anything : descend(type, path.slice(2));
  }
  if (isNamespace(path, 'loop')) return plain('number', 'boolean');
  if (!isStep(path, here)) return anything;
  const found = findStep(second.name, here);
  if (found === null) return anything;
  const { graph } = found;
  const step = graph.steps[found.target]!;
  const [, , property, name, ...rest] = path;
  const list = isKeyed(step) ? 'object' : 'array';
  switch (propertyNamed(property?.name, here)) {
    case 'status':
      return { is: 'status', step, graph };
    case 'output':
      return { is: 'output', step };
    case 'exit_code':
    case 'duration':
      return plain('number', 'null');
    case 'summary':
      return plain('string', 'null');
    case 'commit':
    case 'branch':
    case 'worktree':
      return plain('string');
    case 'failed':
      return plain('number', 'null');
    case 'errors':
      return name === undefined ? plain(list) : plain('string', 'null');
    case 'artifacts':
      if (bodyOf(step.work) !== null) return name === undefined ? plain(list) : anything;
      return name === undefined ? plain('object') : plain('string');
    case 'approval':
    case 'values': {
      if (step.work.kind === 'gate') return meaningInApproval(step.work, path.slice(3));
      if (!handsOver(step)) return bodyOf(step.work) !== null && name === undefined ? plain(list) : anything;
      if (name === undefined) return plain('object');
      const type = name.name === null ? undefined : findName(step.values, name.name);
      return type === undefined ? anything : descend(type, rest);
    }
    case undefined:
      return anything;
  }
}

const word: ValueType = { type: 'string', items: null, enum: null, required: true, description: null };

/** The values of an answered gate, by name. */
export function approvalTypes({ choices }: Pick<Approval, 'choices'>): Readonly<Record<string, ValueType>> {
  return {
    by: word,
    comment: { ...word, required: false },
    choice: { ...word, enum: choices },
    fields: { ...word, type: 'object' },
  };
}

function meaningInApproval(gate: Approval, [name, inner, ...rest]: readonly Segment[]): Meaning {
  if (name === undefined) return plain('object');
  const isField = name.name?.toLowerCase() === 'fields' && inner !== undefined;
  const segment = isField ? inner : name;
  const types = isField ? gate.fields : approvalTypes(gate);
  const type = segment.name === null ? undefined : findName(types, segment.name);
  if (type === undefined) return anything;
  return descend(type, isField ? rest : [...(inner === undefined ? [] : [inner]), ...rest]);
}

/** Whether what a loop hands on is read by the names of its items. */
export function isKeyed({ work }: Step): boolean {
  return work.kind === 'for-each' && work.key !== undefined;
}

/** Whether a step's values are those that it declares. */
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

/** Every value that an expression may have; null: the definition does not say. */
export function valuesOfTree(lowered: Tree, here: Here): readonly Json[] | null {
  const { tree } = here.report.written(lowered, lowered);
  if (tree.kind === 'literal') return [tree.value];
  const all = (parts: readonly Tree[]): readonly Json[] | null => {
    const values = parts.map((part) => valuesOfTree(part, here));
    return values.some((each) => each === null) ? null : values.flatMap((each) => each ?? []);
  };
  if (tree.kind === 'choice') return all([tree.whenTrue, tree.whenFalse]);
  if (tree.kind === 'logic')
    // `a && 'x' || 'y'`: the conditions are not values.
    return all(tree.operator === '||' ? tree.operands : tree.operands.slice(-1));
  const path = pathOf(tree);
  const meaning = path === null ? anything : meaningOf(path, here);
  return meaning.is === 'typed' ? meaning.type.enum : null;
}

/** The types that the value of an expression may have. */
export function typesOfTree(lowered: Tree, here: Here): Types {
  const { tree } = here.report.written(lowered, lowered);
  return typesOf(tree, here.report.context.language, (path) => typesOfMeaning(meaningOf(path, here)));
}
