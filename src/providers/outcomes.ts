import type { ErrorCode } from '../kernel/errors.ts';
import { unknownUsage } from './prices.ts';
import type { Usage } from '../kernel/cost.ts';
import type { Outcome } from './provider.ts';

/** It may well work the next time. */
export function transient(
  text: string,
  usage: Usage = unknownUsage,
  code: ErrorCode = 'E_PROVIDER',
): Outcome {
  return { is: 'later', class: 'RETRYABLE_TRANSIENT', reason: { code, text }, until: null, usage };
}

/** A limit of use; `until` in milliseconds since 1970, null where the program did not say. */
export function limited(text: string, until: number | null, usage: Usage = unknownUsage): Outcome {
  return { is: 'later', class: 'RETRYABLE_RATE_LIMIT', reason: { code: 'E_PROVIDER', text }, until, usage };
}

/** It will not work the next time either. */
export function never(text: string, usage: Usage = unknownUsage, code: ErrorCode = 'E_PROVIDER'): Outcome {
  return { is: 'never', reason: { code, text }, usage };
}

/** Colours and other control characters, line breaks included. */
const controls = /\p{Cc}\[[\d;?]*[A-Za-z]|[\p{Cc}\s]+/gu;

/** The end of what a program wrote, on one line and at most `length` characters: what a person is shown. */
export function excerpt(text: string, length = 300): string {
  const words = text
    .slice(-4 * length)
    .replaceAll(controls, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
  return words.length <= length ? words : `…${words.slice(1 - length)}`;
}

/** `problem`, followed by what the program said about it, if it said something. */
export function because(problem: string, words: string): string {
  const said = excerpt(words);
  return said === '' ? problem : `${problem}: ${said}`;
}

/** A refused use of a tool, in words: the tool and what it was to do. */
export function denied(tool: string, detail: string | null): string {
  return because(tool, detail?.slice(0, 200) ?? '');
}
