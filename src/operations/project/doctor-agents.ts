import process from 'node:process';
import { type Config, kindOf } from '../../config/config.ts';

/** The agent CLIs, and the variable that replaces the program on PATH. */
export const agents = [
  { name: 'claude', variable: 'MAILROOM_CLAUDE_BIN' },
  { name: 'codex', variable: 'MAILROOM_CODEX_BIN' },
  { name: 'gemini', variable: 'MAILROOM_GEMINI_BIN' },
  { name: 'opencode', variable: 'MAILROOM_OPENCODE_BIN' },
] as const;

export function programOf({ name, variable }: (typeof agents)[number]): string {
  const named = process.env[variable];
  return named === undefined || named === '' ? name : named;
}

/** The program of a provider; null: it has none, as for a person, or it is built in. */
export function programFor(config: Config, provider: string): string | null {
  const named = config.providers.get(provider)?.command?.[0];
  if (named !== undefined) return named;
  const agent = agents.find(({ name }) => name === kindOf(config, provider));
  return agent === undefined ? null : programOf(agent);
}
