import { spawnSync } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openProject } from '../src/wiring/project.ts';
import { milliseconds, percentile, type Line } from './report.ts';
import { BenchProject } from './world.ts';

const packageRoot = fileURLToPath(new URL('..', import.meta.url));
const drops = 150;
/** What a controller still does after a turn (the trail, removing its folder) is over after so many milliseconds. */
const rest = 100;

/** When a message comes: to a controller at rest, or as soon as the agent of the one before it was started. */
type When = 'at rest' | 'back to back';

/** Milliseconds from each drop to the launch of its agent behind the launch barrier. */
async function drop(roles: number, when: When): Promise<number[]> {
  const project = new BenchProject(roles, ['true']);
  const launched = new Map<string, number>();
  let running = 0;
  let heard = () => {};
  const controller = await openProject(project.root, packageRoot).controller({
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
  for (let index = 0; index < drops; index += 1) {
    const before = launched.size;
    const at = project.drop(index % roles, `m${String(index)}.md`);
    await new Promise<void>((done) => {
      heard = () => {
        if (launched.size > before && (when === 'back to back' || running === 0)) done();
      };
    });
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
  return lines;
}
