/** Settled money. `unpriced` counts invocations whose price is unknown and that were settled at their reservation. */
export interface Cost {
  readonly usd: number;
  readonly tokens: number;
  readonly unpriced: number;
  /** Thousandths of a satoshi; missing: nobody counts them. */
  readonly msats?: number;
}

/** What launches of one kind came to on one day. */
export interface Bill {
  /** In UTC, `2026-11-21`. */
  readonly day: string;
  readonly provider: string;
  /** Null: it was a step that no role did. */
  readonly role: string | null;
  /** The run that it was for, and its step; null: none. */
  readonly run: string | null;
  readonly step: string | null;
  readonly launches: number;
  readonly cost: Cost;
}

/** By what makes them differ. */
export type Bills = Map<string, Bill>;

/** Null is "no limit"; usd in dollars, tokens as a count. */
export interface Budget {
  readonly usd: number | null;
  readonly tokens: number | null;
  /** Thousandths of a satoshi, a whole number; only in workflows, whose steps share them. Missing: unlimited. */
  readonly msats?: number;
}

/** Null means unknown, which is never the same as nothing. */
export interface Usage {
  readonly usd: number | null;
  readonly tokens: number | null;
}

/** A conversation that the provider keeps, to be resumed, and what it had cost when we last looked. */
export interface Session {
  readonly id: string;
  readonly usd: number;
  readonly tokens: number;
}
