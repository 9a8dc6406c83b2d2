/**
 * Settled costs. `unpriced` counts invocations of unknown price, which were settled at their
 * reservation, or at what they had reported by their end.
 */
export interface Cost {
  readonly usd: number;
  readonly tokens: number;
  readonly unpriced: number;
  /** In the currency of the run, a whole number; missing: not counted. */
  readonly units?: number;
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
  /** The host of the worker that ran it; null: the controller's own. */
  readonly host: string | null;
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
   * In the currency of the run, a whole number; only in workflows, whose steps share them.
   * Missing: unlimited.
   */
  readonly units?: number;
}

/** What a run counts besides dollars and tokens. */
export interface Currency {
  readonly name: string;
  /** Units for a dollar; null: no conversion. */
  readonly perUsd: number | null;
  /** Whether exceeding the budget ends the run. */
  readonly enforced: boolean;
}

/** Measured use. Null is unknown, which never counts as zero. */
export interface Usage {
  readonly usd: number | null;
  readonly tokens: number | null;
  /** True: the program ended before it had reported all of it. Missing: this is all. */
  readonly more?: boolean;
}

/** What the calls of a model in one launch have used, in tokens. */
export interface Calls {
  /** The whole input of each call, with what the vendor had cached, in order. */
  readonly inputs: readonly number[];
  /** Of all calls together. */
  readonly output: number;
}

/** A conversation that the provider keeps for resuming, and what it had cost at the last launch. */
export interface Session {
  readonly id: string;
  readonly usd: number;
  readonly tokens: number;
  /** A fingerprint of the standing orders that it was given last; missing: it is not known. */
  readonly orders?: string;
}

/** What an agent had reported when it was stopped, or its host ended. */
export interface Reported {
  readonly usage: Usage;
  /** The conversation that it had resumed, with its total cost; null: none. */
  readonly session: Session | null;
}

/**
 * `$0.42`; with launches that did not report theirs, what they count as: `counted as $1.42 (2 not
 * reported)`. Empty if nothing was spent; tokens count where dollars do not.
 */
export function money({ usd, tokens, unpriced }: Cost): string {
  const dollars = usd > 0 ? `$${usd < 0.01 ? usd.toFixed(4) : usd.toFixed(2)}` : '';
  const words = dollars === '' && tokens > 0 ? `${count(tokens)} tokens` : dollars;
  return unpriced > 0 && words !== '' ? `counted as ${words} (${String(unpriced)} not reported)` : words;
}

/** A number of tokens that is not known exactly: `about 13,000`. */
export function aboutTokens(tokens: number): string {
  const rounded = tokens < 1_000 ? tokens : Math.round(tokens / 100) * 100;
  return `about ${String(rounded).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')}`;
}

/** `950`, `12.3k`, `4.0M`. */
function count(number: number): string {
  if (number < 1_000) return String(number);
  return number < 1_000_000 ? `${(number / 1_000).toFixed(1)}k` : `${(number / 1_000_000).toFixed(1)}M`;
}

/** What costs can be summed by. */
export const costKinds = [
  'role',
  'thread',
  'workflow',
  'run',
  'step',
  'provider',
  'model',
  'host',
  'day',
  'week',
] as const;

export type CostKind = (typeof costKinds)[number];
