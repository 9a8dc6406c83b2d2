import { MailroomError } from '../kernel/errors.ts';
import { endOfId } from '../kernel/ids.ts';
import type { RunControlFile } from '../workflow/host/commands.ts';
import type { Context } from './context.ts';
import { caller, control } from './control.ts';
import { idOf, runOf } from './ids.ts';
import { answer, type AsJson } from './output.ts';
import type { StoredRun } from '../project/definition/contracts.ts';
import type { HostedRun } from '../workflow/host/hosted-runs.ts';
import type { RunVerdict } from '../documents/runs.ts';

/** A command for a run; missing values are null. */
type RunCommandInput = Pick<RunControlFile, 'verb' | 'path'> &
  Partial<Pick<RunControlFile, 'comment' | 'by' | 'choice' | 'fields'>>;

/**
 * Sends the host of a run a command, waits for its verdict and prints it. A run without a host is
 * cancelled here; other commands wait for its `resume`. Exit code 0: done, or recorded; refused:
 * `E_REFUSED`.
 */
export async function askRun(
  context: Context,
  stored: StoredRun,
  wish: RunCommandInput,
  options: AsJson,
): Promise<number> {
  context.outsideTurn(wish.verb);
  context.announce();
  return printVerdict(context, stored, fileOf(context, wish, null), options);
}

/** Pauses or unpauses a run, or what of the mail a word names. */
export async function pauseOrUnpause(
  verb: 'pause' | 'unpause',
  context: Context,
  word: string,
  options: AsJson & { readonly now?: boolean },
): Promise<number> {
  const id = await idOf(context, word, ['run', 'thread']);
  const run = runOf(context, id, ['run', 'thread']);
  if (run === null) return control(context, verb, id, options);
  if (options.now === true)
    throw new MailroomError(
      'E_USAGE',
      'a run has no `--now`: its running steps continue',
      `\`mailroom cancel ${endOfId(run.run)}\` ends them and the run`,
    );
  return askRun(context, run, { verb, path: '' }, options);
}

export async function printVerdict(
  context: Context,
  stored: StoredRun,
  file: RunControlFile,
  options: AsJson,
): Promise<number> {
  const { askRun: ask } = await import('../workflow/runs/ask-run.ts');
  return print(context, await ask(placeOf(context), stored, file), options);
}

/** Cancels a run, a turn or a thread. */
export async function cancel(context: Context, target: string, options: AsJson): Promise<number> {
  const id = await idOf(context, target, ['run', 'thread']);
  const run = runOf(context, id, ['run', 'thread']);
  if (run !== null) return askRun(context, run, { verb: 'cancel', path: '' }, options);
  const waiting = context.place().workflows.waiting(id);
  if (waiting !== null) return cancelWaiting(context, waiting, options);
  return control(context, 'cancel', id, options);
}

/** Cancels a run that waits for another one, and prints the verdict. */
async function cancelWaiting(context: Context, waiting: HostedRun, options: AsJson): Promise<number> {
  context.outsideTurn('cancel');
  context.announce();
  const { cancelWaiting: ask } = await import('../workflow/runs/ask-run.ts');
  const file = fileOf(context, { verb: 'cancel', path: '' }, null);
  return print(context, await ask(placeOf(context), waiting, file), options);
}

const placeOf = (context: Context) => ({
  workflows: context.place().workflows,
  now: context.terminal.now,
});

async function print({ terminal }: Context, verdict: RunVerdict, options: AsJson): Promise<number> {
  const { nameOf } = await import('../workflow/runs/ask-run.ts');
  const { state, run, host } = verdict;
  return answer(terminal, options, verdict, () => [
    `${nameOf(run, verdict)}: ${state === 'done' ? 'done' : later(host, run)}`,
  ]);
}

/** Cancels a run without output. `recorded`: no host has accepted it yet. Throws `E_REFUSED`. */
export async function cancelRun(context: Context, stored: StoredRun): Promise<RunVerdict['state']> {
  const { askRun: ask } = await import('../workflow/runs/ask-run.ts');
  return (await ask(placeOf(context), stored, fileOf(context, { verb: 'cancel', path: '' }, null))).state;
}

function later(isAlive: boolean, run: string): string {
  return isAlive
    ? 'recorded; its process has not read it yet'
    : `recorded, takes effect at the next \`mailroom resume ${run}\``;
}

export function fileOf(context: Context, wish: RunCommandInput, instructions: string | null): RunControlFile {
  const { verb, path, choice = null, comment = null, fields = {}, by = caller(context) } = wish;
  const id = context.place().newId();
  return { id, at: context.terminal.now(), by, verb, path, choice, comment, fields, instructions };
}
