import { createHash } from 'node:crypto';
import type { Workflow } from '../model.ts';
import { summaryFile } from '../reserved.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { lockNames } from '../../kernel/lock-names.ts';
import { readContextHolderFile } from '../../letters/letters.ts';
import { readContent } from '../../disk/contents.ts';
import { join, temporaryEnding } from '../../disk/disk.ts';
import type { Disk } from '../../disk/disk.ts';
import { putFolder } from './copy.ts';
import { ownContextFolder } from './layout.ts';
import { plainPath, realPath } from './paths.ts';
import { readRun, type StoredRun } from './run-folders.ts';
import { surveyFolder } from './survey.ts';
import type { OpenRoot } from '../../disk/roots.ts';
import { ignoreFolder } from '../../host/project-folder.ts';
import { runFolder } from '../../host/run-mail.ts';
import type { RunFolder } from '../machine/run-folder.ts';

/**
 * The absolute path of a run's context folder in this workspace, without links, created if missing:
 * then git ignores it, whatever the repository ignores. Throws `E_WORKSPACE`, and `E_PATH` when it
 * would lie outside the workspace.
 */
export function makeContextFolder(
  open: OpenRoot,
  workspace: string,
  { contextDir }: Pick<Workflow, 'contextDir'>,
): string {
  const { disk, folder } = contextIn(open, workspace, { contextDir });
  disk.makeFolder(folder);
  // A crash may have left it empty. In a folder of the person's own, files may be tracked.
  const isOurs = folder !== '' && (disk.list(folder) ?? []).every((name) => name.endsWith(temporaryEnding));
  if (isOurs) ignoreFolder(disk, folder);
  return absolute(disk, folder);
}

function contextIn(open: OpenRoot, workspace: string, { contextDir }: Pick<Workflow, 'contextDir'>) {
  const disk = open(workspace);
  if (disk === null)
    throw new MailroomError('E_WORKSPACE', `there is no folder ${workspace} to work in`, 'make it first');
  return { disk, folder: realPath(disk, plainPath(contextDir ?? '.')) };
}

function absolute({ root }: Disk, folder: string): string {
  return folder === '' ? root : `${root}/${folder}`;
}

/** The absolute path of the folder for a run's artifacts, created if missing. */
export function contextFolderOf(project: Disk, open: OpenRoot, folder: RunFolder): string {
  const place = contextPlaceOf(project, open, folder);
  const { definition, workspace } = folder;
  if ((folder.context ?? definition.contextAt) === undefined && definition.contextDir !== null)
    return makeContextFolder(open, workspace, definition);
  project.makeFolder(place.slice(project.root.length + 1));
  return place;
}

/** The absolute path of the folder for a run's artifacts, which may be missing. */
export function contextPlaceOf(project: Disk, open: OpenRoot, folder: RunFolder): string {
  const { run, workspace, definition } = folder;
  const given = folder.context ?? definition.contextAt;
  if (given !== undefined) return given;
  if (definition.contextDir === null) return `${project.root}/${ownContextFolder(run)}`;
  const { disk, folder: below } = contextIn(open, workspace, definition);
  return absolute(disk, below);
}

/**
 * Creates the context folder of a run that shows nothing in its workspace, below the run's folder.
 */
export function makeOwnContext(project: Disk, run: string): string {
  const folder = ownContextFolder(run);
  project.makeFolder(folder);
  return `${project.root}/${folder}`;
}

/** The folder (absolute) for a run's artifacts while another run uses its context folder. */
export function contextBeside(project: Disk, run: string): string {
  return `${project.root}/${join(runFolder(run), 'context')}`;
}

/** The lock files of the places for runs of a workflow; empty: any number may be in progress. */
export function placeFiles({ definition, workspace }: RunFolder, source: string | null): string[] {
  const { runs, name } = definition;
  return Array.from({ length: runs?.most ?? 0 }, (_, index) =>
    contextLockFile([workspace, source ?? name, String(index)].join('\n')),
  );
}

/** The lock file of a context folder (absolute) while a run uses it. */
export function contextLockFile(folder: string): string {
  return join(lockNames.folder, nameOf(folder));
}

function nameOf(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 32);
}

const contextsFolder = '.mailroom/contexts';

/** The run whose artifacts a context folder contains. */
interface ContextHolder {
  readonly run: string;
  /** False: some of them are still in the run's folder. */
  readonly restored: boolean;
}

/** The holder of a context folder; null: no run has used the folder yet. */
export function readContextHolder(project: Disk, folder: string): ContextHolder | null {
  const content = readContent(project, contextHolderFile(folder), 10_000);
  const read = content !== 'gone' && content.ok ? readContextHolderFile(content.text) : null;
  return read?.ok === true ? read.value : null;
}

/**
 * Gives a context folder (absolute, locked) to this run: moves another run's artifacts to
 * `.mailroom/runs/<that run>/context/`, and this run's own back. Entries with the name of a step
 * and without an owner move to `.mailroom/runs/<run>/found/`; others stay. Safe to repeat after a
 * crash at any point.
 */
