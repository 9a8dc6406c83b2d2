// Installs the agent CLIs of test/real-clis and runs the tests that drive them, where the system
// allows it in a network namespace without access to the outside. With `REQUIRE_REAL_CLIS=1` a
// missing CLI is a failure.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, run } from './run.mjs';

const home = join(root, 'test/real-clis');
const required = process.env['REQUIRE_REAL_CLIS'] === '1';

function read(path) {
  try {
    return JSON.parse(readFileSync(join(home, path), 'utf8'));
  } catch {
    return {};
  }
}

/** The CLIs that package.json names and that are not installed at that version. */
function missing() {
  const { packages = {} } = read('node_modules/.package-lock.json');
  return Object.entries(read('package.json').dependencies)
    .filter(
      ([name, version]) => packages[`node_modules/${name}`]?.version !== version.replace(/^npm:.*@/, ''),
    )
    .map(([name, version]) => `${name} ${version}`);
}

/**
 * The command prefix that starts a program with no network but loopback; null where the system does
 * not allow it.
 */
function alone() {
  const inside = 'ip link set lo up && exec "$@"';
  const ways = [['-n'], ['-r', '-n']].map((flags) => [...flags, 'sh', '-c', inside, 'sh']);
  return ways.find((way) => spawnSync('unshare', [...way, 'true']).status === 0) ?? null;
}

/** An environment without the user's logins, keys and settings. */
function environment(temporary, network) {
  const kept = ['PATH', 'LANG', 'TZ', 'CI', 'NODE_OPTIONS'].flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  );
  return { ...Object.fromEntries(kept), HOME: temporary, TMPDIR: temporary, MAILROOM_TEST_NETWORK: network };
}

function main() {
  if (missing().length > 0) {
    console.log('Installing the agent CLIs (about 1.6 GB) …');
    // A CLI may require a newer Node than the project and still run on this one: these tests show
    // it. `npm run` passes the project's engine-strict setting on, so it is reset here.
    const install = ['ci', '--prefix', 'test/real-clis', '--engine-strict=false'];
    run('npm', [...install, '--no-audit', '--no-fund', '--loglevel=error']);
  }
  const absent = missing();
  if (absent.length > 0) {
    console.log(`Not installed: ${absent.join(', ')}.`);
    console.log(
      'They come with `npm ci --prefix test/real-clis`, for which the registry of npm must be reached.',
    );
    console.log(required ? 'They are required here.' : 'Nothing was tested.');
    return required ? 1 : 0;
  }
  const way = alone();
  if (way === null)
    console.log(
      'No network namespace can be made here: only the settings of the CLIs keep them from the network.',
    );
  const temporary = mkdtempSync(join(tmpdir(), 'mailroom-real-clis-'));
  const vitest = [process.execPath, join(root, 'node_modules/vitest/vitest.mjs')];
  const tests = [...vitest, 'run', '--config', 'test/real-clis/vitest.config.ts', ...process.argv.slice(2)];
  const [command, ...args] = way === null ? tests : ['unshare', ...way, ...tests];
  try {
    return run(command, args, environment(temporary, way === null ? 'shared' : 'loopback'));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

process.exitCode = main();
