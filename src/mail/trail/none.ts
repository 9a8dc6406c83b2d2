import type { Trail } from '../../git/trail.ts';

/** Where there is no trail: nothing is recorded, and nothing is ever behind. */
export const noTrail: Trail = {
  record: () => {},
  position: () => Promise.resolve(null),
  settled: () => Promise.resolve(),
  problem: () => null,
};
