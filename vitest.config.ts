import { configDefaults, defineConfig } from 'vitest/config';
import { installed } from './test/support/installed.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { scratchRoot } from './test/support/scratch.ts';

/** Files that start programs, or look at what their own process holds: each has a process of its own. */
const withProcesses = [
  'test/{cli,disk,git,host,process,tooling}/**/*.test.ts',
  'test/mail/{mailboxes,trail}/**/*.test.ts',
];

/** Files that start the whole program many times. */
const scenarios = [
  'test/scenario/**/*.test.ts',
  'test/workflow/triggers/**/*.test.ts',
  'test/worlds/{crash,kills}/**/*.test.ts',
];

/** Files that open the page in a browser; without one, their tests are skipped. */
const withBrowser = ['test/browser/**/*.test.ts'];

/** Files with worker hosts and a real queue; without a Redis server, their tests are skipped. */
const withWorkers = ['test/workers/**/*.test.ts'];

/** A project of tests that start the built program, as it is installed. */
function withInstalled(name: string, include: string[]) {
  const env = { MAILROOM_INSTALLED: installed };
  const globalSetup = 'test/support/installed.ts';
  return { extends: true as const, test: { name, include, env, globalSetup } };
}

export default defineConfig({
  test: {
    env: { TMPDIR: scratchRoot() },
    pool: 'forks',
    // More than there may be processors: much of the time tests wait for programs that they have started.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // A second, the default, is short for a page on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    projects: [
      withInstalled('processes', withProcesses),
      withInstalled('scenarios', scenarios),
      withInstalled('browser', withBrowser),
      withInstalled('workers', withWorkers),
      {
        extends: true,
        test: {
          name: 'pure',
          include: ['test/**/*.test.ts'],
          // The real CLIs are installed apart: `npm run test:real-clis`.
          exclude: [
            ...configDefaults.exclude,
            ...withProcesses,
            ...scenarios,
            ...withBrowser,
            ...withWorkers,
            'test/real-clis/**',
          ],
          // They share the modules of their worker, which takes half of the time off.
          isolate: false,
        },
      },
    ],
    // The JSON report is where `npm run ci` and `.ci/run` take their counts from.
    reporters: process.env['CI'] ? ['default', 'json'] : ['default'],
    outputFile: { json: 'coverage/report.json' },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reportsDirectory: 'coverage/html',
    },
  },
});
