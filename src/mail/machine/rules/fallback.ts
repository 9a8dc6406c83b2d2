import { parkedUntil } from '../../../kernel/usage-limits.ts';
import { type Providers, providersOf } from '../../format/protocol.ts';

/** Until when providers rest, in milliseconds since 1970. */
type Parked = { readonly parked: ReadonlyMap<string, number> };

/** The first of a role's providers that is not rate limited; null: all are. */
export function freeProvider(state: Parked, role: Providers, now: number): string | null {
  return providersOf(role).find((provider) => parkedUntil(state, provider) <= now) ?? null;
}

/**
 * When the first of a role's providers is available, if this one is not before a given time; `now`:
 * one is available already.
 */
export function freeAgain(
  { parked }: Parked,
  role: Providers,
  limited: { readonly provider: string; readonly until: number },
  now: number,
): number {
  const times = providersOf(role).map((provider) =>
    provider === limited.provider ? limited.until : (parked.get(provider) ?? now),
  );
  return Math.max(now, Math.min(...times));
}
