import process from 'node:process';
import fc from 'fast-check';

// The same values every time: what fails has changed. To look further, give another seed.
fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 1) });

export const times = Number(process.env['PROPERTY_RUNS'] ?? 1);

/** How many values a property is tried with: so many, and `PROPERTY_RUNS` times as many in `npm run ci`. */
export function runs(count: number): number {
  return count * times;
}

export { fc as default };
