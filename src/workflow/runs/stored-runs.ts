import { join } from 'node:path';
import type { Disk } from '../../disk/disk.ts';
import { runFolder } from '../../host/run-mail.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { stepLogs } from '../files/logs.ts';
import { listRuns, readRun, runReader } from '../files/run-folders.ts';
import { pendingCommands } from '../host/commands.ts';
import { hostedRuns, type HostedRun } from '../host/hosted-runs.ts';
import { isAlive } from '../host/locks.ts';
import { runHistory, runState } from '../host/run-state.ts';
import { verdictIn } from '../machine/commands.ts';
import { artifactOf } from './artifacts.ts';
import { aboutRun, namedIn } from './targets.ts';
import type { StoredRun } from '../../project/definition/contracts.ts';
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

/** Throws `E_TARGET` with the list when several runs fit. */
export function findRun(disk: Disk, word: string): StoredRun | null {
  const runs = listRuns(disk).map(aboutRun);
  const named = namedIn(word, { roles: [], turns: [], threads: [], messages: [], runs }, ['run']);
  return named?.kind === 'run' ? openRun(disk, named.run) : null;
}

export function expectRun(disk: Disk, word: string): StoredRun {
  const found = findRun(disk, word);
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

export function openRun(disk: Disk, id: string): StoredRun {
  const stored = readRun(disk, id);
  if (stored === null) throw new MailroomError('E_TARGET', `there is no run \`${id}\``);
  const { card, run, definition, text, workspace } = stored;
  return {
    run,
    card,
    definition,
    text,
    workspace,
    folder: join(disk.root, runFolder(run)),
    state: (moment) => runState(disk, run, moment),
    history: () => runHistory(disk, run),
    logs: () => stepLogs(disk, run),
    alive: () => isAlive(disk, run),
    artifact: (step, name) => artifactOf(disk, stored, runState(disk, run), step, name),
    pending: () => pendingCommands(disk, run),
  };
}

export function verdictOf(disk: Disk, run: string, id: string): { refusal: string | null } | undefined {
  for (const { event } of runReader(disk, run).read().records) {
    const verdict = verdictIn(event);
    if (verdict?.id === id) return { refusal: verdict.refusal?.text ?? null };
  }
  return undefined;
}
