/** A part of the text that an expression was read from: offsets in UTF-16 units, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The span of what was not read from an expression's text. */
export const nowhere: Span = { start: 0, end: 0 };

/** One thing that is wrong with a text; the caller knows which file the text comes from. */
export interface Problem {
  readonly message: string;
  readonly hint: string | null;
  readonly span: Span;
}

/** What was read, or everything that is wrong with the text. */
export type Read<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly Problem[] };

/** Ends the reading of one expression; never leaves this folder. */
export class SyntaxProblem extends Error {
  readonly problem: Problem;

  constructor(message: string, hint: string | null, span: Span) {
    super(message);
    this.problem = { message, hint, span };
  }
}
