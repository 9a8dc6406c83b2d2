import { createHash } from 'node:crypto';
import { Refusal } from './problem.ts';

/** The most answers that are kept to be given again. */
const mostKept = 1_000;

interface Kept {
  /** The digest of the request. */
  readonly digest: string;
  readonly answer: Promise<Response>;
}

/**
 * Requests with an `Idempotency-Key`: a repeated one gets the answer of the first. After a restart
 * the command's file, whose name is made of the key, prevents a repetition.
 */
export class Once {
  readonly #kept = new Map<string, Kept>();

  /** The answer that `act` gives to a request (`digest`), or has given. Throws 409 for another. */
  async answer(id: string, digest: string, act: () => Promise<Response>): Promise<Response> {
    const known = this.#kept.get(id);
    if (known !== undefined && known.digest !== digest)
      throw new Refusal(409, 'E_REFUSED', 'another request has this Idempotency-Key');
    if (known !== undefined) return (await known.answer).clone();
    const answer = act();
    this.#kept.set(id, { digest, answer });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest);
    try {
      return (await answer).clone();
    } catch (error) {
      // Nothing took effect, or the id finds it again.
      this.#kept.delete(id);
      throw error;
    }
  }
}

/** The id of a command: of the person's `Idempotency-Key`; null: the request has none. */
export function idFor(headers: Headers, name: string): string | null {
  const key = headers.get('idempotency-key');
  if (key === null) return null;
  if (!/^[\x21-\x7e]{1,200}$/.test(key))
    throw new Refusal(400, 'E_USAGE', 'an Idempotency-Key has 1 to 200 characters, without spaces');
  return `once-${digestOf([name, key]).slice(0, 32)}`;
}

export function digestOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
