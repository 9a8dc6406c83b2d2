import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { joinedOf, keyedOf, layered, makefileOf, ninjaOf, workflowOf } from './graphs.ts';
import { isInstalled, mailroom, measured, type Taken } from './measured.ts';
import { milliseconds, percentile, type Line } from './report.ts';
import { benchFolder } from './world.ts';

const loop = fileURLToPath(new URL('bare-spawns.mjs', import.meta.url));

type Graph = ReturnType<typeof layered>;

type Measure = () => Taken;

interface Median extends Taken {
  /** The least and the most time by the clock. */
  readonly range: readonly [number, number];
}

/** How often each program is measured, all in turn: what else the machine does meets them alike. */
const rounds = 5;

/** The medians of several programs, each with everything that it starts. Throws where one fails. */
function inTurn<Name extends string>(measures: Readonly<Record<Name, Measure>>): Record<Name, Median> {
  const taken = new Map<string, Taken[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, measure] of Object.entries<Measure>(measures)) {
      const one = measure();
      const { code, stderr } = one;
      if (code !== 0) throw new Error(`${name} ended with ${String(code)}: ${stderr.slice(0, 500)}`);
      taken.set(name, [...(taken.get(name) ?? []), one]);
    }
  }
  return Object.fromEntries([...taken].map(([name, all]) => [name, medians(all)])) as Record<Name, Median>;
}

function medians(all: readonly Taken[]): Median {
  const [first] = all;
  if (first === undefined) throw new Error('nothing was measured');
  const median = (of: (one: Taken) => number): number => percentile(all.map(of), 0.5);
  return {
    ...first,
    wall: median(({ wall }) => wall),
    processor: median(({ processor }) => processor),
    busy: median(({ busy }) => busy),
    megabytes: median(({ megabytes }) => megabytes),
    range: [Math.min(...all.map(({ wall }) => wall)), Math.max(...all.map(({ wall }) => wall))],
  };
}

function bare(count: number, atOnce: number): Measure {
  const words = [count, atOnce].map(String);
  return () => measured([process.execPath, loop, ...words], benchFolder());
}

/** The real program on a new project, its journal synced as always. */
function run(definition: string, atOnce: number): Measure {
  return () => {
    const folder = benchFolder();
    writeFileSync(join(folder, 'mailroom.yaml'), `trail: off\nconcurrency: ${String(atOnce)}\n`);
    writeFileSync(join(folder, 'measured.yaml'), definition);
    return mailroom(['run', 'measured.yaml'], folder);
  };
}

/**
 * The folder of a living peer, if the environment names one: a clone of github.com/reoring/roboppi with its packages in
 * `roboppi`, and the npm package @oven/bun-linux-x64-baseline in `bun`.
 */
const peer = process.env['MAILROOM_PEER'];

/** The peer on the same definition, which it reads as it is; it syncs nothing. */
function peerRun(folderOfPeer: string, graph: Graph, atOnce: number): Measure {
  const bun = join(folderOfPeer, 'bun/node_modules/@oven/bun-linux-x64-baseline/bin/bun');
  const words = ['--workspace', '.', '--no-tui', '--allow-protected-branch', '--direct'];
  return () => {
    const folder = benchFolder();
    const definition = workflowOf(graph).replace(
      'timeout: 1d',
      `timeout: 60m\nconcurrency: ${String(atOnce)}`,
    );
    writeFileSync(join(folder, 'measured.yaml'), definition);
    const identity = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.org'];
    for (const git of [
      ['init', '-q'],
      [...identity, 'commit', '-q', '--allow-empty', '-m', 'empty'],
    ])
      execFileSync('git', git, { cwd: folder });
    return measured(
      [bun, join(folderOfPeer, 'roboppi/src/cli.ts'), 'workflow', 'measured.yaml', ...words],
      folder,
    );
  };
}

