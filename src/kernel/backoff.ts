/**
 * How long to wait before another try: the n-th pause is `base · factorⁿ⁻¹`, at most `cap`, in
 * milliseconds; with `jitter` a random part of that.
 */
export interface Backoff {
  readonly base: number;
  readonly factor: number;
  readonly cap: number;
  readonly jitter: boolean;
}

/**
 * The pause in milliseconds before retry `count`. The randomness is a function of the key, so that
 * deciding again gives the same pause.
 */
export function pause({ base, factor, cap, jitter }: Backoff, count: number, key: string): number {
  const longest = Math.min(cap, base * factor ** Math.max(0, count - 1));
  return Math.ceil(jitter ? chance(key) * longest : longest);
}

/**
 * A number from 0 to 1 for a string (FNV-1a, then mixed: strings that differ only in the last
 * character give distant numbers).
 */
function chance(key: string): number {
  let hash = 2166136261;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 16777619) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 2246822507) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 13), 3266489909) >>> 0;
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
