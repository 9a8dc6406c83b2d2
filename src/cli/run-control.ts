import { resolve } from 'node:path';
import { MailroomError } from '../core/errors.ts';
import { waitFor, patience } from '../engine/operations/project.ts';
import type { RunControlFile } from '../engine/runs/commands.ts';
import type { Context } from './context.ts';
import { caller } from './control.ts';
import { json } from './output.ts';
import { follow, type FollowOptions } from './run-follow.ts';
import type { StoredRun } from './run-services.ts';

/** What a person wants of a run; what is not said is null. */
type Wish = Pick<RunControlFile, 'verb' | 'path'> & Partial<Pick<RunControlFile, 'comment' | 'by'>>;

/**
 * Asks the host of a run for something, waits for its verdict and says it. Exit code 0: done, or recorded for the next
 * `resume`; refused: `E_REFUSED`.
 */
export async function askRun(
  context: Context,
  stored: StoredRun,
  wish: Wish,
  options: { readonly json?: boolean },
): Promise<number> {
  context.outsideTurn(wish.verb);
  const { terminal } = context;
  const { workflows } = context.place();
  const { run } = stored;
  const file = fileOf(context, wish, null);
  const isAlive = await stored.alive();
  if (!isAlive) await refuseWhatCannotBe(stored, file);
  workflows.request(run, file);
  const changed = (milliseconds: number) => workflows.changed(run, milliseconds);
  const verdict = isAlive
    ? await waitFor({ changed }, terminal.now, patience, () => workflows.verdict(run, file.id))
    : undefined;
  const { verb, path } = wish;
  const what = [verb, run, path].filter((word) => word !== '').join(' ');
  if (verdict !== undefined && verdict.refusal !== null)
    throw new MailroomError('E_REFUSED', `${what}: ${verdict.refusal}`);
  const state = verdict === undefined ? 'recorded' : 'done';
  if (options.json === true) terminal.write(json({ schema: 1, state, verb, run, path, host: isAlive }));
  else terminal.write(`${what}: ${state === 'done' ? 'done' : later(isAlive, run)}\n`);
  return 0;
}

/** Where no host gives a verdict, what the run says of itself does. */
async function refuseWhatCannotBe(run: StoredRun, file: RunControlFile): Promise<void> {
  const { refusal } = await import('../core/workflow/commands.ts');
  const reason = refusal(run.state(), file);
  if (reason !== null) throw new MailroomError(reason.code, reason.text);
}

function later(isAlive: boolean, run: string): string {
  return isAlive
    ? 'recorded; its host has not taken it yet'
    : `recorded, takes effect at the next \`mailroom resume ${run}\``;
}

function fileOf(context: Context, wish: Wish, instructions: string | null): RunControlFile {
  const { verb, path, comment = null, by = caller(context) } = wish;
  const id = context.place().newId();
  return { id, at: context.terminal.now(), by, verb, path, comment, instructions };
}

export interface RetryOptions extends FollowOptions {
  readonly instructions?: string;
}

/** Has a step that failed tried again: by the host of the run, or where there is none, here. */
export async function retryStep(
  context: Context,
  run: StoredRun,
  step: string | undefined,
  options: RetryOptions,
): Promise<number> {
  context.outsideTurn('retry');
  if (step === undefined)
    throw new MailroomError(
      'E_USAGE',
      'a run is not tried again as a whole: say which step',
      `\`mailroom resume ${run.run}\` goes on with all that is not done`,
    );
  const instructions = await instructionsOf(context, options.instructions);
  const file = fileOf(context, { verb: 'retry', path: step }, instructions);
  await refuseWhatCannotBe(run, file);
  const { workflows } = context.place();
  if (await run.alive()) {
    workflows.request(run.run, file);
    context.terminal.write(`retry ${run.run} ${step}: recorded; the host of the run takes it\n`);
    return 0;
  }
  return follow(context, options, (watch) =>
    workflows.resume(run, { watch, command: file, definition: null }),
  );
}

async function instructionsOf(
  { services, terminal }: Context,
  file: string | undefined,
): Promise<string | null> {
  if (file === undefined) return null;
  if (file === '-') return terminal.readInput();
  const text = services.readText(resolve(services.cwd, file));
  if (text === null) throw new MailroomError('E_USAGE', `there is no file ${file}`);
  return text;
}
