import { defineConfig } from 'vitest/config';

// `npm run test:real-clis` starts these, with nothing of the person's environment; `npm test` leaves them out.
export default defineConfig({
  test: {
    dir: import.meta.dirname,
    include: ['**/*.test.ts'],
    pool: 'forks',
    // Twice as many as cores: half of the time a program waits, for a limit or a connection.
    maxWorkers: 4,
    testTimeout: 240_000,
    hookTimeout: 120_000,
    // Where `.ci/run` takes its counts from.
    reporters: process.env['CI'] ? ['default', 'json'] : ['default'],
    outputFile: { json: 'coverage/report-real-clis.json' },
  },
});
