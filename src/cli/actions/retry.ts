import { numberedPath } from '../../workflow/machine/keyed-path.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { StoredRun } from '../../project/definition/contracts.ts';
import type { Context } from '../context.ts';
import { control } from '../control.ts';
import { idOf, runOf } from '../ids.ts';
import { fileText } from '../message-options.ts';
import { fileOf, printVerdict } from '../run-control.ts';
import { follow, type FollowOptions } from '../run-follow.ts';

interface RetryOptions extends FollowOptions {
  readonly instructions?: string;
}

/** Puts a failed message back, or retries a failed step of a run. */
export async function retry(
  context: Context,
  target: string,
  step: string | null,
  options: RetryOptions,
): Promise<number> {
  const kinds = step === null ? (['message', 'run'] as const) : (['run'] as const);
  const id = await idOf(context, target, step === null ? ['failed', 'run'] : kinds);
  const run = runOf(context, id, kinds);
  if (run === null && step === null) return control(context, 'retry', id, options);
  return retryStep(context, run ?? context.place().workflows.run(id), step, options);
}

/** Retries a failed step of a run: by the run's host, or without one here. */
export async function retryStep(
  context: Context,
  run: StoredRun,
  step: string | null,
  options: RetryOptions,
): Promise<number> {
  context.outsideTurn('retry');
  context.announce();
  if (step === null)
    throw new MailroomError(
      'E_USAGE',
      'a run is not tried again as a whole: say which step',
      `\`mailroom resume ${run.run}\` continues with the unfinished steps`,
    );
  const instructions = await instructionsOf(context, options.instructions);
  const file = fileOf(context, { verb: 'retry', path: numberedPath(run.state(), step) }, instructions);
  const { refuseImpossible } = await import('../../workflow/runs/ask-run.ts');
  refuseImpossible(run, file);
  const { workflows } = context.place();
  if (await run.alive()) return printVerdict(context, run, file, options);
  return follow(context, options, (watch, waits) => workflows.resume(run, { watch, waits, command: file }));
}

async function instructionsOf({ call, terminal }: Context, file: string | undefined): Promise<string | null> {
  if (file === undefined) return null;
  if (file === '-') return terminal.readInput();
  return fileText(call, file);
}
