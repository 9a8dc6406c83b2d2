import { readFileSync } from 'node:fs';
import process from 'node:process';
import { probeContainment } from '../../src/process/sandbox/containment.ts';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Says at the end what this machine could not prove: tests that skip themselves say why, and how to get it. */
export class Unproved implements Reporter {
  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const skipped = modules.flatMap((each) => [...each.children.allTests('skipped')]);
    for (const [why, count] of byReason(skipped))
      process.stdout.write(`\nNot proved here: ${String(count)} tests, since ${why}\n`);
    const { bubblewrap } = await probeContainment();
    if (bubblewrap.works) return;
    const without = modules.filter(({ moduleId }) => asksForSandbox.test(readFileSync(moduleId, 'utf8')));
    const weaker = without.flatMap((each) => [...each.children.allTests()]).length;
    process.stdout.write(
      `\nNot proved here: the sandbox; ${String(weaker)} tests ran without it (${bubblewrap.why}): install bubblewrap\n`,
    );
  }
}

/** Tests say in such words what holds where there is a sandbox, and what holds without. */
const asksForSandbox = /bubblewrap\.works|inSandbox\(/;

function byReason(tests: readonly TestCase[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const test of tests) {
    const result = test.result();
    const why = ('note' in result ? result.note : undefined) ?? 'they were left out';
    counts.set(why, (counts.get(why) ?? 0) + 1);
  }
  return counts;
}
