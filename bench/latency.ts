import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openProject } from '../src/app/project.ts';
import { milliseconds, percentile, type Line } from './report.ts';
import { BenchProject } from './world.ts';

const packageRoot = fileURLToPath(new URL('..', import.meta.url));
const drops = 150;

/** Milliseconds from each drop to the launch of its agent behind the gate, one drop after the other. */
async function drop(roles: number): Promise<number[]> {
  const project = new BenchProject(roles, ['true']);
  const launched = new Map<string, number>();
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
      heard();
    },
  });
  const ended = controller.run();
  const took: number[] = [];
  for (let index = 0; index < drops; index += 1) {
    const before = launched.size;
    const at = project.drop(index % roles, `m${String(index)}.md`);
    await new Promise<void>((done) => {
      heard = () => (launched.size > before ? done() : undefined);
    });
    took.push(([...launched.values()].at(-1) ?? Number.NaN) - at);
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
  for (const roles of [1, 50]) {
    const took = await drop(roles);
    const [half, most] = [percentile(took, 0.5), percentile(took, 0.99)];
    lines.push({
      what: `message dropped → agent process started, ${String(roles)} role(s), 10 ms of settling included`,
      seen: `p50 ${milliseconds(half)}, p99 ${milliseconds(most)}`,
      ratio: `p50 ${(half / bare).toFixed(1)} × a bare spawn (${milliseconds(bare)})`,
      budget: 'p50 ≤ 25 ms, p99 ≤ 60 ms',
      met: half <= 25 && most <= 60,
    });
  }
  return lines;
}
