import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { layered, makefileOf, ninjaOf, workflowOf } from './graphs.ts';
import { isInstalled, mailroom, measured, type Taken } from './measured.ts';
import { milliseconds, type Line } from './report.ts';
import { benchFolder } from './world.ts';

const loop = fileURLToPath(new URL('bare-spawns.mjs', import.meta.url));

type Graph = ReturnType<typeof layered>;

/** The better of two, by processor time: others use the machine as well. */
function better(measure: () => Taken): Taken {
  const [first, second] = [measure(), measure()];
  for (const { code, stderr } of [first, second])
    if (code !== 0) throw new Error(`it ended with ${String(code)}: ${stderr.slice(0, 500)}`);
  return first.processor <= second.processor ? first : second;
}

/** `held`: megabytes that the loop's process has more than Node needs. */
function bare(count: number, atOnce: number, held = 0): Taken {
  const words = [count, atOnce, held].map(String);
  return better(() => measured([process.execPath, loop, ...words], benchFolder()));
}

/** The real program on a new project, its journal synced as always. */
function run(graph: Graph, atOnce: number): Taken {
  return better(() => {
    const folder = benchFolder();
    writeFileSync(join(folder, 'mailroom.yaml'), `trail: off\nconcurrency: ${String(atOnce)}\n`);
    writeFileSync(join(folder, 'measured.yaml'), workflowOf(graph));
    return mailroom(['run', 'measured.yaml'], folder);
  });
}

/** Others on the same graph, where they are installed. */
function others(graph: Graph, atOnce: number): readonly (readonly [name: string, taken: Taken])[] {
  const builders = [
    { name: 'make', file: 'Makefile', text: makefileOf(graph) },
    { name: 'ninja', file: 'build.ninja', text: ninjaOf(graph) },
  ];
  return builders.flatMap(({ name, file, text }) => {
    if (!isInstalled(name)) return [];
    const folder = benchFolder();
    writeFileSync(join(folder, file), text);
    return [[name, better(() => measured([name, '-j', String(atOnce)], folder))] as const];
  });
}

const times = (taken: Taken, least: Taken): string =>
  `${(taken.processor / least.processor).toFixed(2)} × by processor time, ${(taken.wall / least.wall).toFixed(2)} × by the clock`;

/** The same without what each program takes to start and to end. */
function timesWithout(taken: Taken, least: Taken): string {
  const [start, bareStart] = [run(layered(1, 1), 1), bare(1, 1)];
  const ratio = (taken.processor - start.processor) / (least.processor - bareStart.processor);
  return `${ratio.toFixed(2)} × without the start of both programs`;
}

function beside(what: string, graph: Graph, atOnce: number, most: number): Line[] {
  const least = bare(graph.length, atOnce);
  const taken = run(graph, atOnce);
  const each = (one: Taken) => milliseconds(one.processor / graph.length);
  const large = bare(graph.length, atOnce, Math.max(0, Math.round(taken.megabytes - least.megabytes)));
  return [
    {
      what,
      seen: `${milliseconds(taken.processor)} of processor time, ${each(taken)} a step`,
      ratio: `${times(taken, least)}, ${timesWithout(taken, least)}: a bare spawn loop, ${String(atOnce)} at once (${each(least)} a process)`,
      budget: `≤ ${String(most)} ×`,
      met: taken.processor <= most * least.processor,
    },
    {
      what: 'the bare spawn loop itself in a process of the same size: each fork copies its page tables',
      seen: `${milliseconds(large.processor)} of processor time, ${large.megabytes.toFixed(0)} MB`,
      ratio: times(large, least),
      budget: '',
      met: null,
    },
    ...others(graph, atOnce).map(([name, other]) => ({
      what: `the same graph, \`${name} -j ${String(atOnce)}\`, which keeps and captures nothing`,
      seen: `${milliseconds(other.processor)} of processor time`,
      ratio: times(other, least),
      budget: '',
      met: null,
    })),
  ];
}

function planned(steps: number): Line[] {
  const folder = benchFolder();
  writeFileSync(join(folder, 'mailroom.yaml'), 'trail: off\n');
  writeFileSync(join(folder, 'measured.yaml'), workflowOf(layered(steps, 10)));
  const nothing = better(() => measured([process.execPath, '-e', '0'], folder));
  return (['plan', 'validate'] as const).map((verb) => {
    const taken = better(() => mailroom([verb, 'measured.yaml'], folder));
    return {
      what: `\`mailroom ${verb}\`, a definition of ${String(steps)} steps`,
      seen: `${milliseconds(taken.processor)} of processor time, ${milliseconds(taken.wall)}, ${taken.megabytes.toFixed(0)} MB`,
      ratio: `${(taken.processor / nothing.processor).toFixed(1)} × \`node -e 0\``,
      budget: '≤ 1 s, ≤ 200 MB',
      met: taken.processor <= 1_000 && taken.megabytes <= 200,
    };
  });
}

/** What one more step costs: what all take without what the program itself takes. */
function growth(sizes: readonly number[]): Line {
  const nothing = run(layered(1, 1), 10).processor;
  const each = sizes.map((size) => (run(layered(size, 10), 10).processor - nothing) / size);
  const [few = 0] = each;
  const slope = (each.at(-1) ?? 0) / few;
  const names = sizes.map((size) => size.toLocaleString('en')).join(', ');
  return {
    what: `growth: cost of a step in layers of ten, ${names} steps`,
    seen: each.map(milliseconds).join(', '),
    ratio: `with the most steps one costs ${slope.toFixed(2)} × what it costs with the fewest`,
    budget: 'flat',
    met: slope <= 1.3,
  };
}

/** Workflows through the real program, beside the same processes without it. */
export function workflows(): Line[] {
  return [
    ...beside('1,000 steps `CUSTOM: true` in layers of ten', layered(1_000, 10), 10, 1.3),
    ...beside('200 steps `CUSTOM: true`, one after the other', layered(200, 1), 1, 1.5),
    ...planned(10_000),
    growth([100, 1_000, 10_000]),
  ];
}
