import { createHash, timingSafeEqual } from 'node:crypto';
import type { ApiKey } from '../../project/api.ts';
import { Refusal } from './problem.ts';

/** The names of this machine in a `Host` header. */
const ownHost = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/**
 * Throws unless a request was sent to this machine by its own names, and not by a page of another
 * origin: a page may reach this server by a host name of its own (DNS rebinding).
 */
export function refuseForeign(headers: Headers): void {
  const host = headers.get('host') ?? '';
  if (!ownHost.test(host))
    throw new Refusal(421, 'E_USAGE', 'this server answers only to localhost, 127.0.0.1 and [::1]');
  const origin = headers.get('origin');
  if (origin !== null && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
    throw new Refusal(403, 'E_KEY', 'pages of other origins must not use the API');
}

/** The key of a request. Throws `E_KEY`. */
export function keyOf(headers: Headers, keys: readonly ApiKey[], writes: boolean): ApiKey {
  const [, given] = /^Bearer ([\w-]+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  const challenge = { 'WWW-Authenticate': 'Bearer' };
  const hint = 'open the address that `mailroom serve` prints; programs send `Authorization: Bearer KEY`';
  if (given === undefined) throw new Refusal(401, 'E_KEY', 'a key is missing', { hint, headers: challenge });
  // All keys are compared, so that the time does not depend on which one fits.
  const [found] = keys.filter(({ key }) => isSame(key, given));
  if (found === undefined) throw new Refusal(401, 'E_KEY', 'the key is wrong', { hint, headers: challenge });
  if (writes && found.access === 'read')
    throw new Refusal(403, 'E_KEY', `the key of ${found.name} may only read`);
  return found;
}

function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
