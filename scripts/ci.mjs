// Runs all checks: prints the name and time of each step and stops at the first failure.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

const steps = [
  { name: 'packages', command: 'node scripts/setup.mjs' },
  { name: 'format', command: 'npm run --silent format:check' },
  { name: 'types', command: 'npm run --silent typecheck' },
  { name: 'lint', command: 'npm run --silent lint' },
  { name: 'unused code and packages', command: 'npm run --silent unused' },
  { name: 'site of the documentation', command: 'npm run --silent docs' },
  { name: 'tests', command: 'npm test' },
  {
    name: 'long tests, more values, workers killed at random moments',
    command: 'MAILROOM_KILLS=30 PROPERTY_RUNS=4 npm run --silent test:long',
  },
  { name: 'other versions of Node', command: 'node scripts/other-nodes.mjs' },
  { name: 'agent CLIs', command: 'node scripts/real-clis.mjs' },
  { name: 'kills at random moments', command: 'npm run --silent kill-matrix -- --random 30' },
  {
    name: 'runs killed at random moments',
    command: 'npm run --silent kill-matrix:runs -- --random 15',
  },
  { name: 'simulation', command: 'npm run --silent simulate -- --schedules 300' },
  {
    name: 'simulation of parallel work',
    command: 'npm run --silent simulate:parallel -- --schedules 50',
  },
  { name: 'simulation of runs', command: 'npm run --silent simulate:runs -- --schedules 300' },
  {
    name: 'simulation of workers',
    command: 'npm run --silent simulate:workers -- --schedules 80',
  },
];

/** Runs the command line in a shell with inherited output and resolves to its exit code. */
function run(command) {
  // CI makes Vitest write its JSON report and refuse to write snapshots.
  const child = spawn(command, {
    cwd: root,
    shell: true,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, CI: 'true' },
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

async function check() {
  for (const name of ['report.json', 'report-long.json', 'report-other-nodes.json', 'report-real-clis.json'])
    rmSync(`${root}coverage/${name}`, { force: true });
  for (const { name, command } of steps) {
    console.log(`▸ ${name}`);
    const started = performance.now();
    const code = await run(command);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)\n`);
    if (code !== 0) return code;
  }
  return 0;
}

process.exitCode = await check();
