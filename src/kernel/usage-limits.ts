const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * How many launches of one turn, or of one iteration of a step, may end at a usage limit before it
 * fails.
 */
export const mostLimits = 32;

/**
 * Until when a provider that has reached its usage limit rests, in milliseconds since 1970: the
 * time that it named, and at least a pause that doubles with each limit up to an hour, starting at
 * a minute, or at a second if it named a time after `now`. `limits`: how many launches of the turn
 * or step have ended so, including this one.
 */
export function restUntil(named: number | null, limits: number, now: number): number {
  const base = named !== null && named > now ? second : minute;
  return Math.max(named ?? 0, now + Math.min(hour, base * 2 ** (limits - 1)));
}

/** A provider rests until a time, in milliseconds since 1970. */
export interface Parked {
  readonly type: 'parked';
  readonly provider: string;
  readonly until: number;
}

/** Until when a provider rests, in milliseconds since 1970; 0: it does not. */
export function parkedUntil(
  { parked }: { readonly parked: ReadonlyMap<string, number> },
  provider: string,
): number {
  return parked.get(provider) ?? 0;
}

/** Notes that a provider rests: until the later time, if it did already. */
export function park(state: { readonly parked: Map<string, number> }, { provider, until }: Parked): void {
  state.parked.set(provider, Math.max(until, parkedUntil(state, provider)));
}

/**
 * The usage of a launch that ended at a usage limit without reporting any: zero, as it did no work.
 */
export function limitUsage<U extends { readonly usd: number | null; readonly tokens: number | null }>(
  usage: U,
): U {
  return { ...usage, usd: usage.usd ?? 0, tokens: usage.tokens ?? 0 };
}

/** The reason for failing a turn or step after too many usage limits. */
export function tooManyLimits(text: string): string {
  return `${text} (${String(mostLimits)} launches ended at the usage limit)`;
}
