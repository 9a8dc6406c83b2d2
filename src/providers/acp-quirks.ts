import { isBefore } from './quirks.ts';

/** What a quirk changes in how Mailroom speaks with an agent, and reads it. */
export interface AcpEffect {
  /** The mode of a conversation in which it asks for permission. */
  readonly mode: string | null;
  /** A refused permission ends its turn: it is asked to continue. */
  readonly refusal_ends: boolean;
  /** The title of a request to run a command is the command. */
  readonly title_is_command: boolean;
  /** The tokens in its answers are those that its model has counted. */
  readonly tokens: boolean;
  /** Those of the input include the cached ones. */
  readonly input_includes_cached: boolean;
  /** The cost in its updates is that of the conversation so far, as its model has counted. */
  readonly usd: boolean;
  /** It reports a usage limit as its answer, and as a success. */
  readonly limit_is_text: boolean;
}

/** A behaviour of one agent that others do not share. */
export interface AcpQuirk {
  /** The name by which it introduces itself. */
  readonly agent: string;
  /** The first version known to behave so. */
  readonly from: string;
  /** The first later version that does not; null: none is known. */
  readonly before: string | null;
  readonly what: string;
  /** Whether a test with the real program shows it; false: others report it. */
  readonly proved: boolean;
  readonly effect: Partial<AcpEffect>;
}

/** By provider: the version that the tests drive. */
export const provedAcp: Readonly<Record<string, string>> = {};

/** How an agent without quirks is read: nothing that it counts is trusted. */
const usual: AcpEffect = {
  mode: null,
  refusal_ends: false,
  title_is_command: false,
  tokens: false,
  input_includes_cached: false,
  usd: false,
  limit_is_text: false,
};

/** By agent; a version that behaves differently gets a separate row. */
export const acpQuirks: readonly AcpQuirk[] = [];

/** The effects for an agent; without a version, of all its versions. */
export function effectsFor(agent: string | null, version: string | null): AcpEffect {
  const rows = acpQuirks.filter(
    (row) =>
      row.agent === agent &&
      (version === null ||
        (!isBefore(version, row.from) && (row.before === null || isBefore(version, row.before)))),
  );
  return rows.reduce<AcpEffect>((effect, row) => ({ ...effect, ...row.effect }), usual);
}
