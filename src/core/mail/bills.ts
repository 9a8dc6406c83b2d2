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
