import { basename } from 'node:path';
import { MailroomError, messageOf } from '../kernel/errors.ts';
import type { ThreadId } from '../kernel/ids.ts';
import { checkoutOwner } from '../kernel/work.ts';
import { readContent } from '../disk/contents.ts';
import { join, temporaryFolder } from '../disk/disk.ts';
import type { Disk } from '../disk/disk.ts';
import type { Worktrees } from '../git/worktrees.ts';
import { take } from '../host/lock.ts';
import { runFolder } from '../host/run-mail.ts';
import { parseMessage } from '../mail/format/read-message.ts';
import { turnsFolder } from '../mail/mailboxes/turn-folders.ts';
import { isStep } from '../mail/machine/step.ts';
import type { MailState } from '../mail/machine/state.ts';
import { isOver } from '../workflow/files/ended.ts';
import { runHolder, runLockFile } from '../workflow/files/layout.ts';
import { listRuns, readRun } from '../workflow/files/run-folders.ts';
import { readTriggers, rememberedWorkflows } from '../workflow/triggers/memory-files.ts';

export const prunedKinds = ['turns', 'runs', 'worktrees'] as const;
export type PrunedKind = (typeof prunedKinds)[number];

/** Something old that is not needed any more, or with the reason why it stays. */
export interface Prunable {
  readonly kind: PrunedKind;
  readonly id: string;
  /** When it last changed, in milliseconds since 1970. */
  readonly since: number;
  readonly bytes: number;
  /** Null: it can be removed. */
  readonly kept: string | null;
}

/** What is known of the project when it is pruned. */
export interface PruneContext {
  readonly state: MailState;
  /** Only what has not changed since then, in milliseconds since 1970. */
  readonly before: number;
  readonly worktrees: Pick<Worktrees, 'list' | 'remove'>;
}

/** The old turns, runs and checkouts of threads, of these kinds. Changes nothing. */
export async function listPrunable(
  disk: Disk,
  kinds: readonly PrunedKind[],
  context: PruneContext,
): Promise<Prunable[]> {
  const found = [
    ...(kinds.includes('turns') ? turnsOf(disk, context) : []),
    ...(kinds.includes('runs') ? runsOf(disk, context) : []),
    ...(kinds.includes('worktrees') ? await worktreesOf(disk, context) : []),
  ];
  return found.filter(({ since }) => since < context.before);
}

/**
 * Removes one of them. A folder is first moved away by one rename, so that it is there whole or not
 * at all; what a crash leaves in the temporary folder is removed by the next start. Throws
 * `E_LOCKED` where a process works on the run.
 */
export async function prune(disk: Disk, { kind, id }: Prunable, context: PruneContext): Promise<void> {
  if (kind === 'worktrees') {
    const owner = checkoutOwner(id);
    return context.worktrees.remove(owner, `Thread ${owner.thread}`);
  }
  if (kind === 'turns') return removeWhole(disk, join(turnsFolder, id));
  const taken = () => new MailroomError('E_LOCKED', `another process works on the run ${id}`);
  const lock = await take(disk, runLockFile(id), runHolder(id), taken);
  try {
    // Resumed between the listing and the lock.
    if (isOver(disk, id) !== true) throw new MailroomError('E_REFUSED', `the run ${id} was resumed`);
    removeWhole(disk, runFolder(id));
  } finally {
    await lock.release();
  }
}

function removeWhole(disk: Disk, folder: string): void {
  const aside = join(temporaryFolder, `pruned-${folder.replaceAll('/', '-')}`);
  disk.makeFolder(temporaryFolder);
  disk.remove(aside);
  if (disk.rename(folder, aside) === 'moved') disk.remove(aside);
}

function turnsOf(disk: Disk, { state }: PruneContext): Prunable[] {
  return foldersIn(disk, turnsFolder).map((id) => {
    const { bytes, since } = sizeOf(disk, join(turnsFolder, id));
    const open = threadsOf(disk, id).find((thread) => state.threads.get(thread)?.state === 'open');
    const kept = state.turns.has(id)
      ? 'it has not ended'
      : open === undefined
        ? null
        : `its thread ${open} is open`;
    return { kind: 'turns', id, since, bytes, kept };
  });
}

