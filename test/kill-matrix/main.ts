import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Random } from '../simulation/random.ts';
import { effectNames } from './effects.ts';
import { containmentsHere, describeRun, plan, playAll, type Verdict } from './matrix.ts';
import { buildProgram } from './program.ts';
import { Stage } from './play.ts';
import { describeRandom, playRandom, randomRun } from './random-moments.ts';
import { render } from './report.ts';

/**
 * `npm run kill-matrix` plays the matrix and writes docs/kill-matrix.md: with `-- --all` in every containment, with
 * `--quick` one moment of each place; with `--kind recovery` some of it, and writes nothing. `--random 200` kills at random
 * moments instead (`--seed` repeats them), `--together` says how many at once.
 */
const { values } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    kind: { type: 'string', multiple: true },
    random: { type: 'string' },
    seed: { type: 'string' },
    together: { type: 'string' },
  },
});
const together = Number(values.together ?? 3 * availableParallelism());
const { program, remove } = await buildProgram();
const stage = new Stage(program);
try {
  const problems = values.random === undefined ? await whole() : await random(Number(values.random));
  process.exitCode = problems === 0 ? 0 : 1;
} finally {
  await stage.close();
  remove();
}

async function whole(): Promise<number> {
  const wanted = values.kind ?? [];
  const extent = values.all ? 'all' : values.quick ? 'quick' : 'turns';
  const runs = await plan(
    stage,
    await containmentsHere(),
    extent,
    ({ name }) => wanted.length === 0 || wanted.includes(name),
  );
  console.log(`${String(runs.length)} crashes`);
  let done = 0;
  const verdicts = await playAll(stage, runs, together, (verdict) => {
    done += 1;
    if (done % 100 === 0) console.log(`${String(done)} of ${String(runs.length)}`);
    complain(describeRun(verdict.run), verdict.problems);
  });
  const missing = wanted.length > 0 ? [] : unreached(verdicts);
  for (const name of missing) console.log(`✗ no kind of work comes to ${name}`);
  if (wanted.length === 0)
    writeFileSync(
      fileURLToPath(new URL('../../docs/kill-matrix.md', import.meta.url)),
      render(verdicts, extent),
    );
  const failed = verdicts.filter(({ problems }) => problems.length > 0).length;
  console.log(`${String(verdicts.length - failed)} held, ${String(failed)} did not`);
  return failed + missing.length;
}

function unreached(verdicts: readonly Verdict[]): string[] {
  const reached = new Set(verdicts.map(({ run }) => run.kill.name));
  return effectNames.filter((name) => !reached.has(name));
}

async function random(count: number): Promise<number> {
  const seed = Number(values.seed ?? Date.now());
  console.log(`${String(count)} random moments, seed ${String(seed)}`);
  const chance = new Random(seed);
  const containments = await containmentsHere();
  const runs = Array.from({ length: count }, () => randomRun(chance, containments));
  let failed = 0;
  await Promise.all(
    Array.from({ length: together }, async () => {
      for (let run = runs.shift(); run !== undefined; run = runs.shift()) {
        const problems = await playRandom(stage, run);
        complain(describeRandom(run), problems);
        if (problems.length > 0) failed += 1;
      }
    }),
  );
  console.log(`${String(count - failed)} held, ${String(failed)} did not`);
  return failed;
}

function complain(what: string, problems: readonly string[]): void {
  if (problems.length > 0) console.log(`✗ ${what}\n${problems.map((each) => `    ${each}\n`).join('')}`);
}
