import fc, { runs } from '../../support/fast-check.ts';
import { describe, expect, test } from 'vitest';
import { targets } from './targets.ts';

/* A little of what `npm run fuzz` does. */
describe.each(targets)('$name', ({ corpus, property, everyday }) => {
  test.each(corpus)('$name', ({ run }) => {
    expect(run).not.toThrow();
  });

  test('any others', () => {
    const details = fc.check(property, { numRuns: runs(everyday) }) as fc.RunDetails<unknown>;
    expect(details.failed ? fc.defaultReportMessage(details) : null).toBeNull();
  });
});
