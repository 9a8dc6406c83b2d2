/**
 * Settled costs. `unpriced` counts invocations of unknown price, which were settled at their
 * reservation.
 */
export interface Cost {
  readonly usd: number;
  readonly tokens: number;
  readonly unpriced: number;
  /** Thousandths of a satoshi; missing: not counted. */
  readonly msats?: number;
}

/** The total cost of launches of one kind on one day. */
export interface Bill {
  /** In UTC, `2026-11-21`. */
  readonly day: string;
  readonly provider: string;
  /** The model as its program reported it; null: it did not. */
  readonly model: string | null;
  /** Null: a step without a role. */
  readonly role: string | null;
  /** The run and step that it was for; null: none. */
  readonly run: string | null;
  readonly step: string | null;
  readonly launches: number;
  readonly cost: Cost;
}

/** By the values that distinguish one bill from another. */
export type Bills = Map<string, Bill>;

/** Maximum cost; usd in dollars, tokens as a count. Null: unlimited. */
export interface Budget {
  readonly usd: number | null;
  readonly tokens: number | null;
  /**
   * Thousandths of a satoshi, a whole number; only in workflows, whose steps share them. Missing:
   * unlimited.
   */
  readonly msats?: number;
}

/** Measured use. Null is unknown, which never counts as zero. */
export interface Usage {
  readonly usd: number | null;
  readonly tokens: number | null;
}

/** A conversation that the provider keeps for resuming, and what it had cost at the last launch. */
export interface Session {
  readonly id: string;
  readonly usd: number;
  readonly tokens: number;
}
