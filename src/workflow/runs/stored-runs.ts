import { join } from 'node:path';
import type { Disk } from '../../disk/disk.ts';
import { openRoot } from '../../disk/roots.ts';
import { runFolder } from '../../host/run-mail.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { Moment } from '../../kernel/times.ts';
import { ContextFolder } from '../files/context.ts';
import { whereItLies, contextPlaceOf } from '../files/context-holder.ts';
import { stepLogs } from '../files/logs.ts';
import { listRuns, readRun, runReader } from '../files/run-folders.ts';
import { pendingCommands } from '../host/commands.ts';
import { hostedRuns, type HostedRun } from '../host/hosted-runs.ts';
import { isAlive } from '../host/locks.ts';
import { runHistory, runState } from '../host/run-state.ts';
import { verdictIn } from '../machine/commands.ts';
import type { RunFolder } from '../machine/run-folder.ts';
import type { RunState, StepRun } from '../machine/state.ts';
import type { FoldedRuns } from './folded-runs.ts';
import { aboutRun, namedIn } from './targets.ts';
import type { ArtifactFiles, StoredRun } from '../../project/definition/contracts.ts';
import { noRun, workflowForRun } from './workflow-for-run.ts';

/**
 * Null also for a run that does not wait. Throws `E_TARGET` with the list when several runs fit.
 */
export function findWaiting(disk: Disk, word: string): HostedRun | null {
  const waiting = hostedRuns(disk).filter(({ waits }) => waits !== null);
  const runs = waiting.map(({ card }) => aboutRun(card));
  const named = namedIn(word, { roles: [], turns: [], threads: [], messages: [], runs }, ['run']);
  return waiting.find(({ card }) => card.run === named?.run) ?? null;
}

/** It names one run, so the others need not be read. */
const wholeId = /^[\da-f]{8}-[\da-f-]{27}$/;

/** Throws `E_TARGET` with the list when several runs fit. */
export function findRun(disk: Disk, folded: FoldedRuns, word: string): StoredRun | null {
  const exact = wholeId.test(word) ? readRun(disk, word) : null;
  if (exact !== null) return opened(disk, folded, exact);
  const runs = listRuns(disk).map(aboutRun);
  const named = namedIn(word, { roles: [], turns: [], threads: [], messages: [], runs }, ['run']);
  return named?.kind === 'run' ? openRun(disk, folded, named.run) : null;
}

export function expectRun(disk: Disk, folded: FoldedRuns, word: string): StoredRun {
  const found = findRun(disk, folded, word);
  if (found !== null) return found;
  const ofWorkflow = workflowForRun(word, listRuns(disk));
  if (ofWorkflow !== null) throw ofWorkflow;
  const shown = recordsOf(disk, word);
  if (shown === undefined) throw noRun(word);
  throw new MailroomError(
    'E_TARGET',
    `the journal of the run ${shown.run} is gone: ${shown.folder} only shows what it was`,
    'start the workflow again; a run cannot be resumed without its folder in .mailroom/runs/',
  );
}

/** The records of a run that a language keeps in a folder such as `.language/runs`. */
function recordsOf(disk: Disk, word: string): { readonly run: string; readonly folder: string } | undefined {
  const isFolder = (path: string) => disk.look(path)?.kind === 'folder';
  const names = (disk.list('') ?? []).filter((name) => name.startsWith('.') && name !== '.mailroom');
  return names
    .filter((name) => isFolder(name) && isFolder(`${name}/runs`))
    .map((name) => `${name}/runs`)
    .flatMap((runs) => (disk.list(runs) ?? []).map((run) => ({ run, folder: `${runs}/${run}` })))
    .find(({ run }) => run.startsWith(word) || run.endsWith(word));
}

function openRun(disk: Disk, folded: FoldedRuns, id: string): StoredRun {
  const stored = readRun(disk, id);
  if (stored === null) throw new MailroomError('E_TARGET', `there is no run \`${id}\``);
  return opened(disk, folded, stored);
}

function opened(disk: Disk, folded: FoldedRuns, stored: NonNullable<ReturnType<typeof readRun>>): StoredRun {
  const { card, run, definition, text, workspace } = stored;
  const state = (moment: Moment | null = null) =>
    moment === null ? folded.state(run) : runState(disk, run, moment);
  return {
    run,
    card,
    definition,
    text,
    workspace,
    folder: join(disk.root, runFolder(run)),
    state,
    history: () => runHistory(disk, run),
    logs: () => stepLogs(disk, run),
    alive: () => isAlive(disk, run),
    artifact: (step, name) => artifactOf(disk, stored, state(), step, name),
    pending: () => pendingCommands(disk, run),
  };
}

/**
 * The artifact of a step; null: it has none of this name. A step in a sequence is that of its last
 * visit, unless its path names one. Creates nothing. Throws `E_PATH` where a link leads out of the
 * folder.
 */
function artifactOf(
  project: Disk,
  run: RunFolder,
  state: RunState,
  step: string,
  name: string,
): ArtifactFiles | null {
  const made = visitOf(state, step);
  if (made === undefined || !made.artifacts.some((each) => each.name === name)) return null;
  const disk = openRoot(contextPlaceOf(project, openRoot, whereItLies(project, openRoot, run)));
  const survey = disk && new ContextFolder(disk, run.definition).survey(made.path, name);
  if (disk === null || survey === null) return null;
  const byPath = new Map(survey.files.map((file) => [file.to, file]));
  return {
    files: new Map(survey.files.map(({ to, size }) => [to, size])),
    read: (file, from, most) => {
      const found = byPath.get(file);
      return found === undefined ? null : disk.readItself(found.from, most, from);
    },
  };
}

function visitOf({ steps }: RunState, step: string): StepRun | undefined {
  if (step.includes('#')) return steps.get(step);
  return [...steps.values()].findLast(({ path }) => path.replaceAll(/#\d+/g, '') === step);
}

export function verdictOf(disk: Disk, run: string, id: string): { refusal: string | null } | undefined {
  for (const { event } of runReader(disk, run).read().records) {
    const verdict = verdictIn(event);
    if (verdict?.id === id) return { refusal: verdict.refusal?.text ?? null };
  }
  return undefined;
}
