import type { ErrorCode } from './errors.ts';

/** Where in a text something is wrong. Lines and columns count from 1, as editors do. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** How many characters are marked; at least 1. */
  readonly length: number;
  /** The line itself, so that a reader need not open the file. */
  readonly text: string;
}

/** One thing that is wrong: what happened, where, and what would be right. */
export interface Diagnostic {
  readonly code: ErrorCode;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly place: Place | null;
  readonly hint: string | null;
}

/** A value, or everything that is wrong with the text it should have come from. Warnings may come with a value. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T; readonly warnings: readonly Diagnostic[] }
  | { readonly ok: false; readonly problems: readonly Diagnostic[] };
