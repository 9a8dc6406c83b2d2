import type { Trail } from '../../git/trail.ts';

/** The trail where none is configured: records nothing, and is never behind. */
export const noTrail: Trail = {
  record: () => {},
  position: () => Promise.resolve(null),
  settled: () => Promise.resolve(),
  problem: () => null,
};
