import type { Diagnostic } from '../../core/diagnostic.ts';
import { explore } from '../../core/mail/explore/explore.ts';
import type { Protocol } from '../../core/mail/protocol.ts';

/** Milliseconds after which the exploration says that it stopped early. */
const longest = 4_000;
const bounds = { threads: 2, depth: 14, states: 50_000 };

/**
 * What the exploration of a protocol finds, as warnings: each stuck state with the shortest way to it. `milliseconds`
 * is a clock that never goes back.
 */
export function stuckStates(protocol: Protocol, milliseconds: () => number): Diagnostic[] {
  const end = milliseconds() + longest;
  const { stuck } = explore(protocol, { ...bounds, enough: () => milliseconds() > end });
  return stuck.map(({ path, why }) => ({
    code: 'E_STUCK',
    severity: 'warning',
    message: `somebody waits for ever: ${why}`,
    place: null,
    hint: `this leads there: ${path.join('; ')}`,
  }));
}
