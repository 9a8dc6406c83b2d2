import { MailroomError } from '../../kernel/errors.ts';
import type { RunEvent } from '../machine/event.ts';
import type { Workflow } from '../model.ts';
import { readRunCard, type RunCard } from '../../letters/letters.ts';
import { kindWords, readContent } from '../../disk/contents.ts';
import { join } from '../../disk/disk.ts';
import type { Disk } from '../../disk/disk.ts';
import { journalPlaces, listJournal, segmentName } from '../../disk/journal-files.ts';
import { formatLine, newline, openLine } from '../../disk/journal-lines.ts';
import { JournalReader } from '../../disk/journal-reader.ts';
import { runFolder, runsFolder } from '../../host/run-mail.ts';
import type { RunFolder } from '../machine/run-folder.ts';

export type { RunCard };

/** A run with the definition it was started with. */
export interface StoredRun extends RunFolder {
  readonly card: RunCard;
  /** Of the file that defines it; null: no file does. */
  readonly text: string | null;
}

/** What is stored of a definition: as it runs, and as its author wrote it. */
interface StoredDefinition {
  readonly workflow: Workflow;
  readonly text: string | null;
}

/**
 * Makes the folder of a run, durable before it returns. The run exists once its journal has its
 * first event. Throws `E_TARGET` when the run exists.
 */
export function createRun(
  disk: Disk,
  card: RunCard,
  definition: Workflow,
  text: string | null = null,
): StoredRun {
  const folder = runFolder(card.run);
  if (hasBegun(disk, card.run)) throw new MailroomError('E_TARGET', `there is a run ${card.run} already`);
  for (const name of ['control', 'inbox', 'logs']) disk.makeFolder(join(folder, name));
  replaceDefinition(disk, card.run, { workflow: definition, text });
  disk.write(cardFile(card.run), `${JSON.stringify(card, null, 2)}\n`, { sync: true });
  return { card, run: card.run, definition, text, workspace: card.workspace };
}

/** Removes what lies in the folder of a run that was not created. */
export function discardUncreated(disk: Disk, run: string): void {
  if (disk.look(cardFile(run)) === null) disk.remove(runFolder(run));
}

/**
 * Replaces the definition of a run by an edited one. Like a record, it is valid only with its
 * checksum.
 */
export function replaceDefinition(disk: Disk, run: string, definition: StoredDefinition): void {
  disk.write(definitionFile(run), formatLine(JSON.stringify(definition)), { sync: true });
}

/** What `replaceDefinition` replaces. */
export function definitionFile(run: string): string {
  return join(runFolder(run), 'definition');
}

function cardFile(run: string): string {
  return join(runFolder(run), 'run.json');
}

/**
 * The stored run; null: it does not exist. Throws `E_JOURNAL` when its card or definition is
 * missing or damaged.
 */
export function readRun(disk: Disk, run: string): StoredRun | null {
  const card = readCard(disk, run);
  if (card === null || !hasBegun(disk, run)) return null;
  if (card === 'damaged') throw damaged(cardFile(run));
  const bytes = disk.read(definitionFile(run), Number.MAX_SAFE_INTEGER);
  const json = bytes === null ? null : openLine(bytes.subarray(0, -1));
  if (json === null) throw damaged(definitionFile(run));
  const { workflow, text } = JSON.parse(json) as StoredDefinition;
  return { card, run, definition: workflow, text, workspace: card.workspace };
}

/**
 * Every run that exists or may exist, newest first. If a card is damaged only the name is valid:
 * `readRun` throws its problem.
 */
export function listRuns(disk: Disk): RunCard[] {
  if (runsProblem(disk) !== null) return [];
  return (disk.list(runsFolder) ?? [])
    .flatMap((run) => {
      const card = readCard(disk, run);
      return card === 'damaged' ? { ...unknown, run } : (card ?? []);
    })
    .filter(({ run }) => mayHaveBegun(disk, run))
    .toSorted((a, b) => b.startedAt - a.startedAt || (a.run < b.run ? 1 : -1));
}

/** Why there can be no runs; null: the folder for them is missing, or a folder. */
export function runsProblem(disk: Disk): string | null {
  const kind = disk.look(runsFolder)?.kind ?? 'folder';
  return kind === 'folder' ? null : `${runsFolder} is ${kindWords[kind]}, not a folder`;
}

/** The journal of a run for all other readers. */
export function runReader(disk: Disk, run: string): JournalReader<RunEvent> {
  return new JournalReader<RunEvent>(disk, runFolder(run));
}

/** The folder for commands to a run. */
export function runControlFolder(run: string): string {
  return join(runFolder(run), 'control');
}

/** False only when certain: an unreadable journal counts as begun. */
function mayHaveBegun(disk: Disk, run: string): boolean {
  try {
    return hasBegun(disk, run);
  } catch (error) {
    if (error instanceof MailroomError && error.code === 'E_DISK') return true;
    throw error;
  }
}

/** Whether the journal has a complete first event. */
function hasBegun(disk: Disk, run: string): boolean {
  const { folder } = journalPlaces(runFolder(run));
  const { segments, snapshots } = listJournal(disk, folder);
  if (snapshots.length > 0 || segments.length > 1) return true;
  const [first] = segments;
  if (first === undefined) return false;
  const path = join(folder, segmentName(first));
  for (let at = 0; ;) {
    const bytes = disk.read(path, 4_096, at);
    if (bytes === null || bytes.length === 0) return false;
    if (bytes.includes(newline)) return true;
    at += bytes.length;
  }
}

const unknown = {
  workflow: '',
  workspace: '',
  source: null,
  startedBy: 'person',
  person: null,
  startedAt: 0,
} as const;

/** The card of a run that exists, or may begin; null: it does not, or its card is damaged. */
export function cardOf(disk: Disk, run: string): RunCard | null {
  const card = readCard(disk, run);
  return card === 'damaged' ? null : card;
}

/** Null: there is no run folder of this name. */
function readCard(disk: Disk, run: string): RunCard | 'damaged' | null {
  const folder = runFolder(run);
  if (!/^[\w-]{1,100}$/.test(run) || disk.look(folder)?.kind !== 'folder') return null;
  const content = readContent(disk, cardFile(run), 1_000_000);
  const card = content !== 'gone' && content.ok ? readRunCard(content.text) : null;
  return card?.ok === true && card.value.run === run ? card.value : 'damaged';
}

function damaged(path: string): MailroomError {
  return new MailroomError('E_JOURNAL', `${path} is missing or damaged`, 'start a new run');
}
