import { isBefore } from './quirks.ts';

/** What a quirk changes in how Mailroom speaks with an agent, and reads it. */
export interface AcpEffect {
  /** A refused permission ends its turn: it is asked to continue. */
  readonly refusal_ends: boolean;
  /** The title of a request to run a command is the command. */
  readonly title_is_command: boolean;
  /** The tokens in its last answer are those that its model has counted in the whole run. */
  readonly tokens: boolean;
  /** Those in each answer are those of its prompt alone. */
  readonly tokens_by_prompt: boolean;
  /** Those of the input include the cached ones. */
  readonly input_includes_cached: boolean;
  /** Those of the output include the thoughts. */
  readonly output_includes_thoughts: boolean;
  /** The cost in its updates is that of the conversation so far, as its model has counted. */
  readonly usd: boolean;
  /** A failure of its model is its answer, behind `Error: `, and a success. */
  readonly error_is_text: boolean;
  /** It puts notices behind `Info: ` among its words. */
  readonly notice_is_text: boolean;
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
export const provedAcp: Readonly<Record<string, string>> = { copilot: '1.0.102', qwen: '0.24.4' };

/** How an agent without quirks is read: nothing that it counts is trusted. */
const usual: AcpEffect = {
  refusal_ends: false,
  title_is_command: false,
  tokens: false,
  tokens_by_prompt: false,
  input_includes_cached: false,
  output_includes_thoughts: false,
  usd: false,
  error_is_text: false,
  notice_is_text: false,
};

/** By agent; a version that behaves differently gets a separate row. */
export const acpQuirks: readonly AcpQuirk[] = [
  {
    ...proved('gemini-cli', '0.61.0'),
    what: 'a request to run a command has it as its title only',
    effect: { title_is_command: true },
  },
  {
    ...proved('OpenCode', '1.18.33'),
    what: 'reports the dollars of the conversation exactly, and the tokens of its last request only',
    effect: { usd: true },
  },
  {
    ...proved('Copilot', '1.0.102'),
    what: 'a refusal ends its turn, with a notice among its words',
    effect: { refusal_ends: true, notice_is_text: true },
  },
  {
    ...proved('Copilot', '1.0.102'),
    what: 'reports a failure of its model as its words, and as a success',
    effect: { error_is_text: true },
  },
  {
    ...proved('Copilot', '1.0.102'),
    what: 'reports the tokens of the whole run exactly; those of the input include the cached ones',
    effect: { tokens: true, input_includes_cached: true },
  },
  {
    ...proved('@agentclientprotocol/codex-acp', '2.6.0'),
    what: 'reports the tokens of each prompt exactly; those of the output include the thoughts',
    effect: { tokens: true, tokens_by_prompt: true, output_includes_thoughts: true },
  },
];

function proved(agent: string, from: string): Omit<AcpQuirk, 'what' | 'effect'> {
  return { agent, from, before: null, proved: true };
}

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
