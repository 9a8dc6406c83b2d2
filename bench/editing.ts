import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { UnsavedTexts } from '../src/disk/unsaved.ts';
import { EditedProject } from '../src/project/edited-project.ts';
import { milliseconds, percentile, type Line } from './report.ts';
import { BenchProject } from './world.ts';

const steps = 500;
const changes = 40;
const budget = 60;

/**
 * A long file in which one step changes, as a person types in it. `wrong`: that step has an error. `description`: a line
 * of the file.
 */
function textOf(version: number, wrong: boolean, description: string): string {
  const each = Array.from({ length: steps }, (_none, index) => {
    const isChanged = index === steps / 2;
    const needs = index === 0 ? '' : `\n    depends_on: [step${String(index - 1)}]`;
    const word = isChanged ? `v${String(version)}` : 'v';
    const more = isChanged && wrong ? '\n    never_heard_of: 2' : '';
    return `  step${String(index)}: # number ${String(index)}\n    command: [echo, "\${{ run.id }}", "${word}"]${needs}\n    timeout: 5m${more}\n`;
  });
  return `name: long\n${description}version: "1"\ntimeout: 1d\nsteps:\n${each.join('')}`;
}

/** The diagnostics of a change in a file of 500 steps, by processor time. */
export async function editing(): Promise<Line[]> {
  return [
    await changing('a change', false),
    await changing('a wrong change', true),
    // Only the parser reads this one.
    await changing('a change beside a folded text', false, 'description: >\n  folded\n  text\n'),
  ];
}

async function changing(what: string, wrong: boolean, description = ''): Promise<Line> {
  const project = new BenchProject(3, ['true']);
  const unsaved = new UnsavedTexts();
  const packageRoot = fileURLToPath(new URL('..', import.meta.url));
  const edited = await EditedProject.open(project.root, true, unsaved, {
    packageRoot,
    environment: process.env,
  });
  const file = join(project.root, 'workflows', 'long.yaml');
  const took: number[] = [];
  for (let version = 0; version < changes; version += 1) {
    const text = textOf(version, wrong, description);
    unsaved.set(file, text);
    const before = process.cpuUsage();
    const found = await edited.diagnose(file, text);
    const { user, system } = process.cpuUsage(before);
    if (found.length !== (wrong ? 1 : 0))
      throw new Error(`other problems than expected: ${JSON.stringify(found)}`);
    took.push((user + system) / 1_000);
  }
  // The first changes are those of a program that has just started.
  const warm = took.slice(changes / 4);
  const [middle, most] = [percentile(warm, 0.5), percentile(warm, 0.95)];
  return {
    what: `${what} in a file of ${String(steps)} steps, until its diagnostics (processor time)`,
    seen: `median ${milliseconds(middle)}, p95 ${milliseconds(most)}`,
    ratio: '',
    budget: `≤ ${String(budget)} ms`,
    met: middle <= budget,
  };
}
