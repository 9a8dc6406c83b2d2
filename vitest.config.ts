import process from 'node:process';
import { configDefaults, defineConfig } from 'vitest/config';
import { installed } from './test/support/installed.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { scratchRoot } from './test/support/scratch.ts';
import { Unproved } from './test/support/unproved.ts';

/**
 * `npm test` proves each promise once; files named `*.long.test.ts` prove it again in more ways, and belong to
 * `npm run test:long`.
 */
const isLong = process.env['TESTS'] === 'long';

/** The files of tests in these folders. */
function filesIn(...folders: readonly string[]): string[] {
  return folders.map((folder) => `test/${folder}/**/*.${isLong ? 'long.' : ''}test.ts`);
}

/** Files that start programs, or look at what their own process holds. */
const withProcesses = filesIn('{cli,disk,git,host,process,tooling}', 'mail/{mailboxes,trail}');

/** Files that start the whole program. */
const withProgram = [
  ...filesIn('scenario', 'extensions', 'workflow/triggers', 'worlds/{crash,kills}'),
  ...(isLong ? [] : ['cli/live-keys', 'process/controller'].map((name) => `test/${name}.test.ts`)),
];

/** Files that replace a module, or use up what a process may have: each has a process of its own. */
const alone = [
  'cli/{answering,approve,approve-landing,git-ignore,init}',
  'git/promises',
  'process/{no-room,pipe-pool}',
  'web/log-lines',
].map((name) => `test/${name}.test.ts`);

/** Files that open the page in a browser; without one, their tests are skipped. */
const withBrowser = filesIn('browser', 'extensions/*/page');

/** Files with worker hosts and a real queue; without a Redis server, their tests are skipped. */
const withWorkers = filesIn('extensions/workers');

/** Files that try values at random: the long tests try `PROPERTY_RUNS` times as many. */
const withValues = isLong
  ? [
      'test/**/{*properties,circles,exploration,fuzz,needed}.test.ts',
      'test/extensions/workers/simulation/*.test.ts',
    ]
  : [];

const without = [...configDefaults.exclude, ...(isLong ? [] : ['**/*.long.test.ts'])];

/** A project of tests that start the built program, as it is installed. */
function withInstalled(name: string, include: string[], except: readonly string[] = []) {
  const env = { MAILROOM_INSTALLED: installed };
  const globalSetup = 'test/support/installed.ts';
  return {
    extends: true as const,
    test: { name, include, exclude: [...without, ...except], env, globalSetup },
  };
}

/** The contract of what starts programs, with the launcher: the same files start them as children, too. */
function launched() {
  const files = [
    'contained',
    'launcher',
    'launcher-moments',
    'launcher-refusals',
    'lingering',
    'run',
    'supervise',
    'sweep',
  ];
  const project = withInstalled(
    'launched',
    files.map((name) => `test/process/${name}.test.ts`),
  );
  return { ...project, test: { ...project.test, setupFiles: 'test/support/launched.ts', isolate: true } };
}

export default defineConfig({
  test: {
    env: { TMPDIR: scratchRoot() },
    pool: 'forks',
    // More than there may be processors: much of the time tests wait for programs that they have started.
    maxWorkers: 4,
    // Files share the modules of their worker: each would load them again.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Only what hangs reaches a limit: on a busy machine everything takes many times as long.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'processes',
          include: withProcesses,
          exclude: [...without, ...withProgram, ...alone, 'test/process/launcher*.test.ts'],
        },
      },
      ...(isLong ? [] : [{ extends: true as const, test: { name: 'alone', include: alone, isolate: true } }]),
      ...(isLong ? [] : [launched()]),
      withInstalled('scenarios', withProgram, [...withBrowser, ...withWorkers]),
      withInstalled('browser', withBrowser),
      withInstalled('workers', withWorkers),
      {
        extends: true,
        test: {
          name: 'pure',
          include: [...filesIn('**'), ...withValues],
          // The real CLIs are installed apart: `npm run test:real-clis`.
          exclude: [
            ...without,
            ...withProcesses,
            ...withProgram,
            ...withBrowser,
            ...withWorkers,
            ...alone,
            'test/real-clis/**',
          ],
        },
      },
    ],
    // The JSON report is where `npm run ci` and `.ci/run` take their counts from.
    reporters: [...(process.env['CI'] ? ['default', 'json'] : ['default']), new Unproved()],
    outputFile: { json: `coverage/report${isLong ? '-long' : ''}.json` },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reportsDirectory: 'coverage/html',
    },
  },
});
