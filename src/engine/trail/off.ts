import type { Trail } from '../../core/ports.ts';

/** What there is in place of a trail when the project wants none: `trail: off`. */
export const trailOff: Trail = {
  record: () => {},
  position: () => Promise.resolve(null),
  settled: () => Promise.resolve(),
  problem: () => null,
};
