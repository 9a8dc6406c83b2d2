import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { effects, type EffectName } from './effects.ts';
import { kinds } from './kinds.ts';
import type { Kill } from './order.ts';
import { play } from './play.ts';
import { buildProgram } from './program.ts';
import { render } from './report.ts';

/**
 * `npm run kill-matrix:runs` kills the host of a run before and after the first and the last time of each of its effects, in
 * each kind of work, and writes docs/kill-matrix-runs.md; with `-- commands loops` only these kinds, and writes nothing.
 */
const wanted = process.argv.slice(2);
const { program, remove } = await buildProgram();
const verdicts = new Map<string, boolean>();
let failed = 0;
try {
  for (const kind of Object.keys(kinds).filter((name) => wanted.length === 0 || wanted.includes(name))) {
    const { counts, problems } = await play(program, kind, null);
    if (problems.length > 0) complain(`${kind}, not killed`, problems);
    const queue = Object.entries(counts).flatMap(([name, count]) =>
      [...new Set([1, count])].flatMap((nth) =>
        (['before', 'after'] as const).map((moment): Kill => ({ name: name as EffectName, nth, moment })),
      ),
    );
    await Promise.all(
      Array.from({ length: availableParallelism() }, async () => {
        for (let kill = queue.shift(); kill !== undefined; kill = queue.shift()) {
          const result = await play(program, kind, kill);
          const key = `${kind}/${kill.name}`;
          verdicts.set(key, (verdicts.get(key) ?? true) && result.problems.length === 0);
          if (result.problems.length > 0)
            complain(`${kind}, killed ${kill.moment} ${kill.name} #${String(kill.nth)}`, result.problems);
        }
      }),
    );
  }
  const unseen = Object.keys(effects).filter(
    (name) => ![...verdicts.keys()].some((key) => key.endsWith(`/${name}`)),
  );
  if (wanted.length === 0) {
    // Some come only when a run is gone on with.
    for (const name of unseen) process.stdout.write(`no first start comes to ${name}\n`);
    writeFileSync(
      fileURLToPath(new URL('../../docs/kill-matrix-runs.md', import.meta.url)),
      render(verdicts),
    );
  }
} finally {
  remove();
}
process.stdout.write(`${String(verdicts.size)} places, ${String(failed)} did not hold\n`);
process.exitCode = failed === 0 ? 0 : 1;

function complain(what: string, problems: readonly string[]): void {
  failed += 1;
  process.stdout.write(`✗ ${what}\n${problems.map((each) => `    ${each}\n`).join('')}`);
}
