import type { JsonObject } from '../kernel/json.ts';
import { evaluate, failed, type Evaluated } from './evaluate.ts';
import type { Language } from './language.ts';
import { expressionLimits } from './limits.ts';
import { parseAt } from './parse.ts';
import { nowhere, type Problem, type Read } from './problem.ts';
import type { Tree } from './tree.ts';
import { toText } from './values.ts';

/** What opens an expression inside a string. */
export const opening = '${{';
const closing = '}}';

export type TemplatePart =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'expression'; readonly tree: Tree };

/** A string with expressions in it, in order; its literal parts are not empty and not adjacent. */
export type Template = readonly TemplatePart[];

/**
 * Parses a string with any number of `${{ }}`; or reports the problems of each, up to a limit.
 * Spans count from the beginning of the text. A literal `${{` is written `${{ '${{' }}`. Never
 * throws.
 */
export function parseTemplate(text: string, language: Language): Read<Template> {
  const parts: TemplatePart[] = [];
  const problems: Problem[] = [];
  let at = 0;
  for (let open = text.indexOf(opening); open !== -1; open = text.indexOf(opening, at)) {
    if (open > at) parts.push({ kind: 'text', text: text.slice(at, open) });
    const read = readExpression(text, open, language);
    if (read.ok) parts.push({ kind: 'expression', tree: read.tree });
    else problems.push(...read.problems);
    at = read.end;
    if (problems.length >= expressionLimits.problems) break;
  }
  if (problems.length > 0) return { ok: false, problems: problems.slice(0, expressionLimits.problems) };
  if (at < text.length) parts.push({ kind: 'text', text: text.slice(at) });
  return { ok: true, value: parts };
}

type ReadExpression =
  | { readonly ok: true; readonly tree: Tree; readonly end: number }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly end: number };

/**
 * The expression whose `${{` is at an offset; `end` is where the text continues, after an error
 * behind its `}}`.
 */
export function readExpression(text: string, open: number, language: Language): ReadExpression {
  const read = parseAt(text, { start: open + opening.length, closed: true }, language);
  if (read.ok) return { ...read, end: read.end + closing.length };
  const close = text.indexOf(closing, read.end ?? read.problems.at(-1)!.span.end);
  return { ok: false, problems: read.problems, end: close === -1 ? text.length : close + closing.length };
}

/** The trees of a template, in the order of the text. */
export function treesOf(template: Template): Tree[] {
  return template.flatMap((part) => (part.kind === 'expression' ? part.tree : []));
}

/**
 * The value of a template. A single expression that is the whole text keeps its type; anything else
 * is a string, in which null is empty and lists and mappings are JSON. Total, like `evaluate`.
 */
export function render(template: Template, context: JsonObject, language: Language): Evaluated {
  const [only] = template;
  if (template.length === 1 && only?.kind === 'expression')
    return evaluate(only.tree, context, language, 'value');
  let text = '';
  for (const part of template) {
    const isText = part.kind === 'text';
    const next: TextOrNot = isText
      ? { ok: true, value: part.text }
      : evaluateText(part.tree, context, language);
    if (!next.ok) return next;
    text += next.value;
    if (text.length > expressionLimits.resultText)
      return failed('the text is too long', isText ? nowhere : part.tree.span);
  }
  return { ok: true, value: text };
}

type TextOrNot = Extract<Evaluated, { ok: false }> | { readonly ok: true; readonly value: string };

/** The value of a tree as part of a string. */
export function evaluateText(tree: Tree, context: JsonObject, language: Language): TextOrNot {
  const result = evaluate(tree, context, language, 'value');
  if (!result.ok) return result;
  const text = toText(result.value);
  return text === null
    ? failed('the value is too long or nested too deeply', tree.span)
    : { ok: true, value: text };
}
