import { call, literal, path } from '../../../expressions/build.ts';
import { tokenize } from '../../../expressions/lexer.ts';
import { parseTokens } from '../../../expressions/parser.ts';
import { SyntaxProblem, type Problem, type Span } from '../../../expressions/problem.ts';
import type { Tree } from '../../../expressions/tree.ts';
import { didYouMean } from '../../../kernel/nearest.ts';

/** The names that paths of a step, or of a condition on the way to it, can use. */
export interface Names {
  /** By the name of an output: the steps that make it, in the order of the file. */
  readonly makers: ReadonlyMap<string, readonly string[]>;
  /** Whether a step comes before this one. */
  readonly comesBefore: (step: string) => boolean;
  readonly steps: ReadonlySet<string>;
}

/** The expression of a string, or the first error in it. */
type ReadText =
  { readonly ok: true; readonly tree: Tree } | { readonly ok: false; readonly problem: Problem };

/** Reads a condition: paths, strings, numbers, comparisons, `&&`, `||`, `!` and brackets. */
export function readCondition(text: string, names: Names): ReadText {
  return reading(text, (tree) => lower(tree, names, false));
}

/** Reads one path: `$input.text`, `$translated.parts[0]`. */
export function readPath(text: string, names: Names): ReadText {
  return reading(text, (tree) => {
    if (isPath(tree)) return lowerPath(tree, names);
    const hint = 'a mapping is one path, `$input.text`, or a literal that does not begin with `$`';
    throw new SyntaxProblem(`\`${text}\` is more than a path`, hint, tree.span);
  });
}

/** JSONPath syntax that can select several values. */
const several = /\.\.|\*|\[\?|\[[^\]'"]*[:,]|\[-/;
const oneValue = "a path names one value: `$.name`, `$['name']`, `$.list[0]`, counted from 0";

function reading(text: string, act: (tree: Tree) => Tree): ReadText {
  try {
    const tokens = tokenize(text, { start: 0, closed: false, syntax: { dollar: true, doubleQuotes: true } });
    return { ok: true, tree: act(parseTokens(tokens, 'exact')) };
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    const { problem } = error;
    const hint = several.test(text) ? oneValue : text.trim() === '' ? 'write `always`' : problem.hint;
    return { ok: false, problem: { ...problem, hint } };
  }
}

/** `compared`: an unquoted word is a string there, as in `$.status == approved`. */
function lower(tree: Tree, names: Names, compared: boolean): Tree {
  const inner = (part: Tree): Tree => lower(part, names, false);
  if (isPath(tree)) return lowerPath(tree, names);
  switch (tree.kind) {
    case 'literal':
      return tree;
    case 'name': {
      if (compared) return literal(tree.name, tree.span);
      const hint = 'a path begins with `$`; `always` stands alone';
      throw new SyntaxProblem(`\`${tree.name}\` says nothing here`, hint, tree.span);
    }
    case 'not':
      return { ...tree, operand: inner(tree.operand) };
    case 'comparison': {
      const left = lower(tree.left, names, true);
      const right = lower(tree.right, names, true);
      if (left.kind !== 'literal' || right.kind !== 'literal') return { ...tree, left, right };
      throw new SyntaxProblem(
        'nothing that is compared here can change',
        'a path begins with `$`',
        tree.span,
      );
    }
    case 'logic':
      return { ...tree, operands: tree.operands.map(inner) };
    case 'index':
      throw new SyntaxProblem('a path begins with `$`', 'put strings into quotes', tree.span);
    case 'arithmetic':
    case 'choice':
    case 'call': {
      const hint =
        'a condition compares paths with `==`, `<` and the like, and joins that with `&&`, `||`, `!`';
      throw new SyntaxProblem('a condition can do no more than compare', hint, tree.span);
    }
  }
}

/** Whether a tree is a path from `$`. */
function isPath(tree: Tree): boolean {
  let node = tree;
  while (node.kind === 'index') node = node.object;
  return node.kind === 'name' && node.name === '$';
}

type Key = { readonly word: string | number; readonly node: Tree };

/** A path into the workflow's input, or into an output of steps. */
function lowerPath(tree: Tree, names: Names): Tree {
  const keys: Key[] = [];
  for (let node = tree; node.kind === 'index'; node = node.object) keys.push(keyOf(node.key, node));
  const [first, ...rest] = keys.toReversed();
  if (first === undefined)
    throw new SyntaxProblem('`$` alone is not a path', 'name what it is to read: `$input.text`', tree.span);
  const begin =
    String(first.word) === 'input'
      ? path(['parameters'], tree.span)
      : made(String(first.word), tree.span, names);
  return rest.reduce<Tree>(
    (object, { word, node }) => ({
      kind: 'index',
      object,
      key: literal(word, node.span),
      comparing: 'exact',
      span: node.span,
    }),
    begin,
  );
}

function keyOf(key: Tree, node: Tree): Key {
  if (key.kind === 'literal' && typeof key.value === 'string') return { word: key.value, node };
  if (key.kind === 'literal' && Number.isSafeInteger(key.value) && Number(key.value) >= 0)
    return { word: key.value as number, node };
  throw new SyntaxProblem('this part names no single value', oneValue, key.span);
}

/**
 * The value that steps have stored under a name: of several, that of the last one in the file that
 * has stored it.
 */
function made(output: string, span: Span, { makers, comesBefore, steps }: Names): Tree {
  const all = makers.get(output) ?? [];
  if (all.length === 0) {
    const isStep = steps.has(output) ? `\`${output}\` is a step: name what it makes` : null;
    const known = [...makers.keys()].map((each) => `\`$${each}\``).join(', ');
    const hint = isStep ?? didYouMean(output, [...makers.keys(), 'input']) ?? `there is \`$input\`, ${known}`;
    throw new SyntaxProblem(`no step makes \`${output}\``, hint, span);
  }
  const earlier = all.filter(comesBefore);
  // If none comes before, the checks report it.
  const values = (earlier.length > 0 ? earlier : all).map((step) =>
    path(['steps', step, 'values', output], span),
  );
  return values.length === 1 ? values[0]! : call('default', ...values.toReversed());
}
