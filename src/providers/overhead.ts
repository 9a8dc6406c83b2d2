import { aboutTokens } from '../kernel/cost.ts';
import { proved, type AgentCli } from './quirks.ts';

/**
 * What each call of the model reads besides the prompt: the system prompt of the agent's program
 * and the definitions of its tools.
 */
export interface Overhead {
  /** An estimate. */
  readonly tokens: number;
  /** The measured version of the program. */
  readonly version: string;
  /** The model that answered; null: it was not reported, or none was asked. */
  readonly model: string | null;
  /** The day of the measurement, in UTC: `2026-11-29`. */
  readonly day: string;
  /** `probe`: of this machine, by `doctor --probe`; `proved`: of the tests. */
  readonly from: 'probe' | 'proved';
}

/** When the table was measured, in UTC. */
export const provedDay = '2026-11-29';

/**
 * Of the proved versions, for a role with READ, EDIT and RUN_TESTS: the bytes of the first request
 * without the prompt, four of them a token. `short`: with `system_prompt: short`; null: the program
 * has no switch for it. Missing: unknown.
 */
export const provedTokens: Readonly<
  Partial<Record<AgentCli, { readonly own: number; readonly short: number | null }>>
> = {
  claude: { own: 13_500, short: 6_400 },
  codex: { own: 8_800, short: null },
  gemini: { own: 10_700, short: 4_400 },
  opencode: { own: 6_100, short: 3_900 },
  pi: { own: 2_000, short: 1_300 },
};

/** The proved overhead of an agent's program; null: unknown. */
export function provedOverhead(agent: AgentCli, systemPrompt: 'own' | 'short'): Overhead | null {
  const tokens = provedTokens[agent]?.[systemPrompt] ?? null;
  if (tokens === null) return null;
  return { tokens, version: proved[agent], model: null, day: provedDay, from: 'proved' };
}

/** Where a figure comes from: `proved with 2.1.330, 2026-11-29`. */
export function originOf({ from, version, day }: Overhead): string {
  return `${from === 'probe' ? 'measured' : 'proved'} with ${version}, ${day}`;
}

/** What a provider adds to each prompt, as a line of a plan. */
export function overheadLine(provider: string, overhead: Overhead | null): string {
  return overhead === null
    ? `what each call of ${provider} reads besides its prompt is unknown: \`mailroom doctor --probe\` measures it`
    : `each call of ${provider} reads ${aboutTokens(overhead.tokens)} tokens besides its prompt: its system prompt and tools (${originOf(overhead)})`;
}
