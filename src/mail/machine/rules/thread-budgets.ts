import type { Budget } from '../../../kernel/cost.ts';
import {
  fits,
  isLimited,
  reservationOf,
  sumOf,
  unlimited,
  worst,
  type Fit,
  type Reservation,
} from '../../../kernel/money.ts';
import type { Limits, Protocol } from '../../format/protocol.ts';
import type { MailState, Thread } from '../state.ts';
import { lineage } from '../fold/work.ts';
import type { ThreadId } from '../../../kernel/ids.ts';

/** A reservation that is not in the state yet. */
export interface Grant extends Reservation {
  readonly thread: ThreadId;
}

const units = ['usd', 'tokens'] as const;

/**
 * Whether this amount fits into the budget of a thread, and of those above it. A sub-thread spends
 * what it has reserved of its parent's budget before it takes more of it.
 */
export function fitsThread(
  state: MailState,
  protocol: Protocol,
  granted: readonly Grant[],
  id: ThreadId,
  budget: Budget | null,
): Fit {
  const found: Fit[] = [];
  let wanted = reservationOf(budget);
  // Units that a sub-thread has reserved above, even if others have spent more there than expected.
  const covered = { usd: false, tokens: false };
  for (const thread of lineage(state, id)) {
    const all = limitOf(protocol.limits, thread);
    const limit = { usd: covered.usd ? null : all.usd, tokens: covered.tokens ? null : all.tokens };
    const isBound = isLimited(limit);
    if (!isBound && thread.parent === null) continue;
    const reserved = reservedIn(state, granted, thread);
    if (isBound) found.push(fits(limit, thread.cost, reserved, wanted));
    wanted = difference(claimed(thread, sumOf([reserved, wanted])), claimed(thread, reserved));
    for (const unit of units)
      covered[unit] ||= thread.reserves && thread.budget?.[unit] != null && wanted[unit] <= 0;
  }
  return worst(found);
}

/** The budget of one thread; a sub-thread without one of its own spends that of its parent. */
export function limitOf({ threadBudget }: Limits, { parent, budget }: Thread): Budget {
  return parent === null ? threadBudget : (budget ?? unlimited);
}

/** What is reserved of the budget of a thread, and not spent. */
function reservedIn(state: MailState, granted: readonly Grant[], thread: Thread): Reservation {
  const own = [...state.turns.values()].flatMap(({ reserved, thread: id, budget }) =>
    reserved && id === thread.id ? [reservationOf(budget)] : [],
  );
  const below = thread.children.flatMap((id) => {
    const child = state.threads.get(id);
    return child ? [claimed(child, reservedIn(state, granted, child))] : [];
  });
  return sumOf([...own, ...granted.filter((grant) => grant.thread === thread.id), ...below]);
}

/** What a thread keeps of its parent's budget. */
function claimed({ reserves, budget, cost }: Thread, reserved: Reservation): Reservation {
  if (!reserves) return reserved;
  const [usd, tokens] = units.map((unit) => Math.max(reserved[unit], (budget?.[unit] ?? 0) - cost[unit]));
  return { usd: usd ?? 0, tokens: tokens ?? 0 };
}

function difference(more: Reservation, less: Reservation): Reservation {
  return { usd: more.usd - less.usd, tokens: more.tokens - less.tokens };
}
