import { createHmac, timingSafeEqual } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';

/*
 * Jobs and results are signed with a key that the controller and its workers share, so that an
 * intruder in the queue can delay work, and neither start any nor forge a result.
 */

/** What a signature is about; the rest of a document is free. */
export interface About {
  readonly kind: 'job' | 'note' | 'result' | 'worker' | 'order';
  /** The id of the job, or of the worker. */
  readonly job: string;
  /** Distinguishes one job from any other with its id. */
  readonly nonce: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** The document with its signature. */
export function sign(key: string, about: About, body: JsonObject): JsonObject {
  const document: JsonObject = { ...about, body };
  return { ...document, signature: signatureOf(key, document) };
}

/** A signed document, or why it is refused, in words. */
export type Verified =
  | { readonly ok: true; readonly nonce: string; readonly body: JsonObject }
  /** `nonce` null: the signature is wrong, and nothing in it counts. */
  | { readonly ok: false; readonly problem: string; readonly nonce: string | null };

/** `nonce` null: any. `now` in milliseconds since 1970. */
export function verify(
  key: string,
  given: Json,
  expected: Pick<About, 'kind' | 'job'> & { readonly nonce: string | null; readonly now: number },
): Verified {
  if (!isJsonObject(given)) return refused('it is not a JSON object');
  const { signature, ...document } = given;
  if (typeof signature !== 'string' || !isEqual(signature, signatureOf(key, document)))
    return refused('its signature is wrong: both sides must have the same MAILROOM_WORKER_KEY');
  const { kind, job, nonce, expires, body } = document;
  if (kind !== expected.kind || job !== expected.job) return refused('it was signed for another job');
  if (typeof nonce !== 'string' || (expected.nonce !== null && nonce !== expected.nonce))
    return refused('it answers an earlier job');
  if (typeof expires !== 'number' || expires < expected.now)
    return refused('it has expired: the clocks of the hosts may differ', nonce);
  if (!isJsonObject(body)) return refused('it has no content');
  return { ok: true, nonce, body };
}

/** The name of the queue for those who share this key. It does not reveal the key. */
export function queueName(key: string): string {
  return createHmac('sha256', key).update('mailroom queue').digest('hex').slice(0, 16);
}

function refused(problem: string, nonce: string | null = null): Verified {
  return { ok: false, problem, nonce };
}

function signatureOf(key: string, document: JsonObject): string {
  return createHmac('sha256', key).update(canonical(document)).digest('hex');
}

function isEqual(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}

/** The same bytes for the same value: keys in order, no spaces. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join(',')}}`;
}
