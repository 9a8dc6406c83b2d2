import { type AcpAgentName, acpAgents, type Config, kindOf } from '../../config/config.ts';
import { presetFor } from '../../providers/acp-presets.ts';

/** The agent CLIs that Mailroom drives headless, each in its own way. */
export const agents = ['claude', 'codex', 'gemini', 'opencode', 'pi', 'agy'] as const;

type AgentName = (typeof agents)[number] | AcpAgentName;

type Environment = Readonly<Record<string, string | undefined>>;

/** The program of an agent: of a variable such as `MAILROOM_CLAUDE_BIN`, or its own. */
export function programOf(agent: string, environment: Environment): string {
  const named = environment[`MAILROOM_${agent.toUpperCase()}_BIN`];
  return named === undefined || named === '' ? (presetFor(agent, null)?.command[0] ?? agent) : named;
}

/** The agent whose program a provider runs, such as `claude`; null: it is not one that we know. */
export function agentOf(config: Config, provider: string): AgentName | null {
  const kind = kindOf(config, provider);
  return [...agents, ...acpAgents].find((name) => name === (kind === 'acp' ? provider : kind)) ?? null;
}

/** The program of a provider; null: it has none, as for a person, or it is built in. */
export function programFor(config: Config, provider: string, environment: Environment): string | null {
  const named = config.providers.get(provider)?.command?.[0];
  if (named !== undefined) return named;
  const agent = agentOf(config, provider);
  return agent && programOf(agent, environment);
}

/** How to get the missing program of a provider, as the end of a sentence; empty: not known. */
export function howToGet(config: Config, provider: string, program: string): string {
  const preset = kindOf(config, provider) === 'acp' ? presetFor(provider, program) : null;
  return preset === null ? '' : ` (${preset.install})`;
}
