/** A range in the text of an expression: offsets in UTF-16 units, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The span of a node that was not parsed from a string. */
export const nowhere: Span = { start: 0, end: 0 };

/** One error in a string; the caller knows its file. */
export interface Problem {
  readonly message: string;
  readonly hint: string | null;
  readonly span: Span;
}

/** The result, or all problems of the text. */
export type Read<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly Problem[] };

/** Ends the parsing of one expression; never leaves this folder. */
export class SyntaxProblem extends Error {
  readonly problem: Problem;

  constructor(message: string, hint: string | null, span: Span) {
    super(message);
    this.problem = { message, hint, span };
  }
}