export function takeContext(
  project: Disk,
  open: OpenRoot,
  folder: string,
  run: string,
  definition: Workflow,
): void {
  const disk = open(folder);
  if (disk === null) throw new MailroomError('E_WORKSPACE', `the folder ${folder} vanished`);
  removeLeftovers(disk);
  if (definition.contextDir === null || definition.contextAt !== undefined) return;
  const holder = readContextHolder(project, folder);
  if (holder?.run === run && holder.restored) return;
  const place = { disk, below: insideOf(project, folder) };
  if (holder?.run !== run) {
    const before = holder === null ? null : readEarlier(project, holder.run);
    if (before !== null)
      moveEntries(project, place, topNames(before.definition), join(runFolder(before.run), 'context'));
    moveEntries(project, place, topNames(definition), join(runFolder(run), 'found'));
    writeHolder(project, folder, { run, restored: false });
  }
  restore(project, place, join(runFolder(run), 'context'));
  writeHolder(project, folder, { run, restored: true });
}

/**
 * Null also where its files are damaged: its artifacts are then unknown, and it can never be
 * resumed.
 */
function readEarlier(project: Disk, run: string): StoredRun | null {
  try {
    return readRun(project, run);
  } catch (error) {
    if (error instanceof MailroomError && error.code === 'E_JOURNAL') return null;
    throw error;
  }
}

/**
 * The same run with the current place of its artifacts: the context folder or, when another run
 * uses that, the run's folder. Moves and creates nothing.
 */
export function whereItLies<T extends RunFolder>(project: Disk, open: OpenRoot, folder: T): T {
  const { run, definition } = folder;
  if (definition.contextDir === null || definition.contextAt !== undefined) return folder;
  const holder = readContextHolder(project, contextPlaceOf(project, open, folder));
  if (holder === null || holder.run === run) return folder;
  return { ...folder, context: contextBeside(project, run) };
}

interface ContextPlace {
  readonly disk: Disk;
  /** The folder as a path of the project; null: it is outside. */
  readonly below: string | null;
}

function moveEntries(
  project: Disk,
  context: ContextPlace,
  isOurs: (name: string) => boolean,
  to: string,
): void {
  for (const name of context.disk.list('') ?? []) {
    if (!isOurs(name)) continue;
    const target = join(to, name);
    project.remove(target);
    if (context.below !== null) project.rename(pathBelow(context.below, name), target);
    else move(context.disk, name, project, to, name);
  }
}

function restore(project: Disk, context: ContextPlace, from: string): void {
  for (const name of project.list(from) ?? []) {
    if (name.startsWith('.')) continue;
    context.disk.remove(name);
    if (context.below !== null) project.rename(join(from, name), pathBelow(context.below, name));
    else move(project, join(from, name), context.disk, '', name);
  }
  project.remove(from);
}

/**
 * Copies from one root to another, then removes the original. Links are left behind: runs never
 * create them.
 */
function move(source: Disk, from: string, target: Disk, folder: string, name: string): void {
  const kind = source.look(from)?.kind;
  if (kind === 'folder') {
    const survey = surveyFolder(source, from, (path) => source.look(path)?.kind === 'link');
    putFolder(source, survey, target, folder, name);
  } else if (kind === 'file') {
    const bytes = source.read(from, Number.MAX_SAFE_INTEGER);
    if (bytes !== null) target.write(folder === '' ? name : join(folder, name), bytes);
  }
  source.remove(from);
}

/** Matches the names that a run of this definition has at the top of its context folder. */
function topNames(definition: Workflow): (name: string) => boolean {
  const names = new Set(definition.body.steps.map(({ id }) => id));
  return (name) => name === summaryFile || names.has(name.replace(/#\d+$/, ''));
}

function insideOf(project: Disk, folder: string): string | null {
  return folder.startsWith(`${project.root}/`) ? folder.slice(project.root.length + 1) : null;
}

function pathBelow(folder: string, name: string): string {
  return `${folder}/${name}`;
}

/** The file that names the run using a context folder (absolute). */
export function contextHolderFile(folder: string): string {
  return join(contextsFolder, `${nameOf(folder)}.json`);
}

/**
 * Durable: without it a run would take its own artifacts for another run's, and nothing could
 * project them again.
 */
function writeHolder(project: Disk, folder: string, holder: ContextHolder): void {
  project.write(contextHolderFile(folder), `${JSON.stringify({ ...holder, folder })}\n`, { sync: true });
}

/** Removes partial files of a killed program anywhere in a folder that nothing else writes now. */
function removeLeftovers(disk: Disk): void {
  const waiting = [''];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop())
    for (const name of disk.list(folder) ?? []) {
      const path = join(folder, name);
      if (name.startsWith('.') && name.endsWith(temporaryEnding)) disk.remove(path);
      else if (disk.look(path)?.kind === 'folder') waiting.push(path);
    }
}
