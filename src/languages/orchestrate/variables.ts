import { call, choose, compare, literal, path as pathTree } from '../../expressions/build.ts';
import type { Span } from '../../expressions/problem.ts';
import type { Template, TemplatePart } from '../../expressions/template.ts';
import type { Tree } from '../../expressions/tree.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Lowering } from './lowering.ts';
import { readParts } from './substitution.ts';

/** A string with variables. */
export function lowerText(text: string, path: Path, lowering: Lowering): Template {
  if (!text.includes('$')) return text === '' ? [] : [{ kind: 'text', text }];
  const { parts, problems } = readParts(text);
  for (const { message, span } of problems)
    lowering.diagnostics.errorAt('E_EXPRESSION', path, span, message, null);
  const lowered = parts.map((part): TemplatePart => {
    if (part.kind === 'text') return part;
    return { kind: 'expression', tree: lowerVariable(part.words, part.span, path, lowering) };
  });
  return lowering.diagnostics.from(path, lowered);
}

/**
 * Like `lowerText`, as one value of a condition: always a string, and a missing variable ends the
 * run.
 */
export function lowerValue(text: string, path: Path, lowering: Lowering): Tree {
  const trees = lowerText(text, path, lowering).map((part) =>
    part.kind === 'text' ? literal(part.text) : mustBeThere(part.tree),
  );
  const [only] = trees;
  return trees.length === 1 && only?.kind === 'literal' ? only : call('concat', literal(''), ...trees);
}

function mustBeThere(tree: Tree): Tree {
  return tree.kind === 'call' && tree.name === 'default' ? tree : call('required', tree);
}

/** A string with variables as one value; a single variable as the whole text keeps its type. */
export function lowerTyped(text: string, path: Path, lowering: Lowering): Tree {
  const template = lowerText(text, path, lowering);
  const [only] = template;
  if (template.length === 1 && only?.kind === 'expression') return only.tree;
  const trees = template.map((part) => (part.kind === 'text' ? literal(part.text) : part.tree));
  if (trees.length === 0) return literal('');
  return trees.length === 1 ? trees[0]! : call('concat', ...trees);
}

function lowerVariable(words: readonly string[], span: Span, path: Path, lowering: Lowering): Tree {
  const isAllowed = lowering.allowed.has(words.join('.'));
  const tree = meant(words, span, path, lowering, isAllowed);
  if (tree === null) return literal('', span);
  return isAllowed ? call('default', tree, literal('')) : tree;
}

/** Null, and reported, for a variable that is never set. */
function meant(
  words: readonly string[],
  span: Span,
  path: Path,
  lowering: Lowering,
  isAllowed: boolean,
): Tree | null {
  const [namespace = '', name, ...rest] = words;
  const missing = (message: string, hint: string | null): null => {
    if (!isAllowed) lowering.diagnostics.errorAt('E_VAR_MISSING', path, span, message, hint);
    return null;
  };
  const shown = `\`\${${words.join('.')}}\``;
  if (lowering.items.has(namespace)) return pathTree(words, span);
  if (namespace === 'loop')
    return inLoop(name, span, lowering, (hint) => missing(`${shown} has no value here`, hint));
  if (namespace === 'item')
    return missing(`${shown} has no value here`, 'it is the current item of a `for_each`');
  if (lowering.steps.has(namespace))
    return missing(
      `nothing can set ${shown}`,
      `of a step there is \`\${steps.${[...words, 'output'].slice(0, 2).join('.')}}\``,
    );
  if (name === undefined || !['steps', 'context', 'env'].includes(namespace))
    return missing(
      `nothing can set ${shown}`,
      didYouMean(namespace, ['context', 'steps', 'env', 'loop', ...lowering.items]) ??
        'there are `context.…`, `steps.…`, `env.…`, `loop.…` and the item of a loop',
    );
  if (namespace === 'steps') return ofStep(words.slice(1), span, path, lowering, isAllowed);
  if (namespace === 'context') {
    const { contextNames, only, way } = lowering;
    const isRun = only === null || way.includes(only);
    if (contextNames === null || contextNames.has(name) || !isRun) return pathTree(words, span);
    const where = way.length === 0 ? 'above what reads it' : 'under `context:`';
    const hint = didYouMean(name, contextNames) ?? `give it by \`--context\`, or ${where}`;
    return missing(`nothing sets ${shown}`, hint);
  }
  if (lowering.secrets.has(name))
    return missing(
      `${shown} is a secret, and secrets reach a program by its environment only`,
      `the program finds it in its variable \`${name}\``,
    );
  if (rest.length === 0 && lowering.env?.has(name) !== false) return pathTree(words, span);
  return missing(`nothing allows ${shown}`, `name it under \`env: [${name}]\` of the workflow`);
}

const ofLoops = {
  for_each: ['index', 'total', 'iteration', 'elapsed'],
  while: ['index', 'iteration', 'elapsed'],
};

function inLoop(
  name: string | undefined,
  span: Span,
  { loop }: Lowering,
  missing: (hint: string) => null,
): Tree | null {
  if (loop === null) return missing('it is there in the steps of a loop');
  const known = ofLoops[loop];
  if (name !== undefined && known.includes(name)) return pathTree(['loop', name], span);
  return missing(`a ${loop} loop has ${known.map((each) => `\`loop.${each}\``).join(', ')}`);
}

/** The value of an earlier step's variable. Names of steps can contain dots. */
function ofStep(
  words: readonly string[],
  span: Span,
  path: Path,
  { diagnostics }: Lowering,
  isAllowed: boolean,
): Tree {
  const [property, step] = [words.at(-1)!, words.slice(0, -1).join('.')];
  const read = pathTree(step === '' ? ['steps', property] : ['steps', step, property], span);
  const tree = isAllowed ? read : call('required', read);
  const lowered =
    property === 'duration'
      ? call('seconds', tree)
      : property === 'status'
        ? statusTree(read, isAllowed)
        : tree;
  return isAllowed ? lowered : diagnostics.writtenAs(path, lowered, read);
}

function statusTree(status: Tree, isAllowed: boolean): Tree {
  const there = isAllowed ? status : call('required', status);
  const is = (word: string) => compare('==', there, literal(word));
  const words = choose(
    is('SUCCEEDED'),
    literal('completed'),
    choose(is('SKIPPED'), literal('skipped'), literal('failed')),
  );
  return isAllowed ? choose(compare('==', status, literal(null)), literal(null), words) : words;
}
