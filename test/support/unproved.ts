import process from 'node:process';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Says at the end what this machine could not prove: tests that skip themselves say why, and how to get it. */
export class Unproved implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((each) => [...each.children.allTests('skipped')]);
    for (const [why, count] of byReason(skipped))
      process.stdout.write(`\nNot proved here: ${String(count)} tests, since ${why}\n`);
  }
}

function byReason(tests: readonly TestCase[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const test of tests) {
    const result = test.result();
    const why = ('note' in result ? result.note : undefined) ?? 'they were left out';
    counts.set(why, (counts.get(why) ?? 0) + 1);
  }
  return counts;
}
