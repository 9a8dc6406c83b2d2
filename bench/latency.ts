import process from 'node:process';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Project } from '../src/project/project.ts';
import { startUp } from '../src/up/start.ts';
import { milliseconds, percentile, type Line } from './report.ts';
import { BenchProject } from './world.ts';

const packageRoot = fileURLToPath(new URL('..', import.meta.url));
const drops = 150;
/** What a controller still does after a turn (the trail, removing its folder) is over after so many milliseconds. */
const rest = 100;

/** When a message comes: to a controller at rest, or as soon as the agent of the one before it was started. */
type When = 'at rest' | 'back to back';

/** How many files an agent puts into each folder that it may write. */
const flood = 100_000;

/** The first role works until the end, and has filled its folders. */
const flooding = ['sh', '-c', '[ "$MAILROOM_ROLE" != role0 ] || exec sleep 600'];

/** Fills the folders of the turn that runs for the first role. */
function fill(project: BenchProject): void {
  const [turn = ''] = readdirSync(join(project.root, '.mailroom/turns'));
  for (const folder of ['agents/role0/outbox', `.mailroom/turns/${turn}/1/outbox`])
    for (let index = 0; index < flood; index += 1)
      closeSync(openSync(join(project.root, folder, `${String(index)}.md`), 'w'));
  mkdirSync(join(project.root, `.mailroom/turns/${turn}/1/outbox`, 'd/'.repeat(1_000)), { recursive: true });
}

/** Milliseconds from each drop to the launch of its agent behind the launch barrier. */
async function drop(roles: number, when: When, isFlooded: boolean | null = null): Promise<number[]> {
  const project = new BenchProject(roles, isFlooded === null ? ['true'] : flooding);
  const launched = new Map<string, number>();
  let running = 0;
  let heard = () => {};
  const controller = await startUp(Project.at(project.root, { packageRoot, environment: process.env }), {
    untilIdle: false,
    record: null,
    triggers: false,
    onChange: (state) => {
      const now = performance.timeOrigin + performance.now();
      for (const { phase, messages } of state.turns.values())
        if (phase.is === 'active' && phase.launched !== null)
          for (const id of messages) if (!launched.has(id)) launched.set(id, now);
      running = state.turns.size;
      heard();
    },
  });
  const ended = controller.run();
  const took: number[] = [];
  const busy = isFlooded === null ? 0 : 1;
  const next = async (role: number, name: string, still: number) => {
    const before = launched.size;
    const at = project.drop(role, name);
    await new Promise<void>((done) => {
      heard = () => {
        if (launched.size > before && (when === 'back to back' || running === still)) done();
      };
    });
    return at;
  };
  if (busy > 0) await next(0, 'first.md', busy);
  if (isFlooded === true) fill(project);
  for (let index = 0; index < drops; index += 1) {
    const at = await next(busy + (index % (roles - busy)), `m${String(index)}.md`, busy);
    took.push(([...launched.values()].at(-1) ?? Number.NaN) - at);
    if (when === 'at rest') await setTimeout(rest);
  }
  controller.end('stop');
  await ended;
  return took.slice(20);
}

export async function latency(): Promise<Line[]> {
  const spawns = Array.from({ length: 50 }, () => {
    const start = performance.now();
    spawnSync('true');
    return performance.now() - start;
  });
  const bare = percentile(spawns, 0.5);
  const lines: Line[] = [];
  for (const when of ['at rest', 'back to back'] as const)
    for (const roles of [1, 50]) {
      const took = await drop(roles, when);
      const [half, most] = [percentile(took, 0.5), percentile(took, 0.99)];
      const isBudgeted = when === 'at rest';
      lines.push({
        what: `message dropped → agent process started, ${String(roles)} role(s), ${when}, 10 ms of settling included`,
        seen: `p50 ${milliseconds(half)}, p99 ${milliseconds(most)}`,
        ratio: `p50 ${(half / bare).toFixed(1)} × a bare spawn (${milliseconds(bare)})`,
        budget: isBudgeted ? 'p50 ≤ 25 ms, p99 ≤ 60 ms' : '',
        met: isBudgeted ? half <= 25 && most <= 60 : null,
      });
    }
  const [calm, filled] = [await drop(11, 'at rest', false), await drop(11, 'at rest', true)];
  const [half, most] = [0.5, 0.99].map((share) => percentile(filled, share) / percentile(calm, share));
  lines.push({
    what: `the same to 10 roles while an eleventh has ${String(flood)} files in each of its folders`,
    seen: `p50 ${milliseconds(percentile(filled, 0.5))}, p99 ${milliseconds(percentile(filled, 0.99))}`,
    ratio: `p50 ${half!.toFixed(2)} ×, p99 ${most!.toFixed(2)} × the same with empty folders`,
    budget: 'p50 ≤ 2 ×',
    met: half! <= 2,
  });
  return lines;
}
