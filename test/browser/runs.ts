import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { said } from '../support/project.ts';
import { ended, type BrowserFixture } from './browser-fixture.ts';

/* Runs in all states, as a project has them after a while. */

/** 20,000 lines that passed, one error among them, and a last word on the other stream. */
const big = `
for (let i = 1; i <= 20000; i++) {
  console.log(\`\\x1b[32m✓\\x1b[0m src/module-\${i % 97}/case-\${i}.test.ts (\${i % 50} ms)\`);
  if (i === 13777) console.log('✗ case-13777\\n  AssertionError: expected 200 to be 201');
}
console.error('1 test failed'); process.exitCode = 2;
`;
/** Prints lines, and ends when there is a file \`stop\`, which the system announces. */
const talk = `
import { existsSync, watch } from 'node:fs';
for (let i = 1; i <= 500; i++) console.log('line ' + i);
const look = () => { if (existsSync(process.argv[2])) { console.log('last words'); watcher.close(); } };
const watcher = watch('.', look); look();
`;
/** Fails until it has run three times. */
const third = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
const times = (existsSync('times') ? Number(readFileSync('times', 'utf8')) : 0) + 1;
writeFileSync('times', String(times));
console.log('attempt ' + times);
process.exitCode = times < 3 ? 1 : 0;
`;

const workflow = (name: string, steps: string, more = '') =>
  `name: ${name}\nversion: "1"\ntimeout: 1h\n${more}steps:\n${steps}`;

/** Four layers of ten, each step after one of the layer before. */
const forty = Array.from({ length: 40 }, (_, index) => {
  const after = index < 10 ? '' : `, depends_on: [step-${String(index - 9)}]`;
  return `  step-${String(index + 1)}: { command: [echo, "step ${String(index + 1)}"]${after} }\n`;
}).join('');
const items = Array.from({ length: 30 }, (_, index) => `i${String(index)}`).join(', ');

/** The files of the workflows. */
export const runFiles: Readonly<Record<string, string>> = {
  'big.mjs': big,
  'talk.mjs': talk,
  'third.mjs': third,
  'workflows/failing.yaml': workflow(
    'failing',
    `  first: { command: [echo, fine] }
  unit: { command: [node, big.mjs], depends_on: [first] }
  lint: { command: [echo, fine], depends_on: [first] }
  publish: { command: [echo, published], depends_on: [unit, lint] }
`,
  ),
  'workflows/following.yaml': workflow(
    'following',
    `  build: { command: [echo, built] }
  talk: { command: [node, talk.mjs, stop], depends_on: [build] }
  report: { command: [node, talk.mjs, go], depends_on: [talk] }
`,
  ),
  'workflows/rollout.yaml': workflow(
    'rollout',
    `  build: { command: [echo, built] }
  ship-it:
    depends_on: [build]
    gate:
      message: Roll it out?
      fields: { percent: { type: integer, default: 10, description: Share of the users. } }
  publish: { command: [echo, "\${{ steps.ship-it.approval.fields.percent }} percent"], depends_on: [ship-it] }
`,
  ),
  'workflows/forty.yaml': workflow('forty', forty),
  'workflows/rounds.yaml': workflow(
    'rounds',
    `  list: { command: [echo, thirty] }
  each:
    depends_on: [list]
    on_failure: continue
    for_each:
      items: [${items}]
      as: name
      concurrency: 10
      steps:
        make: { command: [echo, "\${{ name }}"] }
        check: { command: [sh, -c, "echo checking; test \\"$1\\" != i7", sh, "\${{ name }}"], depends_on: [make] }
  report: { command: [echo, over], depends_on: [each] }
`,
  ),
  'workflows/parts/inner.yaml': workflow(
    'inner',
    '  compile: { command: [echo, compiled] }\n  verify: { command: [sh, -c, "echo broken; exit 4"], depends_on: [compile] }\n',
  ),
  'workflows/nested.yaml': workflow(
    'nested',
    '  module: { workflow: ./parts/inner.yaml }\n  last: { command: [echo, last], depends_on: [module] }\n',
  ),
  'workflows/retries.yaml': workflow(
    'retries',
    '  flaky: { command: [node, third.mjs], on_failure: retry, max_retries: 3 }\n  after: { command: [echo, after], depends_on: [flaky] }\n',
  ),
  'workflows/skipping.yaml': workflow(
    'skipping',
    '  a: { command: [echo, a] }\n  b: { command: [echo, b], when: "${{ false }}", depends_on: [a] }\n  c: { command: [echo, c], depends_on: [a] }\n',
  ),
  'workflows/late.yaml': `name: late\nversion: "1"\ntimeout: 1s\nsteps:\n  wait: { command: [sleep, "100"] }\n`,
  'workflows/fine.yaml': workflow(
    'fine',
    '  a: { command: [echo, a] }\n  b: { command: [echo, b], depends_on: [a] }\n',
  ),
};

interface Listed {
  readonly run: string;
  readonly workflow: string;
}

/** The newest run of a workflow. */
export async function newestRun({ project }: BrowserFixture, of: string): Promise<string> {
  const { stdout } = await project.run(['runs', '--json']);
  const found = (JSON.parse(stdout) as Listed[]).find((each) => each.workflow === of);
  if (found === undefined) throw new Error(`${of} has not run`);
  return found.run;
}

/** Runs a workflow to its end. Returns its id. */
export async function ranRun(fixture: BrowserFixture, of: string): Promise<string> {
  await fixture.project.run(['run', of, '--plain']);
  return newestRun(fixture, of);
}

/** Starts a run, and waits until it says so much. Its process ends with the fixture. */
export async function liveRun(fixture: BrowserFixture, of: string, until: string) {
  const program = fixture.start(['run', of, '--plain']);
  await said(program, until);
  return { run: await newestRun(fixture, of), program };
}

/** Makes the log of a step of a run one of more than 100 MB, with its error before the end. */
export function enlarge({ root }: { readonly root: string }, run: string, step: string): void {
  const folder = join(root, '.mailroom/runs', run, 'steps', step, '1.1');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'stdout');
  const block = Array.from({ length: 10_000 }, (_, line) => `${'x'.repeat(90)} ${String(line)}\n`).join('');
  writeFileSync(file, '');
  for (let part = 0; part < 105; part += 1) appendFileSync(file, block);
  appendFileSync(file, `AssertionError: far down\n${block.slice(0, 100_000)}the end\n`);
}

/** Fifteen runs: failed, waiting, running, stopped, cancelled, timed out and done ones. */
export async function runsOfEveryKind(fixture: BrowserFixture): Promise<void> {
  for (const of of [
    'fine',
    'retries',
    'skipping',
    'nested',
    'rounds',
    'forty',
    'late',
    'failing',
    'fine',
    'skipping',
  ])
    await ranRun(fixture, of);
  enlarge(fixture.project, await newestRun(fixture, 'failing'), 'unit');
  const stopped = await liveRun(fixture, 'following', 'talk');
  stopped.program.kill('SIGKILL');
  await ended(stopped.program);
  const cancelled = await liveRun(fixture, 'following', 'talk');
  await fixture.project.run(['cancel', cancelled.run]);
  await ranRun(fixture, 'failing');
  await liveRun(fixture, 'rollout', 'ship-it');
  await liveRun(fixture, 'following', 'talk');
}
