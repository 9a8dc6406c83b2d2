import type { LogLines } from '../../documents/logs.ts';

/** What a page has that was saved as one file: the answers of the API for one run or thread. */
export interface Saved {
  /** When it was saved. */
  readonly at: string;
  readonly project: string;
  /** The fragment of its view. */
  readonly route: string;
  /** By the paths of the API. */
  readonly documents: Readonly<Record<string, unknown>>;
  readonly texts: Readonly<Record<string, string>>;
  /** What is kept of each log, by its path. */
  readonly logs: Readonly<Record<string, SavedLog>>;
}

/** The lines of a log around what matters in it; others are left out. */
interface SavedLog {
  readonly total: number;
  readonly size: number;
  readonly failure: LogLines['failure'];
  readonly parts: readonly { readonly first: number; readonly lines: readonly string[] }[];
}

const data = document.getElementById('saved')?.textContent ?? null;

/** Null: the page has a server. */
export const saved: Saved | null = data === null ? null : (JSON.parse(data) as Saved);
