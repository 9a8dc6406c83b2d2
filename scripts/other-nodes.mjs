// Installs other versions of Node (test/other-nodes) and runs the tests of the package on each of
// them, as `npm run ci` does. Everyday tests use the Node that runs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { root, run } from './run.mjs';

const home = join(root, 'test/other-nodes');

function main() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    console.log('The packages with other versions of Node are for Linux on x64: nothing was tested.');
    return 0;
  }
  const install = ['ci', '--prefix', 'test/other-nodes', '--engine-strict=false', '--ignore-scripts'];
  const installed = run('npm', [...install, '--no-audit', '--no-fund', '--loglevel=error']);
  if (installed !== 0) return installed;
  const { dependencies } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  const nodes = Object.keys(dependencies).map((name) => join(home, 'node_modules', name, 'bin/node'));
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const report = '--outputFile.json=coverage/report-other-nodes.json';
  return run(process.execPath, [vitest, 'run', 'test/tooling/package.long.test.ts', report], {
    ...process.env,
    TESTS: 'long',
    MAILROOM_TEST_NODES: nodes.join(':'),
  });
}

process.exitCode = main();
