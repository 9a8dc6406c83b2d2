import { didYouMean } from '../kernel/nearest.ts';
import { constantProblem, spacedMinus } from './arithmetic.ts';
import { functionOf, type Language } from './language.ts';
import { tokenize, type LexerOptions } from './lexer.ts';
import { parseTokens } from './parser.ts';
import { SyntaxProblem, type Problem, type Read } from './problem.ts';
import { nodesOf, type Call, type Tree } from './tree.ts';

/**
 * The tree of a string that is one expression, without `${{ }}`; or all of its problems: the first
 * invalid token, else every unknown namespace and function. Never throws.
 */
export function parse(text: string, language: Language): Read<Tree> {
  const read = parseAt(text, { start: 0, closed: false }, language);
  return read.ok ? { ok: true, value: read.tree } : { ok: false, problems: read.problems };
}

type ParsedPart =
  | { readonly ok: true; readonly tree: Tree; readonly end: number }
  /** The end is unknown when the expression could not be parsed. */
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly end: number | null };

/**
 * Like `parse`, for a part of a string; also returns the offset where the expression ends, before
 * its `}}`.
 */
export function parseAt(text: string, part: Omit<LexerOptions, 'syntax'>, language: Language): ParsedPart {
  try {
    const tokens = tokenize(text, { ...part, syntax: language });
    const tree = parseTokens(tokens, language.comparing);
    const problems = problemsOf(tree, language);
    const { end } = tokens.at(-1)!.span;
    return problems.length > 0 ? { ok: false, problems, end } : { ok: true, tree, end };
  } catch (error) {
    if (error instanceof SyntaxProblem) return { ok: false, problems: [error.problem], end: null };
    throw error;
  }
}

/** Every use of what the language does not have, in the order of the text. */
function problemsOf(tree: Tree, language: Language): Problem[] {
  const nodes = nodesOf(tree);
  const compared = new Set(
    nodes.flatMap((node) => (node.kind === 'comparison' ? [node.left, node.right] : [])),
  );
  return nodes.flatMap((node) => {
    if (node.kind === 'call') return callProblem(node, language) ?? [];
    if (node.kind === 'arithmetic') {
      const message = constantProblem(node);
      return message === null ? [] : { message, hint: null, span: node.span };
    }
    return node.kind === 'name' ? (nameProblem(node, compared.has(node), language) ?? []) : [];
  });
}

/** `isWhole`: the name is a whole operand of a comparison, as a word with forgotten quotes is. */
function nameProblem(
  { name, span }: Extract<Tree, { kind: 'name' }>,
  isWhole: boolean,
  language: Language,
): Problem | null {
  const { namespaces } = language;
  if (namespaces.some((each) => each.toLowerCase() === name.toLowerCase())) return null;
  const hint =
    (language.calculates === true ? spacedMinus(name, (part) => namespaces.includes(part)) : null) ??
    didYouMean(name, namespaces) ??
    (isWhole ? `write a string in single quotes: '${name}'` : insteadOfName(name, language)) ??
    `there is ${namespaces.map((each) => `\`${each}\``).join(', ')}`;
  return { message: `\`${name}\` is not defined here`, hint, span };
}

function insteadOfName(name: string, { insteadOf = {} }: Language): string | null {
  return Object.hasOwn(insteadOf, name) ? insteadOf[name]! : null;
}

function callProblem(call: Call, language: Language): Problem | null {
  const called = functionOf(language, call.name);
  if (called === undefined) {
    const names = language.functions.map((each) => each.name);
    const all =
      names.length === 0
        ? 'there are none here'
        : `there is ${names.map((each) => `\`${each}\``).join(', ')}`;
    const hint = didYouMean(call.name, names) ?? insteadOfName(call.name, language) ?? all;
    return { message: `there is no function \`${call.name}\``, hint, span: call.nameSpan };
  }
  const given = call.operands.length;
  if (given >= called.least && given <= called.most) {
    const message = (called.kind === 'plain' && called.literally?.(call.operands)) || null;
    return message === null ? null : { message, hint: null, span: call.operands[0]!.span };
  }
  const wanted = countText(called.least, called.most);
  return { message: `\`${called.name}\` takes ${wanted}, not ${given}`, hint: null, span: call.nameSpan };
}

function countText(least: number, most: number): string {
  if (least === most) return most === 1 ? 'one argument' : `${most} arguments`;
  return most === Infinity ? `at least ${least} arguments` : `${least} to ${most} arguments`;
}
