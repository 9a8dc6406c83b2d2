import { sign as signBytes, verify as verifyBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { isJsonObject, isNestedWithin, type Json, type JsonObject } from '../../../kernel/json.ts';
import { isAdmitted, publicOf, type Admission, type Credentials } from './credentials.ts';

/*
 * What goes through the queue is signed, so that an intruder there can delay work, and neither
 * start any nor forge a result. An old document is refused by its nonce: a job starts nothing
 * until the controller has confirmed it to one worker.
 */

/** Who must have signed each kind of document. */
const signers = {
  job: 'controller',
  /** One worker can begin a job. */
  grant: 'controller',
  order: 'controller',
  /** A worker holds a job, and asks to begin it. */
  note: 'worker',
  result: 'worker',
  /** A worker has not run a job to its end, and will not: others can. */
  left: 'worker',
  worker: 'worker',
} as const;

/** What a signature is about; the rest of a document is free. */
export interface About {
  readonly kind: keyof typeof signers;
  /** The id of the job, or of the worker. */
  readonly job: string;
  /** Distinguishes one job from any other with its id. */
  readonly nonce: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** For how long a card or an order counts, in milliseconds: clocks may be some hours off. */
export const shortlyMs = 12 * 3_600_000;
/**
 * The same for what belongs to one job, which its nonce protects: it waits for a worker, or its
 * result for the controller.
 */
export const jobMs = 7 * 24 * 3_600_000;

/** The document with its signature. */
export function sign(
  { project, secret, admission }: Credentials,
  about: About,
  body: JsonObject,
): JsonObject {
  const by = admission === null ? {} : { by: { ...admission } };
  const document: JsonObject = { ...about, project, body, ...by };
  return { ...document, signature: signBytes(null, bytesOf(document), secret).toString('base64url') };
}

/** A signed document, or why it is refused, in words. */
export type Verified =
  | {
      readonly ok: true;
      readonly nonce: string;
      readonly body: JsonObject;
      /** The name of the worker that signed it; null: the controller did. */
      readonly by: string | null;
    }
  /** `nonce` null: the signature is wrong, and nothing in it counts. */
  | { readonly ok: false; readonly problem: string; readonly nonce: string | null };

/** `nonce` null: any. `now` in milliseconds since 1970. */
export function verify(
  credentials: Credentials,
  given: Json,
  expected: Pick<About, 'kind' | 'job'> & { readonly nonce: string | null; readonly now: number },
): Verified {
  if (!isJsonObject(given)) return refused('it is not a JSON object');
  if (!isNestedWithin(given, mostLevels)) return refused('it is nested too deep');
  const { signature, ...document } = given;
  const signer = signerOf(credentials, expected.kind, document['by'] ?? null);
  if (signer === null || typeof signature !== 'string' || !isSigned(document, signature, signer.key))
    return refused(`its signature is wrong: ${wrongKey[signers[expected.kind]]}`);
  const { kind, job, nonce, expires, body, project } = document;
  if (project !== credentials.project) return refused('it was signed for another project');
  if (kind !== expected.kind || job !== expected.job) return refused('it was signed for another job');
  if (typeof nonce !== 'string' || (expected.nonce !== null && nonce !== expected.nonce))
    return refused('it answers an earlier job');
  if (typeof expires !== 'number' || expires < expected.now)
    return refused('it has expired: the clocks of the hosts may differ', nonce);
  if (!isJsonObject(body)) return refused('it has no content');
  return { ok: true, nonce, body, by: signer.name };
}

/** Deep enough for what is sent; so that nothing here runs out of stack. */
const mostLevels = 50;

const wrongKey = {
  controller: 'the worker must have a key that this controller has made',
  worker: 'no worker that this controller has invited has signed it',
};

interface SigningKey {
  readonly key: KeyObject;
  readonly name: string | null;
}

/** Who may have signed a document of this kind; null: no worker that was admitted. */
function signerOf(credentials: Credentials, kind: About['kind'], by: Json): SigningKey | null {
  if (signers[kind] === 'controller') return { key: credentials.controller, name: null };
  if (!isJsonObject(by)) return null;
  const { name, key, signature } = by;
  if (![name, key, signature].every((each) => typeof each === 'string' && each.length <= 100)) return null;
  const admission = { name, key, signature } as unknown as Admission;
  try {
    const isOurs = isAdmitted(credentials, admission);
    return isOurs ? { key: publicOf(admission.key), name: admission.name } : null;
  } catch {
    return null;
  }
}

function isSigned(document: JsonObject, signature: string, key: KeyObject): boolean {
  return verifyBytes(null, bytesOf(document), key, Buffer.from(signature, 'base64url'));
}

function refused(problem: string, nonce: string | null = null): Verified {
  return { ok: false, problem, nonce };
}

function bytesOf(document: JsonObject): Buffer {
  return Buffer.from(canonical(document));
}

/** The same bytes for the same value: keys in order, no spaces. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join(',')}}`;
}
