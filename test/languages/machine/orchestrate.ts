import { startContext } from '../../../src/workflow/machine/run-start.ts';
import type { Workflow } from '../../../src/workflow/model.ts';
import { parseWorkflow } from '../../../src/languages/parse.ts';
import { type LanguageContext } from '../../../src/languages/shared/context.ts';
import { nowhere } from '../../support/nowhere.ts';
import type { Script } from './orchestrate-interpreter.ts';
import { failure, result, World, type WorldOptions } from '../../workflow/machine/world.ts';

/** The workflow of these steps; throws what is wrong with it. */
export function orchestrate(
  steps: readonly object[],
  more: object = {},
  context: Partial<LanguageContext> = {},
): Workflow {
  const text = JSON.stringify({ version: '1.0', name: 'test', ...more, steps });
  const read = parseWorkflow(text, 'test.json', { ...nowhere, ...context });
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  return read.value;
}

/** A lowered workflow on the machine: every process that it starts, and what the run came to. */
export function played(workflow: Workflow, script: Script, options: WorldOptions = {}) {
  const context = startContext(workflow, { context: {}, parameters: {}, env: {} });
  const given = { context, ...options.given };
  const world = new World(workflow, { watched: false, ...options, given });
  const trace: string[] = [];
  const starts = new Map<string, number>();
  for (let round = 0; world.state.endedAt === null && round < 20_000; round += 1) {
    const [name] = world.running;
    if (name === undefined) {
      world.pass(2_000);
      continue;
    }
    const launch = world.launch(name);
    const start = starts.get(launch.step) ?? 0;
    starts.set(launch.step, start + 1);
    trace.push(launch.work.kind === 'command' ? launch.work.argv.join(' ') : '');
    const code = script(launch.step, start);
    const timedOut = code === 124;
    const transient = code === 1 || timedOut;
    const ended =
      code === 0
        ? result({ is: 'done' }, {})
        : failure({ class: transient ? 'RETRYABLE_TRANSIENT' : 'NON_RETRYABLE', timedOut });
    world.happens({ type: 'ended', key: launch.key, result: { ...ended, exitCode: code } });
  }
  const { status } = world.state;
  return {
    trace,
    status: status === 'SUCCEEDED' ? 'completed' : 'failed',
    context: { ...context, ...world.state.context },
  };
}
