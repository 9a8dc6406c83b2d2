import type { Price } from '../kernel/price.ts';

/** The configuration of one provider: built in, or from mailroom.yaml. */
export interface ProviderOptions {
  /** The name that roles use. */
  readonly name: string;
  /**
   * The program and its fixed first arguments: `[claude]`, `[node, /opt/gemini.js]`; for `command`
   * the whole argv.
   */
  readonly command: readonly string[];
  /** Arguments after Mailroom's own, e.g. a model endpoint. */
  readonly arguments: readonly string[];
  /**
   * Names (or `PREFIX_*`) of host variables that the program inherits besides the provider's own.
   */
  readonly inherit: readonly string[];
  /**
   * Absolute paths that the program must be able to write besides the workspace and the staging
   * folder.
   */
  readonly writable: readonly string[];
  /**
   * The user's own settings files that name MCP servers or set variables; absolute, in order of
   * precedence.
   */
  readonly settings: readonly string[];
  /** All of the user's own settings that an agent must not write; absolute. */
  readonly guarded: readonly string[];
  /** The host's environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The price of a model, for programs that report tokens but no cost; null: unknown. */
  price(model: string | null): Price | null;
  /** How long the program may take to exit after its final event, in milliseconds. */
  readonly exitGraceMs: number;
  /** For `acp`: the program that speaks with the agent. */
  readonly acpAgent: readonly string[];
  /** For `pi`: the path of the extension that holds its tools to a policy. */
  readonly piExtension: string;
  /** For `replay`: the folder of the recording; missing: `MAILROOM_RECORDING` names it. */
  readonly recording?: string;
  /** The system prompt in place of the program's own; missing: that. */
  readonly systemPrompt?: string;
  /** Command lines (by their first words) that RUN_TESTS allows, if a CLI can restrict commands. */
  readonly tests: readonly string[];
}

/**
 * A system prompt in place of a program's own, which has thousands of tokens in each call: what the
 * role is and does stands in the prompt of the turn.
 */
export const shortSystemPrompt =
  'You are a careful software engineer. Use the tools that you are offered, and do what the prompt says.';

/** Milliseconds that a program may take to exit after its final event, by default. */
export const usualExitGraceMs = 10_000;

/** How long an agent may be silent that waits silently at a usage limit: 15 minutes. */
export const silentMs = 900_000;

/** Test commands of common ecosystems; `tests` of a configured provider replaces the list. */
export const usualTests: readonly string[] = [
  'npm test',
  'npm run test',
  'pnpm test',
  'pnpm run test',
  'yarn test',
  'yarn run test',
  'bun test',
  'deno test',
  'node --test',
  'npx vitest',
  'npx jest',
  'pytest',
  'python -m pytest',
  'python3 -m pytest',
  'cargo test',
  'go test',
  'make test',
  'make check',
  'mvn test',
  'gradle test',
  './gradlew test',
  'dotnet test',
  'bundle exec rspec',
];

/** Variables that any program which uses a model over the network may need. */
export const networkVariables: readonly string[] = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];
