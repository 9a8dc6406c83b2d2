import type { Language } from './language.ts';
import type { Span } from './problem.ts';
import { nodesOf, partsOf, type Comparison, type Index, type Tree } from './tree.ts';

/** One word of a path. */
export interface Segment {
  /** Null when it is computed: `steps[item]`. */
  readonly name: string | null;
  readonly span: Span;
}

/** A path that an expression reads: `steps.plan.values.files`. */
export interface Reference {
  /** The namespace first. */
  readonly path: readonly Segment[];
  readonly span: Span;
  /** True: the expression handles absence, by `default(…)` or a test of the step's status. */
  readonly guarded: boolean;
  /** The node that reads it. */
  readonly node: Tree;
}

/**
 * Every path that a tree reads, in the order of the text. Paths in computed keys are references of
 * their own. The tree must come from `parse`, or be no deeper than `expressionLimits.treeDepth`.
 */
export function referencesOf(tree: Tree, language: Language): Reference[] {
  return readsOf(tree, language).flatMap((each) =>
    each.path === null ? [] : [{ ...each, path: each.path }],
  );
}

/** The nodes that are null when absent, because the expression handles that. */
export function guardedNodes(tree: Tree, language: Language): ReadonlySet<Tree> {
  return new Set(readsOf(tree, language).flatMap((each) => (each.guarded ? each.node : [])));
}

/** A reference, or with a path of null an access to a computed value: `fromJSON(…).name`. */
type Reading = Omit<Reference, 'path'> & { readonly path: Reference['path'] | null };

function readsOf(tree: Tree, language: Language): Reading[] {
  const found: Reading[] = [];
  const visit = (node: Tree, guards: Guards): void => {
    const path = pathOf(node);
    const first = found.length;
    if (path === null) {
      for (const [part, inner] of guardedParts(node, guards, language)) visit(part, inner);
      const inner = found.slice(first);
      const guarded = guards.all || (inner.length > 0 && inner.every((each) => each.guarded));
      if (node.kind === 'index') found.push({ path, span: node.span, guarded, node });
      return;
    }
    const guarded = guards.all || isGuardedStep(path, guards, language);
    found.push({ path, span: node.span, guarded, node });
    for (const key of computedKeys(node)) visit(key, guards);
  };
  visit(tree, { all: false, steps: new Set() });
  return found;
}

/**
 * The path that a node reads; null when it is not a path, or is one into a computed value:
 * `fromJSON(…).name`.
 */
export function pathOf(tree: Tree): readonly Segment[] | null {
  const path: Segment[] = [];
  let node = tree;
  for (; node.kind === 'index'; node = node.object) path.push(segmentOf(node));
  if (node.kind !== 'name') return null;
  return [...path, { name: node.name, span: node.span }].toReversed();
}

/** The word of a node's own key. */
export function segmentOf({ key }: Index): Segment {
  const isWord = key.kind === 'literal' && (typeof key.value === 'string' || typeof key.value === 'number');
  return { name: isWord ? String(key.value) : null, span: key.span };
}

function computedKeys(tree: Tree): Tree[] {
  const keys: Tree[] = [];
  for (let node = tree; node.kind === 'index'; node = node.object)
    if (node.key.kind !== 'literal') keys.push(node.key);
  return keys.toReversed();
}

/** What an enclosing part of the expression guards. */
interface Guards {
  /** Inside `default(…)`. */
  readonly all: boolean;
  /** Steps whose status was tested, in upper case. */
  readonly steps: ReadonlySet<string>;
}

function isGuardedStep(path: readonly Segment[], guards: Guards, language: Language): boolean {
  const step = stepOf(path, language);
  return step !== null && guards.steps.has(step);
}

/** The step whose results a path reads. */
function stepOf(path: readonly Segment[], { results }: Language): string | null {
  const [namespace, step] = path;
  if (results === null || namespace?.name?.toUpperCase() !== results.namespace.toUpperCase()) return null;
  return step?.name?.toUpperCase() ?? null;
}

/** The parts of a node with their guards. A test guards the parts that are evaluated after it. */
function guardedParts(node: Tree, guards: Guards, language: Language): [Tree, Guards][] {
  const parts = partsOf(node);
  if (node.kind === 'call') {
    const all = guards.all || node.name.toLowerCase() === 'default';
    return parts.map((part) => [part, { ...guards, all }]);
  }
  if (node.kind !== 'logic' && node.kind !== 'choice') return parts.map((part) => [part, guards]);
  let steps = guards.steps;
  return parts.map((part, index) => {
    const before = { ...guards, steps };
    if (node.kind === 'logic' || index === 0) steps = new Set([...steps, ...testedSteps(part, language)]);
    return [part, before];
  });
}

/** The steps whose status a tree reads. */
function testedSteps(tree: Tree, language: Language): string[] {
  return nodesOf(tree).flatMap((node) => {
    const path = pathOf(node);
    const property = path?.[2]?.name?.toUpperCase();
    if (path === null || property === undefined || property !== language.results?.status.toUpperCase())
      return [];
    return stepOf(path, language) ?? [];
  });
}

/** Every comparison, with both operands. */
export function comparisonsOf(tree: Tree): Comparison[] {
  return nodesOf(tree).filter((node) => node.kind === 'comparison');
}
