import { at, choose, compare, literal, orNull, path } from '../../expressions/build.ts';
import { pathText } from '../../expressions/evaluate.ts';
import type { Span } from '../../expressions/problem.ts';
import { pathOf } from '../../expressions/references.ts';
import type { Index, Literal, Tree } from '../../expressions/tree.ts';

/*
 * Translates expressions of this language to those of the engine, which has `steps` with `values`
 * and its own statuses. Every node keeps its place in the text.
 */

/** The status of a stage in the terms of this language. */
function statusOf(stage: Tree, span: Span): Tree {
  const of = (word: string): Tree =>
    orNull({ kind: 'index', object: stage, key: literal(word, span), comparing: 'loose', span });
  const is = (status: string, word: string, otherwise: Tree): Tree =>
    choose(compare('==', of('status'), literal(status, span)), literal(word, span), otherwise);
  const timedOut = choose(
    compare('==', of('exit_code'), literal(124, span)),
    literal('timed_out', span),
    is('FAILED', 'failed', literal('pending', span)),
  );
  return is('SUCCEEDED', 'success', is('SKIPPED', 'skipped', is('CANCELLED', 'cancelled', timedOut)));
}

/** Values that are known before the run starts, by their paths. */
export type Known = (words: readonly string[]) => Literal['value'] | undefined;

/** The tree for the engine. Its references were checked. */
export function translate(tree: Tree, known: Known): Tree {
  const inner = (part: Tree): Tree => translate(part, known);
  switch (tree.kind) {
    case 'literal':
      return tree;
    case 'name':
      return isWord(tree.name, 'stages') ? { ...tree, name: 'steps' } : tree;
    case 'index':
      return translateIndex(tree, known);
    case 'not':
      return { ...tree, operand: inner(tree.operand) };
    case 'comparison':
    case 'arithmetic':
      return { ...tree, left: inner(tree.left), right: inner(tree.right) };
    case 'logic':
      return { ...tree, operands: tree.operands.map(inner) };
    case 'choice':
      return {
        ...tree,
        test: inner(tree.test),
        whenTrue: inner(tree.whenTrue),
        whenFalse: inner(tree.whenFalse),
      };
    case 'call':
      return { ...tree, operands: tree.operands.map(inner) };
  }
}

function translateIndex(tree: Index, known: Known): Tree {
  const words = pathOf(tree)?.map(({ name }) => name ?? '') ?? [];
  const value = known(words);
  if (value !== undefined) return literal(value, tree.span);
  if (isPath(words, 'workflow', 'current_stage')) return firstFailed(tree.span);
  const object = translate(tree.object, known);
  if (isPath(words, 'run', 'execution_id')) return { ...tree, object, key: literal('id', tree.key.span) };
  const [namespace = '', , property = ''] = words;
  if (words.length === 3 && isWord(namespace, 'stages')) {
    if (isWord(property, 'status')) return statusOf(object, tree.span);
    if (isWord(property, 'outputs'))
      return { ...tree, object, key: literal('values', tree.key.span), written: pathText(tree) };
  }
  return { ...tree, object, key: translate(tree.key, known) };
}

/** `run.failed[0]` of the engine: what hooks of the end see. */
function firstFailed(span: Span): Tree {
  return orNull(at(path(['run', 'failed'], span), literal(0, span)));
}

function isPath(words: readonly string[], namespace: string, word: string): boolean {
  return words.length === 2 && isWord(words[0]!, namespace) && isWord(words[1]!, word);
}

function isWord(text: string, word: string): boolean {
  return text.toLowerCase() === word;
}
