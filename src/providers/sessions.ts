import type { Session, Usage } from '../kernel/cost.ts';

/**
 * The conversation after a run of a program that counts each run separately; null if its id is
 * unknown.
 */
export function continued(id: string | null, usage: Usage, previous: Session | null): Session | null {
  const known = id ?? previous?.id;
  if (known === undefined) return null;
  return {
    id: known,
    usd: (previous?.usd ?? 0) + (usage.usd ?? 0),
    tokens: (previous?.tokens ?? 0) + (usage.tokens ?? 0),
  };
}

/**
 * The conversation that a failed run had resumed, for a program that reports its running total;
 * null: it had resumed none.
 */
export function failedIn(total: Usage, usage: Usage, previous: Session | null): Session | null {
  if (previous === null) return null;
  // Without a total, the usage charged for the run is added to the previous one.
  const reached = (key: 'usd' | 'tokens') => total[key] ?? previous[key] + (usage[key] ?? 0);
  return { id: previous.id, usd: reached('usd'), tokens: reached('tokens') };
}

/** Like `continued` for a program that reports the conversation's running total. */
export function settle(id: string | null, total: Usage, previous: Session | null): Session | null {
  const known = id ?? previous?.id;
  if (known === undefined) return null;
  return { id: known, usd: total.usd ?? previous?.usd ?? 0, tokens: total.tokens ?? previous?.tokens ?? 0 };
}
