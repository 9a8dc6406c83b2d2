const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** How many launches of one turn, or of one iteration of a step, may end at a usage limit; then it fails. */
export const mostLimits = 32;

/**
 * Until when a provider rests that has reached its usage limit, in milliseconds since 1970: the time that it named, and at
 * least a pause that doubles with each limit up to an hour, from a minute, or from a second where it named a time after
 * `now`. `limits`: how many launches of the turn or step have ended so, this one included.
 */
export function restUntil(named: number | null, limits: number, now: number): number {
  const base = named !== null && named > now ? second : minute;
  return Math.max(named ?? 0, now + Math.min(hour, base * 2 ** (limits - 1)));
}

/** What a limit says of its cost, where a program does not: nothing, as no work was done. */
export function limitUsage<U extends { readonly usd: number | null; readonly tokens: number | null }>(
  usage: U,
): U {
  return { ...usage, usd: usage.usd ?? 0, tokens: usage.tokens ?? 0 };
}

/** The reason of a turn or step that fails for it. */
export function tooManyLimits(text: string): string {
  return `${text} (${String(mostLimits)} launches ended at the usage limit)`;
}