/** The threads of the messages that a turn picked up, by their copies. */
function threadsOf(disk: Disk, turn: string): ThreadId[] {
  const folder = join(turnsFolder, turn);
  return foldersIn(disk, folder).flatMap((attempt) => {
    const copies = join(join(folder, attempt), 'messages');
    return (disk.list(copies) ?? []).flatMap((name) => {
      const content = readContent(disk, join(copies, name));
      const message = content !== 'gone' && content.ok ? parseMessage(content.text, name) : null;
      return message?.ok === true ? (message.value.thread ?? []) : [];
    });
  });
}

function runsOf(disk: Disk, { state }: PruneContext): Prunable[] {
  const remembered = runsOfTriggers(disk);
  const steps = [...state.mail.values()].filter(
    ({ message }) => isStep(message) && state.threads.get(message.thread)?.state === 'open',
  );
  const asked = new Set(steps.map(({ message }) => message.fields['run']));
  return listRuns(disk).map(({ run }) => {
    const { bytes, since } = sizeOf(disk, runFolder(run));
    const kept =
      isOver(disk, run) !== true
        ? 'it has not ended'
        : remembered.has(run)
          ? 'a trigger refers to it'
          : asked.has(run)
            ? 'a role works on a step of it'
            : whyKept(disk, run);
    return { kind: 'runs', id: run, since, bytes, kept };
  });
}

/**
 * The runs that a trigger has started last or is about to start: without its folder, one would
 * start again.
 */
function runsOfTriggers(disk: Disk): ReadonlySet<string> {
  const ids = rememberedWorkflows(disk).flatMap((workflow) => {
    const { going, triggers } = readTriggers(disk, workflow);
    const others = Object.values(triggers).flatMap(({ waiting, last }) => [waiting?.run, last]);
    return [going?.run, ...others];
  });
  return new Set(ids.flatMap((id) => id ?? []));
}

function whyKept(disk: Disk, run: string): string | null {
  try {
    return readRun(disk, run)?.definition.byEvents === true ? 'signed events refer to it' : null;
  } catch (error) {
    return messageOf(error);
  }
}

async function worktreesOf(disk: Disk, { state, worktrees }: PruneContext): Promise<Prunable[]> {
  const all = await worktrees.list();
  return all.flatMap(({ thread, path, uncommitted }): Prunable[] => {
    if (path === null) return [];
    const { bytes, since } = sizeOf(disk, path);
    const kept =
      state.threads.get(thread)?.state === 'open'
        ? 'its thread is open'
        : disk.look(runFolder(thread)) !== null && isOver(disk, thread) !== true
          ? 'its run has not ended'
          : uncommitted === 0
            ? null
            : `${uncommitted === null ? 'some' : String(uncommitted)} of its files are not committed`;
    return [{ kind: 'worktrees', id: basename(path), since, bytes, kept }];
  });
}

function foldersIn(disk: Disk, folder: string): string[] {
  const names = disk.look(folder)?.kind === 'folder' ? (disk.list(folder) ?? []) : [];
  return names.filter((name) => disk.look(join(folder, name))?.kind === 'folder').toSorted();
}

/** The size of everything below a path, and its latest change. Links are not followed. */
function sizeOf(disk: Disk, path: string): { readonly bytes: number; readonly since: number } {
  const look = disk.look(path);
  if (look === null) return { bytes: 0, since: 0 };
  if (look.kind !== 'folder') return { bytes: look.size, since: look.mtimeMs };
  const inner = (disk.list(path) ?? []).map((name) => sizeOf(disk, join(path, name)));
  return {
    bytes: inner.reduce((sum, { bytes }) => sum + bytes, 0),
    since: inner.reduce((latest, { since }) => Math.max(latest, since), look.mtimeMs),
  };
}
