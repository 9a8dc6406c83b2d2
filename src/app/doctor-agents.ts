import process from 'node:process';

/** The agent CLIs, and the variable that names another program than the one on PATH. */
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
