import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mailroom, type Taken } from './measured.ts';
import { milliseconds, type Line } from './report.ts';
import { benchFolder } from './world.ts';

const few = 200;
const many = 2_000;
/** How much more an iteration may cost where there are many. */
const most = 1.3;

const native = 'name: measured\nversion: "1"\ntimeout: 1d\n';
const orchestrate = 'version: "1.0"\nname: measured\nstrict_flow: true\n';
const swdl = 'workflow: { id: measured, name: measured, version: 1.0.0 }\n';
const items = (count: number) => JSON.stringify(Array.from({ length: count }, (_none, index) => index));

/** A loop around one command that does nothing, in each language that has loops. */
const shapes: Readonly<Record<string, (count: number) => string>> = {
  'native `for_each`': (count) =>
    `${native}steps:\n  loop: { for_each: { items: ${items(count)}, steps: { one: { command: ["true"] } } } }\n`,
  'native `while`': (count) =>
    `${native}steps:\n  loop: { while: { condition: "\${{ loop.iteration < ${String(count)} }}", max_iterations: ${String(count)}, steps: { one: { command: ["true"] } } } }\n`,
  'orchestrate `for_each`': (count) => sequence(`for_each: { items: ${items(count)}, as: each, ${body} }`),
  'orchestrate `while`': (count) =>
    sequence(
      `while: { condition: { not: { equals: { left: "\${loop.iteration}", right: "${String(count)}" } } }, max_iterations: ${String(count)}, ${body} }`,
    ),
  'swdl `fan_out`': (count) =>
    `${swdl}stages:\n  - { id: loop, type: fan_out, fan_out: { source: "\${{ fromJSON('${items(count)}') }}", stage_template: { roles: { primary: { artifact: "agent:nobody" } } } } }\n`,
};

const body =
  'steps: [{ name: One, command: ["true"], on: { success: { goto: _loop_continue }, failure: { goto: _error } } }]';

function sequence(loop: string): string {
  return `${orchestrate}steps:\n  - { name: Loop, ${loop}, on: { success: { goto: _end }, failure: { goto: _error } } }\n`;
}

/** What a run took, and how many bytes its journal has in the end. */
type Run = Taken & { readonly journal: number };

/** The real program on a new project, one process at once. */
function run(text: string): Run {
  const root = benchFolder();
  const settings = 'trail: off\nconcurrency: 1\nproviders: { nothing: { command: ["true"] } }\n';
  writeFileSync(join(root, 'mailroom.yaml'), settings);
  mkdirSync(join(root, 'agents/nobody'), { recursive: true });
  writeFileSync(join(root, 'agents/nobody/role.md'), '---\nprovider: nothing\n---\nDo nothing.\n');
  mkdirSync(join(root, 'workflows'));
  writeFileSync(join(root, 'workflows/measured.yaml'), text);
  const taken = mailroom(['run', 'workflows/measured.yaml'], root);
  if (taken.code !== 0)
    throw new Error(`it ended with ${String(taken.code)}: ${taken.stderr.slice(0, 500)}${taken.stdout}`);
  const [id = ''] = readdirSync(join(root, '.mailroom/runs'));
  return { ...taken, journal: sizeOf(join(root, '.mailroom/runs', id, 'journal')) };
}

function sizeOf(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, found) => sum + (found.isFile() ? found.size : 0), 0);
}

/** The better of two, by processor time. */
function better(text: string): Run {
  const [first, second] = [run(text), run(text)];
  return first.processor <= second.processor ? first : second;
}

/** What an iteration costs of few and of many, without what the program itself takes. */
function line(name: string, shape: (count: number) => string): Line {
  const start = better(shape(1));
  const each = (taken: Run, count: number) => ({
    processor: (taken.processor - start.processor) / count,
    journal: (taken.journal - start.journal) / count,
  });
  // What disturbs some of many iterations hardly moves their mean: one run is enough.
  const [before, after] = [each(better(shape(few)), few), each(run(shape(many)), many)];
  const slope = after.processor / before.processor;
  const kilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(1)} kB`;
  return {
    what: `${name} around a command: an iteration of ${few.toLocaleString('en')} and of ${many.toLocaleString('en')}`,
    seen: `${milliseconds(before.processor)} and ${milliseconds(after.processor)} of processor time; ${kilobytes(before.journal)} and ${kilobytes(after.journal)} of journal`,
    ratio: `one of many costs ${slope.toFixed(2)} × one of few`,
    budget: `≤ ${String(most)} ×`,
    met: slope <= most,
  };
}

/** Loops through the real program: whether an iteration costs the same however many came before. */
export function loops(): Line[] {
  return Object.entries(shapes).map(([name, shape]) => line(name, shape));
}
