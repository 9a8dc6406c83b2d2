import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { ofExtensions } from '../test/support/of-extensions.ts';
import { acp } from './acp.ts';
import { cost } from './cost.ts';
import { editing } from './editing.ts';
import { folding } from './folding.ts';
import { latency } from './latency.ts';
import { loops } from './loops.ts';
import { programs } from './program.ts';
import { report, type Line } from './report.ts';
import { routing } from './routing.ts';
import { starts } from './starts.ts';
import { trail } from './trail.ts';
import { work } from './work.ts';
import { workflows } from './workflows.ts';
import { removeAll } from './world.ts';

type Measure = () => Line[] | Promise<Line[]>;

const measures: Readonly<Record<string, Measure>> = {
  routing,
  folding,
  latency,
  trail,
  programs,
  starts,
  workflows,
  loops,
  editing,
  work,
  acp,
  pages,
  cost,
};

/** What a person waits for in the page; nothing where there is no browser. */
function pages(): Line[] {
  // A process of its own: only there the types of a browser are known.
  const script = fileURLToPath(new URL('../test/browser/pages.ts', import.meta.url));
  const printed = execFileSync(process.execPath, ['--import', 'tsx', script]);
  return JSON.parse(printed.toString()) as Line[];
}

// What starts programs here has a launcher, as the program has.
await import('../test/support/launched.ts');

/** `npm run bench`, or `npm run bench -- routing latency` for some of it. */
const wanted = process.argv.slice(2);
const lines: Line[] = [];
try {
  const added = await ofExtensions<{ readonly measure: Measure }>('bench.ts');
  const ofThem = [...added].map(([name, { measure }]) => [name, measure] as const);
  const all = [...Object.entries(measures), ...ofThem];
  const names = all.map(([name]) => name);
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new Error(`there is no measure ${unknown.join(', ')}; there are ${names.join(', ')}`);
  for (const [name, measure] of all) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    process.stderr.write(`measuring ${name}…\n`);
    lines.push(...(await measure()));
  }
} finally {
  removeAll();
}
report(lines);
