import { runs, times } from '../../support/fast-check.ts';

/** Choices at random: enough for some dozens of events. */
export const tapeLength = { minLength: 40, maxLength: 400, size: 'max' } as const;
export const shortTapeLength = { minLength: 40, maxLength: 150, size: 'max' } as const;

/**
 * The same runs every time, and an end even where a failure is hard to shrink. To look further:
 * `PROPERTY_RUNS=50 PROPERTY_SEED=7 npx vitest run test/mail/machine`.
 */
export function settings(numRuns: number): {
  numRuns: number;
  seed: number;
  interruptAfterTimeLimit: number;
} {
  return {
    numRuns: runs(numRuns),
    seed: Number(process.env['PROPERTY_SEED'] ?? 1),
    interruptAfterTimeLimit: 25_000 * times,
  };
}