/** Others on the same graph, where they are installed. */
function others(graph: Graph, atOnce: number): Record<string, Measure> {
  const builders = [
    { name: 'make', file: 'Makefile', text: makefileOf(graph) },
    { name: 'ninja', file: 'build.ninja', text: ninjaOf(graph) },
  ];
  return Object.fromEntries(
    builders
      .filter(({ name }) => isInstalled(name))
      .map(({ name, file, text }) => {
        const measure = () => {
          const folder = benchFolder();
          writeFileSync(join(folder, file), text);
          return measured([name, '-j', String(atOnce)], folder);
        };
        return [name, measure] as const;
      }),
  );
}

const took = ({ wall, range, busy, megabytes }: Median): string =>
  `${milliseconds(wall)} (${range.map(milliseconds).join(' to ')}), ${milliseconds(busy)} of the processors, ${megabytes.toFixed(0)} MB`;

const times = (taken: Taken, least: Taken): string =>
  `${(taken.wall / least.wall).toFixed(2)} × by the clock, ${(taken.busy / least.busy).toFixed(2)} × of the processors`;

/** Whole processes on one graph, each step `bash -c true`. `most`: times the bare loop, by the clock. */
function beside(what: string, graph: Graph, atOnce: number, most: number): Line[] {
  const count = graph.length;
  const ofPeer: Record<string, Measure> = peer === undefined ? {} : { roboppi: peerRun(peer, graph, atOnce) };
  const measures: Record<'least' | 'ours', Measure> = {
    least: bare(count, atOnce),
    ours: run(workflowOf(graph), atOnce),
  };
  const { least, ours, ...rest } = inTurn({ ...measures, ...ofPeer, ...others(graph, atOnce) });
  const line = (name: string, taken: Median): Line => ({
    what: name,
    seen: took(taken),
    ratio: times(taken, least),
    budget: '',
    met: null,
  });
  return [
    {
      what,
      seen: took(ours),
      ratio: `${times(ours, least)}: a bare spawn loop, ${String(atOnce)} at once (${took(least)})`,
      budget: `≤ ${String(most)} ×, ≤ 110 MB`,
      met: ours.wall <= most * least.wall && ours.megabytes <= 110,
    },
    ...Object.entries<Median>(rest).map(([name, other]) =>
      line(`the same graph by \`${name}\`, ${String(atOnce)} at once`, other),
    ),
  ];
}

function planned(steps: number): Line[] {
  const folder = benchFolder();
  writeFileSync(join(folder, 'mailroom.yaml'), 'trail: off\n');
  writeFileSync(join(folder, 'measured.yaml'), workflowOf(layered(steps, 10)));
  const { nothing, ...verbs } = inTurn({
    nothing: () => measured([process.execPath, '-e', '0'], folder),
    plan: () => mailroom(['plan', 'measured.yaml'], folder),
    validate: () => mailroom(['validate', 'measured.yaml'], folder),
  });
  return Object.entries(verbs).map(([verb, taken]) => {
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
function growth(what: string, sizes: readonly number[], definition: (size: number) => string): Line {
  const runs = Object.fromEntries([1, ...sizes].map((size) => [String(size), run(definition(size), 10)]));
  const taken = inTurn(runs);
  const nothing = taken['1']?.processor ?? 0;
  const each = sizes.map((size) => ((taken[String(size)]?.processor ?? 0) - nothing) / size);
  const [few = 0] = each;
  const slope = (each.at(-1) ?? 0) / few;
  const names = sizes.map((size) => size.toLocaleString('en')).join(', ');
  return {
    what: `growth: cost of ${what}, ${names}`,
    seen: each.map(milliseconds).join(', '),
    ratio: `of the most one costs ${slope.toFixed(2)} × what it costs of the fewest`,
    budget: 'flat',
    met: slope <= 1.3,
  };
}

const sizes = [100, 1_000, 10_000];

/** Workflows through the real program, beside the same processes without it. */
export function workflows(): Line[] {
  return [
    ...beside('1,000 steps `CUSTOM: true` in layers of ten', layered(1_000, 10), 10, 1.2),
    ...beside('200 steps `CUSTOM: true`, one after the other', layered(200, 1), 1, 1.3),
    ...planned(10_000),
    growth('a step in layers of ten', sizes, (size) => workflowOf(layered(size, 10))),
    growth('a step that one joins, with one that runs finally', sizes, joinedOf),
    growth('an item of a loop with keys', sizes, keyedOf),
  ];
}
