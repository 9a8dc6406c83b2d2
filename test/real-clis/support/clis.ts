import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProviderConfig, ProviderKind } from '../../../src/config/config.ts';

/** Where `npm ci --prefix test/real-clis` puts the CLIs. */
export const packages = fileURLToPath(new URL('../node_modules', import.meta.url));

/** A use of a tool that the scripted model asks for. */
export interface Tool {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What a test has to know of a CLI in order to run it against the scripted model. */
export interface Cli {
  readonly name: Extract<ProviderKind, 'claude' | 'codex' | 'gemini' | 'opencode' | 'pi'>;
  /** The program, as a person would name it in mailroom.yaml: never a launcher that leaves its child behind. */
  readonly command: readonly [string, ...string[]];
  readonly model: string;
  /** Arguments that lead it to the model at this address. */
  readonly arguments: (url: string) => readonly string[];
  /** Variables that do. */
  readonly environment: (home: string, url: string) => Readonly<Record<string, string>>;
  /** Its configuration in its home folder. */
  readonly files: (url: string) => Readonly<Record<string, unknown>>;
  readonly write: (path: string, text: string) => Tool;
  readonly read: (path: string) => Tool;
  readonly shell: (command: string) => Tool;
  /** What it calls a tool of the server `mailroom`. */
  readonly served: (tool: string) => string;
}

const native = `${process.platform}-${process.arch}`;

export const claude: Cli = {
  name: 'claude',
  command: [join(packages, `@anthropic-ai/claude-code-${native}/claude`)],
  model: 'claude-sonnet-4-5',
  arguments: () => [],
  environment: (home, url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'no-secret',
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
  }),
  files: () => ({}),
  write: (path, content) => ({ name: 'Write', arguments: { file_path: path, content } }),
  read: (path) => ({ name: 'Read', arguments: { file_path: path } }),
  shell: (command) => ({ name: 'Bash', arguments: { command } }),
  served: (tool) => `mcp__mailroom__${tool}`,
};

/** The triples of the folders that codex brings its program in. */
const triples: Readonly<Record<string, string>> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
};

export const codex: Cli = {
  name: 'codex',
  command: [join(packages, `@openai/codex-${native}/vendor/${triples[native] ?? native}/bin/codex`)],
  model: 'gpt-5.5',
  arguments: (url) =>
    [
      ['-c', 'model_provider="scripted"'],
      [
        '-c',
        `model_providers.scripted={name="scripted",base_url="${url}/v1",env_key="CODEX_API_KEY",wire_api="responses",request_max_retries=0,stream_max_retries=0}`,
      ],
    ].flat(),
  environment: (home) => ({ CODEX_API_KEY: 'no-secret', CODEX_HOME: join(home, '.codex') }),
  // The folder must be there.
  files: () => ({ '.codex/config.toml': '' }),
  write: (path, text) => ({
    name: 'exec_command',
    arguments: {
      cmd: `mkdir -p '${dirname(path)}' && printf %s '${text.replaceAll("'", String.raw`'\''`)}' > '${path}'`,
    },
  }),
  read: (path) => ({ name: 'exec_command', arguments: { cmd: `cat '${path}'` } }),
  shell: (command) => ({ name: 'exec_command', arguments: { cmd: command } }),
  served: (tool) => `mcp__mailroom__${tool}`,
};

export const gemini: Cli = {
  name: 'gemini',
  command: [process.execPath, join(packages, '@google/gemini-cli/bundle/gemini.js')],
  model: 'gemini-2.5-pro',
  arguments: () => [],
  environment: (_home, url) => ({ GEMINI_API_KEY: 'no-secret', GOOGLE_GEMINI_BASE_URL: url }),
  files: () => ({
    '.gemini/settings.json': { security: { auth: { selectedType: 'gemini-api-key' } } },
  }),
  write: (path, content) => ({ name: 'write_file', arguments: { file_path: path, content } }),
  read: (path) => ({ name: 'read_file', arguments: { file_path: path } }),
  shell: (command) => ({ name: 'run_shell_command', arguments: { command } }),
  served: (tool) => `mcp_mailroom_${tool}`,
};

export const opencode: Cli = {
  name: 'opencode',
  command: [join(packages, `opencode-${native}/bin/opencode`)],
  model: 'scripted/model',
  arguments: () => [],
  environment: (home) => ({
    OPENCODE_CONFIG: join(home, 'opencode.json'),
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_STATE_HOME: join(home, '.local/state'),
    XDG_CACHE_HOME: join(home, '.cache'),
  }),
  files: (url) => ({
    'opencode.json': {
      small_model: 'scripted/model',
      enabled_providers: ['scripted'],
      provider: {
        scripted: {
          npm: '@ai-sdk/openai-compatible',
          name: 'scripted',
          options: { baseURL: `${url}/v1`, apiKey: 'no-secret' },
          models: {
            model: {
              name: 'model',
              limit: { context: 200_000, output: 8192 },
              cost: { input: 3, output: 15 },
            },
          },
        },
      },
    },
  }),
  write: (filePath, content) => ({ name: 'write', arguments: { filePath, content } }),
  read: (filePath) => ({ name: 'read', arguments: { filePath } }),
  shell: (command) => ({ name: 'bash', arguments: { command, description: 'runs it' } }),
  served: (tool) => `mailroom_${tool}`,
};

export const pi: Cli = {
  name: 'pi',
  // It wants a newer Node than Mailroom does.
  command: [
    join(packages, 'node22/bin/node'),
    join(packages, '@earendil-works/pi-coding-agent/dist/bundle/cli.js'),
  ],
  model: 'scripted/model',
  arguments: () => [],
  environment: (home) => ({ PI_CODING_AGENT_DIR: join(home, '.pi/agent') }),
  files: (url) => ({
    '.pi/agent/models.json': {
      providers: {
        scripted: {
          baseUrl: `${url}/v1`,
          api: 'openai-completions',
          apiKey: 'no-secret',
          models: [{ id: 'model', cost: { input: 3, output: 15, cacheRead: 0, cacheWrite: 0 } }],
        },
      },
    },
  }),
  write: (path, content) => ({ name: 'write', arguments: { path, content } }),
  read: (path) => ({ name: 'read', arguments: { path } }),
  shell: (command) => ({ name: 'bash', arguments: { command } }),
  // It has no client for MCP servers.
  served: (tool) => tool,
};

export const clis: readonly Cli[] = [claude, codex, gemini, opencode, pi];

/** Sets up a home folder in which the CLI finds the model and nothing of the person who runs the tests. */
export function furnish(home: string, cli: Pick<Cli, 'files'>, url: string): void {
  for (const [path, content] of Object.entries(cli.files(url))) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

/** The CLI as mailroom.yaml sets it up. */
export function configOf(cli: Cli, url: string): ProviderConfig {
  return {
    name: cli.name,
    kind: cli.name,
    command: cli.command,
    arguments: cli.arguments(url),
    env: [],
    writable: [],
    tests: null,
    prices: null,
  };
}

export function isInstalled({ command }: Cli): boolean {
  return command.every((part) => existsSync(part));
}
