import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Random } from '../simulation/random.ts';
import { containmentsHere, describeCrash, expected, type Crash, type Kind, type Matrix } from './matrix.ts';
import { findAll, plan, playAll, type Extent } from './plan.ts';
import { buildProgram } from './program.ts';
import { describeRandom, playRandom, randomCrash } from './random-moments.ts';
import { playedKinds, readPage, render } from './report.ts';
import { Stage } from './stage.ts';
import { together } from './together.ts';

/**
 * Plays a matrix as the command line says and writes its page: with `--all` in every containment, with `--quick` one moment
 * of each place; with `--kind recovery` that kind of work, of which alone the page then says something else. `--random 200` kills at random moments instead
 * (`--seed` repeats them), after it has seen that every place is come to. `--together` says how many at once. Resolves to
 * the exit code.
 */
export async function playMatrix<K extends Kind>(
  matrix: Matrix<K>,
  args: readonly string[],
): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      all: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      kind: { type: 'string', multiple: true, default: [] },
      random: { type: 'string' },
      seed: { type: 'string' },
      together: { type: 'string' },
    },
  });
  const most = Number(values.together ?? 3 * availableParallelism());
  const { program, remove } = await buildProgram(matrix.subject);
  const stage = new Stage(matrix, program);
  const began = performance.now();
  try {
    const extent = values.all ? 'all' : values.quick ? 'quick' : 'turns';
    const failed =
      values.random === undefined
        ? await whole(stage, { extent, kinds: values.kind, most })
        : await random(stage, Number(values.random), Number(values.seed ?? Date.now()), most);
    return failed === 0 ? 0 : 1;
  } finally {
    console.log(`${((performance.now() - began) / 1000).toFixed(0)} s`);
    await stage.close();
    remove();
  }
}

interface Wanted {
  readonly extent: Extent;
  readonly kinds: readonly string[];
  readonly most: number;
}

async function whole<K extends Kind>(stage: Stage<K>, wanted: Wanted): Promise<number> {
  const containments = await containmentsHere();
  const crashes = await plan(stage, { ...wanted, containments });
  console.log(`${String(crashes.length)} crashes`);
  let done = 0;
  const verdicts = await playAll(stage, crashes, wanted.most, ({ crash, problems, unreached }) => {
    done += 1;
    if (done % 100 === 0) console.log(`${String(done)} of ${String(crashes.length)}`);
    complain(describeCrash(crash), problems);
    if (unreached) console.log(`– ${describeCrash(crash)}: it did not come there again`);
  });
  const isWhole = wanted.kinds.length === 0;
  const reached = verdicts.flatMap(({ crash, unreached }) => (unreached ? [] : [crash]));
  const missing = isWhole ? complainOfMissing(expected(stage.matrix, containments), reached) : 0;
  const { page } = stage.matrix;
  const day = new Date().toISOString().slice(0, 10);
  const before = isWhole ? [] : readPage(readFileSync(page.file, 'utf8'));
  const played = new Map([...before, ...playedKinds(stage.matrix, verdicts, wanted.extent, day)]);
  writeFileSync(page.file, render(stage.matrix, played));
  const failed = verdicts.filter(({ problems }) => problems.length > 0).length;
  console.log(`${String(verdicts.length - failed)} held, ${String(failed)} did not`);
  return failed + missing;
}

/** Names the places that no work came to, and returns how many they are. */
function complainOfMissing(names: readonly string[], reached: readonly Crash[]): number {
  const places = new Set(reached.map(({ kill }) => kill.name));
  const missing = names.filter((name) => !places.has(name));
  for (const name of missing) console.log(`✗ no kind of work comes to ${name}`);
  return missing.length;
}

async function random<K extends Kind>(
  stage: Stage<K>,
  count: number,
  seed: number,
  most: number,
): Promise<number> {
  console.log(`${String(count)} random moments, seed ${String(seed)}`);
  const chance = new Random(seed);
  const containments = await containmentsHere();
  const reached = await findAll(stage, { containments, kinds: [], most });
  const missing = complainOfMissing(expected(stage.matrix, containments), reached);
  const crashes = Array.from({ length: count }, () => randomCrash(chance, stage.matrix.kinds, containments));
  const verdicts = await together(crashes, most, async (crash) => {
    const problems = await playRandom(stage, crash);
    complain(describeRandom(crash), problems);
    return problems.length === 0;
  });
  const failed = verdicts.filter((held) => !held).length;
  console.log(`${String(count - failed)} held, ${String(failed)} did not`);
  return failed + missing;
}

function complain(what: string, problems: readonly string[]): void {
  if (problems.length > 0) console.log(`✗ ${what}\n${problems.map((each) => `    ${each}\n`).join('')}`);
}
