import { MailroomError } from '../kernel/errors.ts';
import { waitFor, patience } from '../operations/project/project.ts';
import type { RunControlFile } from '../workflow/host/commands.ts';
import type { Context } from './context.ts';
import { caller } from './control.ts';
import { json } from './output.ts';
import type { StoredRun, WorkflowServices } from '../operations/runs/services.ts';

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
  options: { readonly json?: boolean },
): Promise<number> {
  context.outsideTurn(wish.verb);
  context.announce();
  return printVerdict(context, stored, fileOf(context, wish, null), options);
}

export async function printVerdict(
  context: Context,
  stored: StoredRun,
  file: RunControlFile,
  options: { readonly json?: boolean },
): Promise<number> {
  const { terminal } = context;
  const { run } = stored;
  const { verb, path } = file;
  const what = nameOf(stored, file);
  const { state, isAlive } = await carryOut(context, stored, file);
  if (options.json === true) terminal.write(json({ schema: 1, state, verb, run, path, host: isAlive }));
  else terminal.print(`${what}: ${state === 'done' ? 'done' : later(isAlive, run)}\n`);
  return 0;
}

/** Cancels a run without output. `recorded`: no host has accepted it yet. Throws `E_REFUSED`. */
export async function cancelRun(context: Context, stored: StoredRun): Promise<Outcome['state']> {
  return (await carryOut(context, stored, fileOf(context, { verb: 'cancel', path: '' }, null))).state;
}

interface Outcome {
  readonly state: 'recorded' | 'done';
  readonly isAlive: boolean;
}

async function carryOut(context: Context, stored: StoredRun, file: RunControlFile): Promise<Outcome> {
  const { verdict, isAlive } = await answerOf(context, stored, file);
  if (verdict !== undefined && verdict.refusal !== null)
    throw new MailroomError('E_REFUSED', `${nameOf(stored, file)}: ${verdict.refusal}`);
  return { state: verdict === undefined ? 'recorded' : 'done', isAlive };
}

function nameOf({ run }: StoredRun, { verb, path }: RunControlFile): string {
  return [verb, run, path].filter((word) => word !== '').join(' ');
}

interface Answer {
  /** Undefined: no verdict yet. */
  readonly verdict: { readonly refusal: string | null } | undefined;
  readonly isAlive: boolean;
}

async function answerOf(context: Context, stored: StoredRun, file: RunControlFile): Promise<Answer> {
  const { workflows } = context.place();
  const { run } = stored;
  const alone = (await stored.alive()) ? null : await answerAlone(workflows, stored, file);
  if (alone !== null) return alone;
  workflows.request(run, file);
  // A host may have started in between, or be about to end.
  let isAlive = await stored.alive();
  const changed = async (milliseconds: number) => {
    await workflows.changed(run, milliseconds);
    isAlive = await stored.alive();
  };
  const verdict = await waitFor({ changed }, context.terminal.now, patience, () => {
    return workflows.verdict(run, file.id) ?? (isAlive ? undefined : null);
  });
  if (verdict !== null) return { verdict, isAlive: true };
  // Its last host may have given the verdict just before it ended.
  const last = workflows.verdict(run, file.id);
  if (last !== undefined) return { verdict: last, isAlive: false };
  return (await answerAlone(workflows, stored, file)) ?? { verdict: undefined, isAlive: false };
}

/**
 * The answer that is possible without a host; null: none. Throws if the run cannot follow the
 * command.
 */
async function answerAlone(
  workflows: WorkflowServices,
  stored: StoredRun,
  file: RunControlFile,
): Promise<Answer | null> {
  await refuseImpossible(stored, file);
  const isDone = file.verb === 'cancel' && (await isCancelled(workflows, stored, file));
  return isDone ? { verdict: { refusal: null }, isAlive: false } : null;
}

/** False: the run has a host after all, or its workspace is gone, so that it cannot have one. */
async function isCancelled(
  workflows: WorkflowServices,
  stored: StoredRun,
  file: RunControlFile,
): Promise<boolean> {
  try {
    await workflows.cancel(stored, file);
    return true;
  } catch (error) {
    if (error instanceof MailroomError && (error.code === 'E_LOCKED' || error.code === 'E_WORKSPACE'))
      return false;
    throw error;
  }
}

/** Throws if the run cannot follow the command: without a host's verdict, its state decides. */
export async function refuseImpossible(run: StoredRun, file: RunControlFile): Promise<void> {
  const { refusal } = await import('../workflow/machine/commands.ts');
  const { compile } = await import('../workflow/machine/rules.ts');
  const reason = refusal(run.state(), compile(run.definition), file);
  if (reason !== null) throw new MailroomError(reason.code, reason.text);
}

function later(isAlive: boolean, run: string): string {
  return isAlive
    ? 'recorded; its host has not taken it yet'
    : `recorded, takes effect at the next \`mailroom resume ${run}\``;
}

export function fileOf(context: Context, wish: RunCommandInput, instructions: string | null): RunControlFile {
  const { verb, path, choice = null, comment = null, fields = {}, by = caller(context) } = wish;
  const id = context.place().newId();
  return { id, at: context.terminal.now(), by, verb, path, choice, comment, fields, instructions };
}
