import { evaluate, evaluateCondition, type Evaluated } from '../../src/expressions/evaluate.ts';
import { commonFunctions } from '../../src/expressions/functions.ts';
import type { Language } from '../../src/expressions/language.ts';
import { parse } from '../../src/expressions/parse.ts';
import type { Problem, Read } from '../../src/expressions/problem.ts';
import type { Tree } from '../../src/expressions/tree.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';

/** A language with `${{ }}` as GitHub's users know it. */
export const loose: Language = {
  namespaces: ['parameters', 'steps', 'env', 'item'],
  functions: commonFunctions,
  comparing: 'loose',
  results: { namespace: 'steps', status: 'status' },
  dollar: false,
};

/** A language of conditions as in JSONPath. */
export const exact: Language = {
  namespaces: ['$'],
  functions: [],
  comparing: 'exact',
  results: null,
  dollar: true,
  doubleQuotes: true,
};

export function treeOf(text: string, language: Language = loose): Tree {
  const read = parse(text, language);
  if (!read.ok) throw new Error(`${text}\n${shown(text, read.problems)}`);
  return read.value;
}

export function valueOf(text: string, context: JsonObject = {}, language: Language = loose): Json {
  return given(evaluate(treeOf(text, language), context, language, 'value'));
}

export function conditionOf(text: string, context: JsonObject = {}, language: Language = loose): Json {
  return given(evaluateCondition(treeOf(text, language), context, language));
}

export function given(result: Evaluated): Json {
  if (!result.ok) throw new Error(JSON.stringify(result.why));
  return result.value;
}

/** Problems as a person sees them: the line with a mark under it, what is wrong, and what would be right. */
export function shown(text: string, problems: readonly Problem[]): string {
  return problems
    .map(({ message, hint, span }) => {
      const line = text.slice(0, span.start).split('\n').length;
      const start = text.lastIndexOf('\n', span.start - 1) + 1;
      const shownLine = text.slice(start).split('\n')[0]!;
      const marks = '^'.repeat(
        Math.max(1, Math.min(span.end - span.start, shownLine.length - span.start + start)),
      );
      const number = line === 1 ? '' : `${line}: `;
      const mark = `${' '.repeat(number.length + span.start - start)}${marks} ${message}`;
      return `${number}${shownLine}\n${mark}${hint === null ? '' : `; ${hint}`}`;
    })
    .join('\n');
}

export function problemsOf(text: string, read: Read<unknown>): string {
  return read.ok ? '' : shown(text, read.problems);
}
