import { namedFailure } from '../kernel/failure-marks.ts';
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

/**
 * A failed program's output for a message, on one line and at most `length` characters: of a long
 * one its beginning, the line that names the error, and its end.
 */
function excerpt(text: string, length = 300): string {
  const words = onOneLine(bothEnds(text));
  if (words.length <= length) return words;
  const whole = onOneLine(namedFailure(bothEnds(text).split(/[\r\n]+/)) ?? '');
  const at = words.indexOf(whole);
  if (whole === '' || at < 0) return `…${words.slice(1 - length)}`;
  const named = cut(whole, length - 100);
  const rest = length - named.length - 10;
  const beginning = words.slice(0, Math.min(at, Math.floor(rest / 2))).trim();
  const end = words
    .slice(at + whole.length)
    .slice(beginning.length - rest)
    .trim();
  return [beginning, named, end].filter((part) => part !== '').join(' … ');
}

/** At most 64 KiB characters of an output. */
function bothEnds(text: string): string {
  const most = 32 * 1024;
  return text.length <= 2 * most ? text : `${text.slice(0, most)}\n${text.slice(-most)}`;
}

function onOneLine(text: string): string {
  return text.replaceAll(controls, ' ').replaceAll(/ {2,}/g, ' ').trim();
}

/** Cut in its middle: an error begins with its kind, and often ends with a path. */
function cut(text: string, length: number): string {
  const half = Math.floor(length / 2);
  return text.length <= length ? text : `${text.slice(0, half)}…${text.slice(1 - half)}`;
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
