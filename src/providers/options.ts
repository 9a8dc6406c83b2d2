import type { Price } from '../kernel/price.ts';

/** How one provider is set up: by the program itself, or by mailroom.yaml. */
export interface ProviderOptions {
  /** The name that roles use. */
  readonly name: string;
  /** The program and what always comes first: `[claude]`, `[node, /opt/gemini.js]`; for `command` the whole argv. */
  readonly command: readonly string[];
  /** Arguments after ours, e.g. a model endpoint. */
  readonly arguments: readonly string[];
  /** Names (or `PREFIX_*`) that are taken over from the host's environment besides the provider's own. */
  readonly inherit: readonly string[];
  /** Absolute paths that the program must be able to write besides workspace and staging folder. */
  readonly writable: readonly string[];
  /** The person's own files of settings that name MCP servers or set variables; absolute, in the order in which they count. */
  readonly settings: readonly string[];
  /** All of the person's own settings that an agent must not write; absolute. */
  readonly guarded: readonly string[];
  /** The host's variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What a model costs, for programs that report tokens but no cost; null: nobody knows. */
  price(model: string | null): Price | null;
  /** Of `replay`: the folder of the recording; missing: `MAILROOM_RECORDING` says it. */
  readonly recording?: string;
  /** Command lines (by their first words) that RUN_TESTS allows, where a CLI can tell commands apart. */
  readonly tests: readonly string[];
}

/** What runs tests in the usual ecosystems; `tests` of a named provider replaces the list. */
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

/** Variables that every program which talks to a model over the network may need. */
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
