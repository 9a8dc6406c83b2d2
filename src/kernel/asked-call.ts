/**
 * A use of a tool that an agent asked permission for, and that its role neither allows nor forbids:
 * a person decides.
 */
export interface AskedCall {
  /** Equal only for the same whole call: bin/acp-call.mjs computes it. */
  readonly key: string;
  readonly title: string;
  /** The kind of the tool, as the agent names it; null: it names none. */
  readonly kind: string | null;
  readonly command: string | null;
  readonly paths: readonly string[];
  /** All other parts of the call, as JSON; null: it has none. */
  readonly input: string | null;
}

/** The keys of the calls that a person has decided in a turn whose agent may ask. */
export interface DecidedCalls {
  /** Each is allowed once. */
  readonly allowed: readonly string[];
  readonly denied: readonly string[];
}
