// Prints `N passed, N failed` from Vitest's JSON report and exits with 1 unless tests ran and all of them passed.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

function readReport() {
  try {
    return JSON.parse(
      readFileSync(fileURLToPath(new URL('../coverage/report.json', import.meta.url)), 'utf8'),
    );
  } catch {
    return undefined;
  }
}

const report = readReport();
if (report === undefined) {
  console.log('The tests did not run.\n0 passed, 0 failed');
} else {
  // A file that cannot even be loaded has no failed test in it, and is a failure all the same.
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  );
  for (const file of broken) console.log(`${file.name}: ${file.message}`);
  console.log(`${report.numPassedTests} passed, ${report.numFailedTests + broken.length} failed`);
}
process.exitCode = report?.success === true && report.numPassedTests > 0 ? 0 : 1;
