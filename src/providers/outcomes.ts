import type { ErrorCode } from '../kernel/errors.ts';
import { unknownUsage } from './prices.ts';
import type { Usage } from '../kernel/cost.ts';
import type { Outcome } from './provider.ts';

/** The outcome of a failure that may pass: "later". */
export function transient(
  text: string,
  usage: Usage = unknownUsage,
  code: ErrorCode = 'E_PROVIDER',
): Outcome {
  return {
    is: 'later',
    class: 'RETRYABLE_TRANSIENT',
    reason: { code, text },
    until: null,
    usage,
    session: null,
  };
}

/**
 * The outcome of a usage limit; `until` in milliseconds since 1970, null if the program did not
 * report it.
 */
export function limited(text: string, until: number | null, usage: Usage = unknownUsage): Outcome {
  return {
    is: 'later',
    class: 'RETRYABLE_RATE_LIMIT',
    reason: { code: 'E_PROVIDER', text },
    until,
    usage,
    session: null,
  };
}

/** The outcome of a failure that a retry cannot fix: "never". */
export function never(text: string, usage: Usage = unknownUsage, code: ErrorCode = 'E_PROVIDER'): Outcome {
  return { is: 'never', reason: { code, text }, usage, session: null };
}

/** Terminal colours and other control characters, including line breaks. */
const controls = /\p{Cc}\[[\d;?]*[A-Za-z]|[\p{Cc}\s]+/gu;

/** The end of a program's output for messages, on one line and at most `length` characters. */
function excerpt(text: string, length = 300): string {
  const words = text
    .slice(-4 * length)
    .replaceAll(controls, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
  return words.length <= length ? words : `…${words.slice(1 - length)}`;
}

/** `problem`, followed by the program's own message if there is one. */
export function because(problem: string, words: string): string {
  const said = excerpt(words);
  return said === '' ? problem : `${problem}: ${said}`;
}

/** Describes a refused tool use: the tool and what it was to do. */
export function denied(tool: string, detail: string | null): string {
  return because(tool, detail?.slice(0, 200) ?? '');
}
