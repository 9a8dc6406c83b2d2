import type { Diagnostic } from '../../core/diagnostic.ts';
import { explore, type Exploration, type StuckState } from '../../core/mail/explore/explore.ts';
import type { Protocol } from '../../core/mail/protocol.ts';

/** Milliseconds after which the exploration ends early, and says so. */
const longest = 4_000;
/** Two threads show what they can do to each other. The depth is beyond what a protocol of some roles needs to be seen whole. */
const bounds = { threads: 2, depth: 60, states: 50_000 };

/** Explores a protocol as far as a person waits for it. `clock`: milliseconds. */
export function exploreWithin(protocol: Protocol, clock: () => number): Exploration {
  const end = clock() + longest;
  return explore(protocol, { ...bounds, enough: () => clock() > end });
}

/** A stuck state as a warning, with the shortest way to it. */
export function stuckWarning({ path, why }: StuckState): Diagnostic {
  return {
    code: 'E_STUCK',
    severity: 'warning',
    message: `somebody waits forever: ${why}`,
    place: null,
    hint: `this leads there: ${path.join('; ')}`,
  };
}
