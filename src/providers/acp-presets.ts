import type { AcpAgentName } from '../config/config.ts';

/** An agent that speaks the Agent Client Protocol, and what Mailroom knows of it. */
export interface AcpPreset {
  /** The program and the arguments that make it speak the protocol. */
  readonly command: readonly [string, ...string[]];
  /** How to install it, as part of a sentence. */
  readonly install: string;
  /** How to log in, as part of a sentence. */
  readonly login: string;
  /** Names (or `PREFIX_*`) of host variables that it may need. */
  readonly inherit: readonly string[];
  /** Folders for its login, settings and conversations; `~` is the home. */
  readonly folders: readonly string[];
  /** Names in the first of them that decide what it runs and may do, also outside a sandbox. */
  readonly settings: readonly string[];
  /** Names in a workspace from which it takes servers, programs or permissions. */
  readonly obeys: readonly string[];
  /** Variables that keep it from updating itself and from reporting. */
  readonly quiet: Readonly<Record<string, string>>;
}

const keys = [
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'OPENROUTER_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
];

/** By the name that roles use. Only copilot and qwen are driven by tests. */
const presets: Readonly<Record<AcpAgentName, AcpPreset>> = {
  copilot: {
    command: ['copilot', '--acp'],
    install: 'npm install -g @github/copilot',
    login: 'run `copilot login` once, or set COPILOT_GITHUB_TOKEN',
    inherit: ['COPILOT_*', 'GH_TOKEN', 'GITHUB_TOKEN', 'GH_HOST'],
    folders: ['~/.copilot'],
    settings: [
      'config.json',
      'settings.json',
      'mcp-config.json',
      'permissions-config.json',
      'agents',
      'hooks',
      'skills',
      'extensions',
      'installed-plugins',
    ],
    obeys: [
      '.github/copilot',
      '.github/hooks',
      '.github/mcp.json',
      '.copilot',
      '.mcp.json',
      '.vscode/mcp.json',
    ],
    quiet: { COPILOT_AUTO_UPDATE: 'false' },
  },
  cursor: {
    command: ['cursor-agent', 'acp'],
    install: 'see https://cursor.com/docs/cli',
    login: 'run `cursor-agent login` once, or set CURSOR_API_KEY',
    inherit: ['CURSOR_*'],
    folders: ['~/.cursor', '~/.config/cursor'],
    settings: ['cli-config.json', 'mcp.json', 'hooks.json', 'rules', 'commands', 'plugins', 'skills'],
    obeys: ['.cursor', '.mcp.json'],
    quiet: {},
  },
  qwen: {
    command: ['qwen', '--acp'],
    install: 'npm install -g @qwen-code/qwen-code',
    login: 'run `qwen` once and log in, or set the key of its model',
    inherit: [...keys, 'OPENAI_MODEL', 'DASHSCOPE_*', 'QWEN_*'],
    folders: ['~/.qwen'],
    settings: [
      'settings.json',
      '.env',
      'QWEN.md',
      'trustedFolders.json',
      'agents',
      'commands',
      'extensions',
      'hooks',
      'skills',
    ],
    obeys: ['.qwen', '.env', '.mcp.json'],
    quiet: { QWEN_TELEMETRY_ENABLED: 'false' },
  },
  goose: {
    command: ['goose', 'acp'],
    install: 'see https://block.github.io/goose',
    login: 'run `goose configure` once',
    inherit: [...keys, 'GOOSE_*', 'DATABRICKS_*'],
    folders: ['~/.config/goose', '~/.local/share/goose', '~/.local/state/goose'],
    settings: ['config.yaml', 'permission.yaml', 'recipes', 'skills'],
    obeys: ['.goose', '.mcp.json'],
    quiet: {},
  },
  kimi: {
    command: ['kimi', 'acp'],
    install: 'uv tool install kimi-cli',
    login: 'run `kimi` once and log in',
    inherit: ['KIMI_*', 'MOONSHOT_*'],
    folders: ['~/.kimi'],
    settings: ['config.toml', 'config.json', 'mcp.json', 'skills'],
    obeys: ['.kimi', '.mcp.json'],
    quiet: {},
  },
  kiro: {
    command: ['kiro-cli', 'acp'],
    install: 'see https://kiro.dev/docs/cli',
    login: 'run `kiro-cli login` once',
    inherit: ['KIRO_*'],
    folders: ['~/.kiro', '~/.local/share/kiro-cli'],
    settings: ['settings', 'agents', 'hooks', 'steering', 'skills'],
    obeys: ['.kiro', '.mcp.json'],
    quiet: {},
  },
  cline: {
    command: ['cline', '--acp'],
    install: 'npm install -g cline',
    login: 'run `cline auth` once',
    inherit: [...keys, 'CLINE_*'],
    folders: ['~/.cline'],
    settings: ['mcp.json', 'hooks', 'rules', 'workflows', 'skills'],
    obeys: ['.cline', '.clinerules', '.mcp.json'],
    quiet: {},
  },
  auggie: {
    command: ['auggie', '--acp'],
    install: 'npm install -g @augmentcode/auggie',
    login: 'run `auggie login` once, or set AUGMENT_SESSION_AUTH',
    inherit: ['AUGMENT_*'],
    folders: ['~/.augment'],
    settings: ['settings.json', 'commands', 'hooks', 'rules', 'plugins', 'skills'],
    obeys: ['.augment', '.mcp.json'],
    quiet: { AUGMENT_DISABLE_AUTO_UPDATE: '1' },
  },
  junie: {
    command: ['junie', '--acp=true'],
    install: 'see https://junie.jetbrains.com',
    login: 'run `junie` once and log in, or set JUNIE_API_KEY',
    inherit: ['JUNIE_*'],
    folders: ['~/.junie'],
    settings: ['config.json', 'mcp', 'commands', 'skills'],
    obeys: ['.junie', '.mcp.json'],
    quiet: {},
  },
  droid: {
    command: ['droid', 'exec', '--output-format', 'acp'],
    install: 'npm install -g droid',
    login: 'run `droid` once and log in, or set FACTORY_API_KEY',
    inherit: ['FACTORY_*', 'DROID_*'],
    folders: ['~/.factory'],
    settings: [
      'settings.json',
      'config.json',
      'mcp.json',
      'hooks',
      'commands',
      'droids',
      'plugins',
      'skills',
    ],
    obeys: ['.factory', '.mcp.json'],
    quiet: { DROID_DISABLE_AUTO_UPDATE: 'true', FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false' },
  },
  vibe: {
    command: ['vibe-acp'],
    install: 'uv tool install mistral-vibe',
    login: 'run `vibe --setup` once, or set MISTRAL_API_KEY',
    inherit: ['MISTRAL_*', 'VIBE_*'],
    folders: ['~/.vibe'],
    settings: ['config.toml', '.env', 'agents', 'prompts', 'tools', 'skills'],
    obeys: ['.vibe', '.mcp.json'],
    quiet: {},
  },
  openhands: {
    command: ['openhands', 'acp'],
    install: 'uv tool install openhands',
    login: 'run `openhands` once and set up its model',
    inherit: [...keys, 'LLM_*', 'OPENHANDS_*'],
    folders: ['~/.openhands'],
    settings: ['settings.json', 'agent_settings.json', 'mcp.json', 'hooks.json', 'skills'],
    obeys: ['.openhands', '.mcp.json'],
    quiet: {},
  },
};

/** The preset of a provider: by its name, or by the program that it starts; null: none. */
export function presetFor(name: string, program: string | null): AcpPreset | null {
  const file = program?.slice(program.lastIndexOf('/') + 1);
  const found = Object.entries(presets).find(([agent, { command }]) => agent === name || command[0] === file);
  return found?.[1] ?? null;
}
