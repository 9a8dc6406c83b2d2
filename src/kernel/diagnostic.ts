import type { ErrorCode } from './errors.ts';

/** Where a source text has an error. Lines and columns count from 1, as in editors. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Number of marked characters; at least 1. */
  readonly length: number;
  /** The line itself, so that a reader need not open the file. */
  readonly text: string;
}

/** One error or warning: what happened, where, and what would be right. */
export interface Diagnostic {
  readonly code: ErrorCode;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly place: Place | null;
  readonly hint: string | null;
}

/** A value, or all errors of the text that it was read from. Warnings can come with a value. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T; readonly warnings: readonly Diagnostic[] }
  | { readonly ok: false; readonly problems: readonly Diagnostic[] };
