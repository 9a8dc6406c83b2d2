import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { scratchRoot } from './test/support/scratch.ts';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // They need programs that are installed apart: `npm run test:real-clis`.
    exclude: ['**/node_modules/**', 'test/real-clis/**'],
    env: { TMPDIR: scratchRoot() },
    pool: 'forks',
    // Files share the modules of their worker, which takes a tenth off; no test may leave anything behind in them.
    isolate: false,
    // More than there may be processors: much of the time tests wait for programs that they have started.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // The JSON report is where `npm run ci` and `.ci/run` take their counts from.
    reporters: process.env['CI'] ? ['default', 'json'] : ['default'],
    outputFile: { json: 'coverage/report.json' },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/**/*.test.ts'],
      reportsDirectory: 'coverage/html',
    },
  },
});
