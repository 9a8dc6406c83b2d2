import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { namedProvider } from '../../../src/providers/index.ts';
import type { TurnFixture } from '../../providers/turns.ts';
import { codex, furnish, gemini, opencode, packages, type Cli } from './clis.ts';
import type { Model } from './model.ts';
import type { Capability } from '../../../src/kernel/capabilities.ts';
import type { Session } from '../../../src/kernel/cost.ts';
import type { Provider } from '../../../src/providers/provider.ts';

/** An agent that speaks the Agent Client Protocol, and what leads it to the scripted model. */
export interface AcpCli extends Pick<Cli, 'command' | 'environment' | 'files' | 'write' | 'shell'> {
  readonly name: string;
}

const native = `${process.platform}-${process.arch}`;

/** It asks for nothing that its settings allow. */
const asking = JSON.stringify({ permission: { edit: 'ask', bash: 'ask', webfetch: 'ask' } });

export const acpClis: readonly AcpCli[] = [
  { ...gemini, command: [...gemini.command, '--acp', '-m', 'gemini-2.5-pro'] },
  {
    ...opencode,
    command: [...opencode.command, 'acp'],
    environment: (home, url) => ({ ...opencode.environment(home, url), OPENCODE_CONFIG_CONTENT: asking }),
    files: (url) => ({
      'opencode.json': { ...(opencode.files(url)['opencode.json'] as object), model: 'scripted/model' },
    }),
  },
  {
    name: 'copilot',
    command: [join(packages, `@github/copilot-${native}/copilot`), '--acp'],
    environment: (home, url) => ({
      COPILOT_HOME: join(home, '.copilot'),
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: 'no-secret',
      COPILOT_MODEL: 'scripted',
      COPILOT_OFFLINE: 'true',
    }),
    files: () => ({}),
    write: (path, text) => ({ name: 'create', arguments: { path, file_text: text } }),
    shell: (command) => ({ name: 'bash', arguments: { command, description: 'runs it', mode: 'sync' } }),
  },
  {
    name: 'qwen',
    command: [process.execPath, join(packages, '@qwen-code/qwen-code/cli.js'), '--acp'],
    environment: (_home, url) => ({
      OPENAI_API_KEY: 'no-secret',
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_MODEL: 'scripted',
      QWEN_TELEMETRY_ENABLED: 'false',
    }),
    files: () => ({ '.qwen/settings.json': { security: { auth: { selectedType: 'openai' } } } }),
    write: (path, content) => ({ name: 'write_file', arguments: { file_path: path, content } }),
    shell: (command) => ({ name: 'run_shell_command', arguments: { command, is_background: false } }),
  },
  {
    ...codex,
    name: 'codex-acp',
    command: [process.execPath, join(packages, '@agentclientprotocol/codex-acp/dist/index.js')],
    files: (url) => ({
      '.codex/config.toml': `model = "gpt-5.5"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
env_key = "CODEX_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`,
    }),
  },
];

const acpAgent = fileURLToPath(new URL('../../../bin/acp-agent.mjs', import.meta.url));

/** An agent in a home folder of its own, with the scripted model behind it. */
export class AcpSetting {
  readonly provider: Provider;
  readonly #env: Readonly<Record<string, string>>;
  readonly #place: TurnFixture;

  constructor(cli: AcpCli, place: TurnFixture, { url }: Model) {
    const home = join(place.root, 'home');
    furnish(home, cli, url);
    const config = { command: cli.command, arguments: [], env: [], writable: [], tests: null, prices: null };
    this.provider = namedProvider(
      { ...config, name: cli.name, kind: 'acp' },
      { variables: { HOME: home }, node: process.execPath, replayAgent: '', acpAgent, piExtension: '' },
    );
    this.#env = { HOME: home, ...cli.environment(home, url) };
    this.#place = place;
  }

  turn(capabilities: readonly Capability[], session: Session | null = null) {
    return this.#place.turn({ env: this.#env, capabilities, session });
  }
}
