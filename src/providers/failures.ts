import { endOf, limitIn } from './limits.ts';
import { because, limited, never, transient } from './outcomes.ts';
import { nothing } from './prices.ts';
import type { Usage } from '../kernel/cost.ts';
import type { Outcome } from './provider.ts';

/** What a CLI reported about its failure. */
interface Failure {
  readonly program: string;
  /** The status of the model's API, if the CLI reports it separately from the text. */
  readonly status: number | null;
  /** The CLI's error message; if it is empty, standard error is used. */
  readonly text: string;
  readonly stderr: string;
  readonly usage: Usage;
  /** How the user logs in. */
  readonly login: string;
}

/** Credit or payment is missing, so waiting does not help. */
const unpaid =
  /credit balance is too low|insufficient_quota|billing_(not_active|hard_limit)|payment required/i;

const loggedOut =
  /not logged in|please run \/login|log ?in again|invalid (x-)?api[ -]?key|incorrect api key|api key not valid|API_KEY_INVALID|authentication_error|permission_error|PERMISSION_DENIED|UNAUTHENTICATED|oauth token|token (has )?expired|missing (environment variable|api key|bearer)|no api key|invalid auth method|set an auth method|could not resolve authentication|\bunauthorized\b/i;

/** The conversation to resume does not exist. */
const forgotten =
  /no conversation found with session|no rollout found for thread|invalid session identifier|no previous sessions found|session not found|no session found matching|conversation .{1,80} not found/i;

/** The request is not allowed or names something that does not exist. */
const hopeless =
  /prompt is too long|context[ _](window|length)|invalid_request_error|model_not_found|unknown model|model .{1,80} (does not exist|not found|is not supported)|unexpected argument|unknown (option|argument)|ProviderModelNotFoundError|error loading config/i;

/** Patterns of texts that contain the status of an API. */
const statuses: readonly RegExp[] = [
  /\bstatus(?:[ _]?code)?\\*["']?\s*[:=]?\s*\(?([45]\d\d)\b/i,
  /\bAPI Error:?\s*\(?([45]\d\d)\b/i,
  /\bcode\\*["']?\s*[:=]\s*([45]\d\d)\b/i,
  /"details\\*":\s*\\*"([45]\d\d)\b/,
  /\bHTTP(?:\/\d(?:\.\d)?)?\s*:?\s*([45]\d\d)\b/i,
  /\b([45]\d\d)\b:? (?:unauthorized|forbidden|bad request|not found|too many requests|payment required|internal server error|bad gateway|service unavailable|gateway timeout|overloaded)/i,
];

/** The API's status that a string mentions, or null. */
export function statusIn(text: string): number | null {
  const words = text.slice(0, 8192);
  for (const pattern of statuses) {
    const match = pattern.exec(words);
    if (match !== null) return Number(match[1]);
  }
  return null;
}

/**
 * Statuses of a request that can never succeed. 408, 409 and 425 are temporary, 429 has a class of
 * its own.
 */
const refusals = new Set([400, 402, 404, 405, 406, 410, 411, 413, 414, 415, 422]);

/**
 * Classifies a failure: usage limits and server errors pass; a missing key, a bad request or
 * exhausted credit needs a person. An unknown failure is "later": attempts are limited.
 */
export function failed(failure: Failure, now: number): Outcome {
  const { program, usage } = failure;
  // A message is read from its beginning; of standard error the end counts, after warnings and
  // traces.
  const words = failure.text === '' ? failure.stderr.slice(-4096) : failure.text.slice(0, 8192);
  const shown = failure.text === '' ? failure.stderr : words.slice(0, 300);
  const status = failure.status ?? statusIn(words);
  const saying = (problem: string) => because(problem, shown);
  if (forgotten.test(words))
    return transient(saying(`${program} does not know the conversation any more`), nothing, 'E_SESSION');
  if (unpaid.test(words)) return never(saying(`${program} has no credit left`), usage);
  if (status === 401 || status === 403 || (maybeRefused(status) && loggedOut.test(words))) {
    return never(saying(`${program} is not allowed to use its model; ${failure.login}`), usage, 'E_LOGIN');
  }
  if (status === 429)
    return limited(saying(`${program} has reached its usage limit`), endOf(words, now), usage);
  if (status !== null && refusals.has(status))
    return never(saying(`${program} was refused (${status})`), usage);
  if (status === null) {
    const limit = limitIn(words, now);
    if (limit !== null) return limited(saying(`${program} has reached its usage limit`), limit.until, usage);
    if (hopeless.test(words)) return never(saying(`${program} cannot do this`), usage);
  }
  const unclear = failure.text === '' ? `${program} ended without a result` : `${program} failed`;
  return transient(saying(status === null ? unclear : `${program} failed (${status})`), usage);
}

/**
 * Some APIs report a bad key as 400; the message of a failing server says nothing about the key.
 */
function maybeRefused(status: number | null): boolean {
  return status === null || status === 400;
}
