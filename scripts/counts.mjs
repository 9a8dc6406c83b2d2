// Prints `N passed, N failed` from Vitest's JSON reports; exits with 1 unless tests ran and all of
// them passed.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const coverage = fileURLToPath(new URL('../coverage/', import.meta.url));

function readReport(name) {
  try {
    return JSON.parse(readFileSync(coverage + name, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Passed, failed and skipped tests of a report. A test file that fails to load contains no failed
 * test, so
 * it counts as one.
 */
function countsOf({ testResults, numPassedTests, numFailedTests, numPendingTests }) {
  const broken = testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  );
  for (const file of broken) console.log(`${file.name}: ${file.message}`);
  return { passed: numPassedTests, failed: numFailedTests + broken.length, skipped: numPendingTests };
}

const tests = readReport('report.json');
// The others are optional: where the agent CLIs are required, `npm run ci` has already failed
// without them.
const others = ['report-long.json', 'report-other-nodes.json', 'report-real-clis.json'].map(readReport);
const reports = [tests, ...others].filter((report) => report !== undefined);
if (tests === undefined) console.log('The tests did not run.');
const counts = reports.map(countsOf);
const sum = (key) => counts.reduce((total, count) => total + count[key], 0);
if (sum('skipped') > 0) console.log(`${sum('skipped')} skipped`);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = tests?.numPassedTests > 0 && reports.every(({ success }) => success === true) ? 0 : 1;
