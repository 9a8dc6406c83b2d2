import { createHash } from 'node:crypto';
import type { Reason } from '../../kernel/errors.ts';
import type { Usage } from '../../kernel/cost.ts';
import { ownValue } from '../../kernel/own.ts';

/** A stretch of work of a trace. Times are milliseconds since 1970. */
export interface TraceSpan {
  /** 32 hexadecimal digits. */
  readonly trace: string;
  /** 16 hexadecimal digits. */
  readonly id: string;
  /** The id of the span that it is a part of; null: none. */
  readonly parent: string | null;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Null: it has not failed. */
  readonly failed: Reason | null;
  readonly attributes: Attributes;
}

export type Attributes = Readonly<Record<string, string | number>>;

/** The id of the trace of a run or thread: its own id, where that is a UUID. */
export function traceIdOf(id: string): string {
  const digits = id.replaceAll('-', '').toLowerCase();
  return /^[0-9a-f]{32}$/.test(digits) ? digits : hash(id, 32);
}

/** The id of the span of what these words name. Crashes and repetitions do not change it. */
export function spanIdOf(...words: readonly (string | number)[]): string {
  return hash(words.join('\n'), 16);
}

function hash(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}

/** The names of providers in the conventions for generative AI; others keep their own. */
const providerNames: Readonly<Record<string, string>> = {
  claude: 'anthropic',
  codex: 'openai',
  gemini: 'gcp.gemini',
};

/** An agent's work by the conventions for generative AI. */
export function agentAttributes(
  provider: string,
  agent: string,
  { usage, model }: { readonly usage: Usage; readonly model: string | null },
): Attributes {
  const { usd, tokens } = usage;
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': ownValue(providerNames, provider) ?? provider,
    'gen_ai.agent.name': agent,
    ...(model !== null && { 'gen_ai.response.model': model }),
    // The conventions count input and output apart, and have no cost.
    ...(tokens !== null && { 'mailroom.tokens': tokens }),
    ...(usd !== null && { 'mailroom.cost.usd': usd }),
  };
}
