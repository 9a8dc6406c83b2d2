import type { Session, Usage } from '../kernel/cost.ts';

/** The conversation after a run whose program counts each run by itself; null where no conversation is known. */
export function goOn(id: string | null, usage: Usage, previous: Session | null): Session | null {
  const known = id ?? previous?.id;
  if (known === undefined) return null;
  return {
    id: known,
    usd: (previous?.usd ?? 0) + (usage.usd ?? 0),
    tokens: (previous?.tokens ?? 0) + (usage.tokens ?? 0),
  };
}

/** The conversation that a failed run had resumed, where the program gives its running total; null: it had resumed none. */
export function failedIn(total: Usage, usage: Usage, previous: Session | null): Session | null {
  if (previous === null) return null;
  // Without a total, what the run was charged with is what came to it.
  const reached = (key: 'usd' | 'tokens') => total[key] ?? previous[key] + (usage[key] ?? 0);
  return { id: previous.id, usd: reached('usd'), tokens: reached('tokens') };
}

/** The same where the program gives the conversation's running total. */
export function settle(id: string | null, total: Usage, previous: Session | null): Session | null {
  const known = id ?? previous?.id;
  if (known === undefined) return null;
  return { id: known, usd: total.usd ?? previous?.usd ?? 0, tokens: total.tokens ?? previous?.tokens ?? 0 };
}
