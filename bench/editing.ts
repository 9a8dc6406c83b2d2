import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { UnsavedTexts } from '../src/disk/unsaved.ts';
import { EditedProject } from '../src/operations/edited-project.ts';
import { milliseconds, percentile, type Line } from './report.ts';
import { BenchProject } from './world.ts';

const steps = 500;
const changes = 40;
const budget = 60;

/** A change in a long file, as an editor makes it: a value of one step becomes another one. */
function textOf(version: number): string {
  const each = Array.from({ length: steps }, (_none, index) => {
    const needs = index === 0 ? '' : `\n    depends_on: [step${String(index - 1)}]`;
    return `  step${String(index)}: # number ${String(index)}\n    command: [echo, "\${{ run.id }}", "v${String(version)}"]${needs}\n    timeout: 5m\n`;
  });
  return `name: long\nversion: "1"\ntimeout: 1d\nsteps:\n${each.join('')}`;
}

/** The diagnostics of a change in a file of 500 steps, by processor time. */
export async function editing(): Promise<Line[]> {
  const project = new BenchProject(3, ['true']);
  const unsaved = new UnsavedTexts();
  const packageRoot = fileURLToPath(new URL('..', import.meta.url));
  const edited = new EditedProject(project.root, true, unsaved, packageRoot);
  const file = join(project.root, 'workflows', 'long.yaml');
  const took: number[] = [];
  for (let version = 0; version < changes; version += 1) {
    const text = textOf(version);
    unsaved.set(file, text);
    const before = process.cpuUsage();
    const found = await edited.diagnose(file, text);
    const { user, system } = process.cpuUsage(before);
    if (found.length > 0) throw new Error(`the file is wrong: ${found[0]!.message}`);
    took.push((user + system) / 1_000);
  }
  // The first changes are those of a program that has just started.
  const warm = took.slice(changes / 4);
  const [middle, most] = [percentile(warm, 0.5), percentile(warm, 0.95)];
  return [
    {
      what: `a change in a file of ${String(steps)} steps, until its diagnostics (processor time)`,
      seen: `median ${milliseconds(middle)}, p95 ${milliseconds(most)}`,
      ratio: '',
      budget: `≤ ${String(budget)} ms`,
      met: middle <= budget,
    },
  ];
}
