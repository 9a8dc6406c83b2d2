import { basename } from 'node:path';
import { MailroomError } from '../../kernel/errors.ts';
import { endOfId } from '../../kernel/ids.ts';
import { stemOf } from '../../project/definition/find-workflow.ts';
import type { RunCard } from '../../letters/letters.ts';

type Started = Pick<RunCard, 'run' | 'workflow' | 'source'>;

/**
 * The error where a word names a workflow instead of one of its runs; null: no run is of such a
 * workflow. `runs`: newest first.
 */
export function workflowForRun(word: string, runs: readonly Started[]): MailroomError | null {
  const newest = runs.find((run) => namesOf(run).includes(word));
  if (newest === undefined) return null;
  return expectedRun(word, `its newest run is \`${endOfId(newest.run)}\`; list all with \`mailroom runs\``);
}

/** The same where the workflow has no runs. */
export function workflowWithoutRuns(word: string): MailroomError {
  return expectedRun(word, `it has no runs yet; start one with \`mailroom run ${word}\``);
}

/** The error where a word names no run. */
export function noRun(word: string): MailroomError {
  return new MailroomError('E_TARGET', `there is no run \`${word}\``, '`mailroom runs` lists them');
}

/** The error where a word names a step without its run. */
export function expectedStep(word: string, run: string): MailroomError {
  const end = endOfId(run);
  return new MailroomError(
    'E_TARGET',
    `\`${word}\` is a step of the run ${end}; expected \`<run>/<step>\``,
    `for that run: \`mailroom why ${end}/${word}\``,
  );
}

function expectedRun(word: string, hint: string): MailroomError {
  return new MailroomError('E_TARGET', `\`${word}\` is a workflow; expected one of its runs`, hint);
}

function namesOf({ workflow, source }: Started): string[] {
  if (source === null) return [workflow];
  const stem = stemOf(source);
  return [workflow, source, stem, basename(stem)];
}
