import type { RepositorySettings } from './agent-settings.ts';
import { ownValue } from '../kernel/own.ts';

/** What each CLI reads from a repository when Mailroom does not start it. */
const settings: Readonly<Record<string, readonly string[]>> = {
  claude: ['.claude/settings.json', '.claude/settings.local.json', '.mcp.json'],
  codex: ['.codex/config.toml', '.codex/hooks.json'],
  gemini: ['.gemini/settings.json', '.gemini/.env', '.env'],
  opencode: ['opencode.json', 'opencode.jsonc', '.opencode'],
  pi: ['.pi/settings.json', '.pi/extensions'],
  agy: ['.agents/hooks.json', '.agents/mcp_config.json', '.agents/plugins'],
};

/** The keys that name servers, programs and permissions. */
const keys =
  'env hooks apiKeyHelper permissions mcpServers enableAllProjectMcpServers mcp_servers model_provider model_providers notify sandbox_mode tools GOOGLE_GEMINI_BASE_URL GOOGLE_VERTEX_BASE_URL provider permission agent mcp plugin packages extensions';

/** No switch of opencode disables the plug-ins of a repository. */
export const opencodeObeys: RepositorySettings = {
  names: settings['opencode'] ?? [],
  keys: ['plugin'],
  may: 'name or hold plug-ins, and no switch keeps opencode from them',
  advice: 'install bubblewrap and leave `sandbox` at auto: without a sandbox its turns are refused there',
  hidden: true,
};

/** No switch of agy is known that keeps the hooks and servers of a repository from it. */
export const agyObeys: RepositorySettings = {
  names: settings['agy'] ?? [],
  keys: keys.split(' '),
  may: 'name hooks and programs, and no switch is known that keeps agy from them',
  advice: 'install bubblewrap and leave `sandbox` at auto: without a sandbox its turns are refused there',
  hidden: true,
};

/**
 * The repository settings that a command of the project's author obeys; null: none known.
 * `program`: its name or path.
 */
export function obeyedBy(program: string): RepositorySettings | null {
  const cli = program.slice(program.lastIndexOf('/') + 1);
  if (!Object.hasOwn(settings, cli)) return null;
  return {
    names: ownValue(settings, cli) ?? [],
    keys: keys.split(' '),
    may: `name other servers, programs and permissions for ${cli}, which your command starts`,
    advice: `use the provider \`${cli}\`, which keeps the settings of repositories from it`,
    hidden: false,
  };
}

/** The folders and files from which agents that speak the Agent Client Protocol take settings. */
const anyAgent = ['.env', ...Object.values(settings).flat()];

/**
 * What an agent that speaks the Agent Client Protocol obeys in a repository; `names`: null if it is
 * unknown.
 */
export function acpObeys(name: string, names: readonly string[] | null): RepositorySettings {
  return {
    names: names ?? [...new Set(anyAgent)],
    keys: keys.split(' '),
    may: `name other servers, programs and permissions for ${name}`,
    advice: 'install bubblewrap and leave `sandbox` at auto: without a sandbox its turns are refused there',
    hidden: true,
  };
}
