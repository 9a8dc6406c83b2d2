// Runs all checks: prints the name and time of each step and stops at the first failure.
import { rmSync } from 'node:fs';
import process from 'node:process';
import { root, run } from './run.mjs';

/** What is checked one after the other; the checks of one list, which only read, side by side. */
const steps = [
  [
    { name: 'types', command: 'npm run --silent typecheck' },
    { name: 'format', command: 'npm run --silent format:check' },
    { name: 'site of the documentation', command: 'npm run --silent docs' },
    { name: 'lint', command: 'npm run --silent lint' },
    { name: 'unused code and packages', command: 'npm run --silent unused' },
  ],
  [{ name: 'tests', command: 'npm test' }],
  [
    {
      name: 'long tests, more values, workers killed at random moments',
      command: 'MAILROOM_KILLS=20 PROPERTY_RUNS=3 npm run --silent test:long',
    },
  ],
  [{ name: 'other versions of Node', command: 'node scripts/other-nodes.mjs' }],
  [{ name: 'agent CLIs', command: 'node scripts/real-clis.mjs' }],
  [
    {
      name: 'kills at random moments',
      command: 'npm run --silent kill-matrix -- --random 12',
    },
  ],
  [
    {
      name: 'runs killed at random moments',
      command: 'npm run --silent kill-matrix:runs -- --random 6',
    },
  ],
  [
    { name: 'simulation', command: 'npm run --silent simulate -- --schedules 200' },
    {
      name: 'simulation of parallel work',
      command: 'npm run --silent simulate:parallel -- --schedules 40',
    },
    {
      name: 'simulation of runs',
      command: 'npm run --silent simulate:runs -- --schedules 200',
    },
    {
      name: 'simulation of workers',
      command: 'npm run --silent simulate:workers -- --schedules 60',
    },
  ],
];

async function check() {
  const installed = run(process.execPath, ['scripts/setup.mjs']);
  if (installed !== 0) return installed;
  // It is there now.
  const { execa } = await import('execa');
  for (const name of ['report.json', 'report-long.json', 'report-other-nodes.json', 'report-real-clis.json'])
    rmSync(`${root}coverage/${name}`, { force: true });
  for (const beside of steps) {
    const codes = await Promise.all(beside.map((step) => checkOne(execa, step, beside.length === 1)));
    const failed = codes.find((code) => code !== 0);
    if (failed !== undefined) return failed;
  }
  return 0;
}

/** Runs the command line in a shell. Beside others its output is shown when it has ended. */
async function checkOne(execa, { name, command }, isAlone) {
  if (isAlone) console.log(`▸ ${name}`);
  const started = performance.now();
  const output = isAlone ? 'inherit' : 'pipe';
  const { exitCode: code = 1, all } = await execa(command, {
    cwd: root,
    shell: true,
    stdio: ['ignore', output, output],
    all: true,
    reject: false,
    // CI makes Vitest write its JSON report and refuse to write snapshots.
    env: { CI: 'true' },
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (!isAlone) console.log(`▸ ${name}\n${all}`);
  console.log(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)\n`);
  return code;
}

process.exitCode = await check();
