import { MailroomError } from '../../kernel/errors.ts';
import { choiceOf, refusal } from '../machine/commands.ts';
import { compile } from '../machine/rules.ts';
import type { RunControlFile } from '../host/commands.ts';
import { patience, waitFor } from './waiting.ts';
import type { HostedRun } from '../host/hosted-runs.ts';
import type { StoredRun } from '../../project/definition/contracts.ts';
import { isAnswer } from './run-status.ts';
import type { Workflows } from './workflows.ts';
import type { RunVerdict } from '../../documents/runs.ts';

/** What a command needs to reach a run. */
interface RunPlace {
  readonly workflows: Workflows;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Sends the host of a run a command and waits for its verdict. A run without a host is cancelled
 * here; other commands wait for its `resume`. Throws `E_REFUSED`.
 */
export async function askRun(place: RunPlace, stored: StoredRun, file: RunControlFile): Promise<RunVerdict> {
  const { verb, path } = file;
  const { run } = stored;
  const { verdict, isAlive } = await answerOf(place, stored, file);
  if (verdict !== undefined && verdict.refusal !== null)
    throw new MailroomError('E_REFUSED', `${nameOf(run, file)}: ${verdict.refusal}`);
  return { schema: 1, state: verdict === undefined ? 'recorded' : 'done', verb, run, path, host: isAlive };
}

/**
 * Cancels a run that waits for another one, and has not begun: its process ends the wait, begins it
 * and ends it at once, without a step.
 */
export async function cancelWaiting(
  { workflows, now }: RunPlace,
  { card: { run } }: HostedRun,
  file: RunControlFile,
): Promise<RunVerdict> {
  workflows.request(run, file);
  const changed = (milliseconds: number) => workflows.changed(run, milliseconds);
  const verdict = await waitFor({ changed }, now, patience, () => workflows.verdict(run, file.id));
  const state = verdict === undefined ? 'recorded' : 'done';
  return { schema: 1, state, verb: file.verb, run, path: file.path, host: true };
}

/** `approve 0190… review`. */
export function nameOf(run: string, { verb, path }: Pick<RunControlFile, 'verb' | 'path'>): string {
  return [verb, run, path].filter((word) => word !== '').join(' ');
}

interface Answer {
  /** Undefined: no verdict yet. */
  readonly verdict: { readonly refusal: string | null } | undefined;
  readonly isAlive: boolean;
}

async function answerOf(
  { workflows, now }: RunPlace,
  stored: StoredRun,
  file: RunControlFile,
): Promise<Answer> {
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
  const verdict = await waitFor({ changed }, now, patience, () => {
    return workflows.verdict(run, file.id) ?? (isAlive ? undefined : null);
  });
  if (verdict !== null) return { verdict, isAlive: true };
  // Its last host may have given the verdict just before it ended.
  const last = workflows.verdict(run, file.id);
  if (last !== undefined) return { verdict: last, isAlive: false };
  try {
    return (await answerAlone(workflows, stored, file)) ?? { verdict: undefined, isAlive: false };
  } catch (error) {
    // A later host must not follow what is refused now.
    workflows.withdraw(run, file.id);
    throw error;
  }
}

/**
 * The answer that is possible without a host; null: none. Throws if the run cannot follow the
 * command.
 */
async function answerAlone(
  workflows: Workflows,
  stored: StoredRun,
  file: RunControlFile,
): Promise<Answer | null> {
  refuseImpossible(stored, file);
  if (isAnswer(file)) refuseLater(workflows, stored, file);
  const isDone = file.verb === 'cancel' && (await isCancelled(workflows, stored, file));
  return isDone ? { verdict: { refusal: null }, isAlive: false } : null;
}

/** The first answer that waits for the next host is the one that counts. */
function refuseLater(workflows: Workflows, { run }: StoredRun, { id, path }: RunControlFile): void {
  for (const each of workflows.pending(run)) {
    if (each.id === id) return;
    if (each.path !== path || !isAnswer(each)) continue;
    const text = `${each.by} has said \`${choiceOf(each)}\` to ${path} already; it takes effect when the run is resumed`;
    throw new MailroomError('E_REFUSED', text);
  }
}

/** False: the run has a host after all, or its workspace is gone, so that it cannot have one. */
async function isCancelled(workflows: Workflows, stored: StoredRun, file: RunControlFile): Promise<boolean> {
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
export function refuseImpossible(run: StoredRun, file: RunControlFile): void {
  const reason = refusal(run.state(), compile(run.definition), file);
  if (reason !== null) throw new MailroomError(reason.code, reason.text);
}
