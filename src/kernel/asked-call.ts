/**
 * A use of a tool that an agent asked permission for, and that its role neither allows nor forbids:
 * a person decides.
 */
export interface AskedCall {
  /** Equal for the same kind, command and paths, or else the same title and input. */
  readonly key: string;
  readonly title: string;
  /** The kind of the tool, as the agent names it; null: it names none. */
  readonly kind: string | null;
  readonly command: string | null;
  readonly paths: readonly string[];
  /** The input as JSON, where it names neither a command nor a path; else null. */
  readonly input: string | null;
}

/** The keys of the calls that a person has decided in a turn whose agent may ask. */
export interface DecidedCalls {
  /** Each is allowed once. */
  readonly allowed: readonly string[];
  readonly denied: readonly string[];
}
