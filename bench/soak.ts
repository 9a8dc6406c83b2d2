import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { percentile } from './report.ts';
import { chart, type Panel } from './soak/chart.ts';
import { drift, sample, type Sample } from './soak/sample.ts';
import { SoakProject } from './soak/world.ts';

/*
 * `npm run soak` runs ten minutes of steady mail, `npm run soak -- --seconds 60 --rate 10` less or more of it, and
 * `npm run soak -- --messages 100000` so many messages as fast as they are handled. The controller is the real program;
 * it is looked at from outside.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    rate: { type: 'string', default: '5' },
    roles: { type: 'string', default: '50' },
    messages: { type: 'string' },
  },
});

const program = fileURLToPath(new URL('../bin/mailroom', import.meta.url));
/** A task goes to one role, on to another, and back: so many messages. */
const messagesOfTask = 3;
/** Under load: so many tasks are under way at once. */
const mostUnderWay = 500;
const load = values.messages === undefined ? null : Math.ceil(Number(values.messages) / messagesOfTask);
const seconds = Number(values.seconds);
const rate = Number(values.rate);

const project = new SoakProject(Number(values.roles), { trail: load === null });
const child = spawn(process.execPath, [program, 'up', '--plain'], {
  cwd: project.root,
  stdio: ['ignore', 'ignore', 'pipe'],
});
let complaint = '';
child.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(-2000)));
const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));

const began = performance.now();
const elapsed = () => (performance.now() - began) / 1000;
const samples: Sample[] = [];
const all: number[] = [];
/** How often each task was seen at each step. */
const times = new Map<string, number>();
let dropped = 0;
let returned = 0;

/** Reads what agents and `user` got, and looks at the controller. */
function look(): void {
  const seen = project.seen();
  for (const { step, task } of seen) {
    const key = `${step} ${String(task)}`;
    times.set(key, (times.get(key) ?? 0) + 1);
  }
  returned += project.readMail();
  const latencies = seen.flatMap(({ step, after: took }) => (step === 'task' ? [took] : []));
  all.push(...latencies);
  if (child.pid !== undefined && child.exitCode === null)
    samples.push(sample(child.pid, elapsed(), latencies));
}

async function work(): Promise<void> {
  for (let next = 1; ;) {
    const due =
      load === null
        ? Math.floor(Math.min(elapsed(), seconds) * rate)
        : Math.min(load, returned + mostUnderWay);
    while (dropped < due) project.drop((dropped += 1));
    if (elapsed() >= next) {
      look();
      next = Math.floor(elapsed()) + 1;
    }
    const over = load === null ? elapsed() >= seconds : dropped === load;
    if (over && returned >= dropped) return;
    if (child.exitCode !== null) throw new Error(`the controller has ended: ${complaint}`);
    if (load === null && elapsed() > seconds + 120) return;
    await after(load === null ? 20 : 100);
  }
}

function panels(): Panel[] {
  const curve = (name: string, color: string, value: (one: Sample) => number | null) => ({
    name,
    color,
    points: samples.map((one) => [one.at, value(one)] as const),
  });
  return [
    { title: 'Memory', unit: 'MiB', curves: [curve('', '#2266cc', ({ memory }) => memory)] },
    { title: 'Open descriptors', unit: 'count', curves: [curve('', '#2266cc', (one) => one.descriptors)] },
    { title: 'Watches', unit: 'count', curves: [curve('', '#2266cc', ({ watches }) => watches)] },
    {
      title: 'Dropped → agent at work',
      unit: 'ms',
      curves: [
        curve('p99 of each second', '#dd8844', ({ most }) => most),
        curve('p50 of each second', '#2266cc', ({ half }) => half),
      ],
    },
  ];
}

function tell(took: number): boolean {
  const lost = dropped - returned;
  const wrong = Array.from({ length: dropped }, (_none, index) => index + 1).filter(
    (task) => times.get(`task ${String(task)}`) !== 1 || times.get(`next ${String(task)}`) !== 1,
  );
  const memory = drift(samples.map((one) => one.memory));
  const descriptors = drift(samples.map((one) => one.descriptors));
  const watches = drift(samples.map((one) => one.watches));
  const flat = memory.late <= memory.early * 1.1 + 5 && descriptors.late <= descriptors.early + 5;
  const change = ({ early, late }: { early: number; late: number }) =>
    `${early.toFixed(0)} → ${late.toFixed(0)}`;
  const text = [
    `${String(dropped * messagesOfTask)} messages, ${values.roles} roles, ${took.toFixed(0)} s (${((dropped * messagesOfTask) / took).toFixed(0)} messages/s)`,
    `lost: ${String(lost)}; asked never or more than once: ${String(wrong.length)}`,
    `memory ${change(memory)} MiB, descriptors ${change(descriptors)}, watches ${change(watches)}: ${flat ? 'flat' : 'NOT FLAT'}`,
    `dropped → agent at work: p50 ${percentile(all, 0.5).toFixed(0)} ms, p99 ${percentile(all, 0.99).toFixed(0)} ms`,
  ];
  process.stdout.write(`${text.join('\n')}\n`);
  if (load === null) {
    const title = `${text[0] ?? ''}; ${text[1] ?? ''}`;
    mkdirSync(new URL('results/', import.meta.url), { recursive: true });
    writeFileSync(
      new URL('results/soak.svg', import.meta.url),
      chart(title, panels(), samples.at(-1)?.at ?? 1),
    );
  }
  return lost === 0 && wrong.length === 0 && flat;
}

try {
  await work();
  const took = elapsed();
  look();
  process.exitCode = tell(took) ? 0 : 1;
} finally {
  child.kill('SIGTERM');
  await ended;
  if (process.env['KEEP_SOAK'] === undefined) project.remove();
  else process.stderr.write(`kept: ${join(project.root)}\n`);
}
