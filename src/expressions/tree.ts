import type { Span } from './problem.ts';

export type ComparisonOperator = '==' | '!=' | '<' | '>' | '<=' | '>=';

/**
 * How two values are compared. `loose` is GitHub's way: converts values of different types to
 * numbers, and ignores case. `exact` is JSON's: the same type and the same value.
 */
export type Comparing = 'loose' | 'exact';

interface Node {
  readonly span: Span;
}

export interface Literal extends Node {
  readonly kind: 'literal';
  readonly value: null | boolean | number | string;
}

/** The first word of a path: a namespace of the context. */
interface Name extends Node {
  readonly kind: 'name';
  readonly name: string;
}

/** `object.key` and `object[key]`. */
export interface Index extends Node {
  readonly kind: 'index';
  readonly object: Tree;
  readonly key: Tree;
  /** `loose`: without an exact match, a key that differs only in case is found. */
  readonly comparing: Comparing;
  /** The path in its author's words, where the machine uses others; missing: the same. */
  readonly written?: string;
}

export interface Not extends Node {
  readonly kind: 'not';
  readonly operand: Tree;
}

export interface Comparison extends Node {
  readonly kind: 'comparison';
  readonly operator: ComparisonOperator;
  readonly comparing: Comparing;
  readonly left: Tree;
  readonly right: Tree;
}

export type ArithmeticOperator = '+' | '-' | '*' | '/';

/** A minus with one operand has the literal 0 on its left. */
export interface Arithmetic extends Node {
  readonly kind: 'arithmetic';
  readonly operator: ArithmeticOperator;
  readonly left: Tree;
  readonly right: Tree;
}

/** `a && b && c`: the value of the first operand that decides, not converted to true or false. */
export interface Logic extends Node {
  readonly kind: 'logic';
  readonly operator: '&&' | '||';
  readonly operands: readonly Tree[];
}

/** `test ? whenTrue : whenFalse`. */
interface Choice extends Node {
  readonly kind: 'choice';
  readonly test: Tree;
  readonly whenTrue: Tree;
  readonly whenFalse: Tree;
}

export interface Call extends Node {
  readonly kind: 'call';
  readonly name: string;
  readonly nameSpan: Span;
  readonly operands: readonly Tree[];
}

/** One expression of any workflow language. Plain data: it can be written as JSON and read back. */
export type Tree = Literal | Name | Index | Not | Comparison | Arithmetic | Logic | Choice | Call;

/** The parts of a node, in the order of the text. */
export function partsOf(tree: Tree): readonly Tree[] {
  switch (tree.kind) {
    case 'literal':
    case 'name':
      return [];
    case 'index':
      return [tree.object, tree.key];
    case 'not':
      return [tree.operand];
    case 'comparison':
    case 'arithmetic':
      return [tree.left, tree.right];
    case 'logic':
    case 'call':
      return tree.operands;
    case 'choice':
      return [tree.test, tree.whenTrue, tree.whenFalse];
  }
}

/**
 * Every node of a tree, a node before its parts and in the order of the text. Not recursive, so any
 * depth is safe.
 */
export function nodesOf(tree: Tree): Tree[] {
  const found: Tree[] = [];
  const waiting = [tree];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    found.push(node);
    waiting.push(...partsOf(node).toReversed());
  }
  return found;
}

/** True for a tree with more levels than this. Not recursive, so any depth is safe. */
export function isDeeper(tree: Tree, levels: number): boolean {
  let level: readonly Tree[] = [tree];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap(partsOf);
  }
  return false;
}
