import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import type { FoundWorkflow } from '../runs/services.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { RealDisk } from '../../disk/real-disk.ts';
import type { Disk } from '../../disk/disk.ts';
import type { Start } from '../../letters/triggers-memory.ts';
import { readTriggers, rememberedWorkflows } from '../../workflow/triggers/memory-files.ts';

/**
 * Lets `up` start these workflows in their current form. Returns the paths of those that changed
 * since their confirmation.
 */
export function confirm(disk: RealDisk, found: readonly FoundWorkflow[]): string[] {
  const confirmed = readConfirmed(disk);
  const changed = found.filter((each) => !isConfirmed(disk, confirmed, each));
  for (const { file, fingerprint } of changed) confirmed.set(relative(disk.root, file), fingerprint());
  if (changed.length > 0) writeConfirmed(disk, confirmed);
  return changed.map(({ path }) => path);
}

/** The workflows that changed since their confirmation, by their paths from the project. */
export function unconfirmed(disk: RealDisk, found: readonly FoundWorkflow[]): ReadonlySet<string> {
  const confirmed = readConfirmed(disk);
  const changed = found.filter((each) => !isConfirmed(disk, confirmed, each));
  return new Set(changed.map(({ file }) => relative(disk.root, file)));
}

function isConfirmed(
  { root }: RealDisk,
  confirmed: ReadonlyMap<string, string>,
  { file, fingerprint }: FoundWorkflow,
): boolean {
  return confirmed.get(relative(root, file)) === fingerprint();
}

/** Throws `E_UNCONFIRMED` for a workflow that differs from its confirmed form. */
export function expectConfirmed(disk: RealDisk, found: FoundWorkflow): void {
  if (isConfirmed(disk, readConfirmed(disk), found)) return;
  throw new MailroomError('E_UNCONFIRMED', changedText(relative(disk.root, found.file)));
}

/** Why a running `up` does not start a workflow. `path`: from the project. */
export function changedText(path: string): string {
  return `it has changed since \`up\` started, so it is not started; look at the change, then run \`mailroom reload ${path}\``;
}

/** What a person has said to a run that a trigger asks for, as it was asked for then. */
export function saidTo(disk: Disk, start: Start): 'yes' | 'no' | null {
  const said = readConfirmed(disk).get(startKey(start.run));
  return said === `yes.${startHash(start)}` ? 'yes' : said === `no.${startHash(start)}` ? 'no' : null;
}

/**
 * Lets `up` start a run that a trigger asks for, or refuses that. Returns the workflow; null: no
 * trigger asks for this run. `run`: its id.
 */
export function answerStart(disk: RealDisk, run: string, said: 'yes' | 'no'): string | null {
  const asked = rememberedWorkflows(disk).flatMap((file) =>
    Object.values(readTriggers(disk, file).triggers).flatMap(({ waiting }) =>
      waiting === null ? [] : [{ file, waiting }],
    ),
  );
  const found = asked.find(({ waiting }) => waiting.run === run);
  if (found === undefined) return null;
  const known = new Set(asked.map(({ waiting }) => startKey(waiting.run)));
  const kept = [...readConfirmed(disk)].filter(([key]) => !key.startsWith(startPrefix) || known.has(key));
  writeConfirmed(disk, new Map([...kept, [startKey(run), `${said}.${startHash(found.waiting)}`]]));
  return found.file;
}

/** No file of a workflow begins so. */
const startPrefix = 'run:';

function startKey(run: string): string {
  return `${startPrefix}${run}`;
}

/** A further request of the trigger is another question. */
function startHash(start: Start): string {
  return createHash('sha256').update(JSON.stringify(start)).digest('hex');
}

/** The confirmed workflows, one per line: fingerprint, and path relative to the project. */
const confirmedFile = '.mailroom/confirmed';

/** The fingerprints with which `up` may start workflows, by file, relative to the project. */
export function readConfirmed(disk: Disk): Map<string, string> {
  const text = disk.read(confirmedFile, 16 * 1024 * 1024)?.toString('utf8') ?? '';
  return new Map(
    text.split('\n').flatMap((line) => {
      const [fingerprint = '', name] = line.split('  ');
      const file = name === undefined ? null : decoded(name);
      return file === null ? [] : [[file, fingerprint]];
    }),
  );
}

/** Null: an invalid encoding, which confirms nothing. */
function decoded(name: string): string | null {
  try {
    return decodeURIComponent(name);
  } catch {
    return null;
  }
}

/** Replaces all confirmations. */
function writeConfirmed(disk: Disk, confirmed: ReadonlyMap<string, string>): void {
  const lines = [...confirmed].map(([file, fingerprint]) => `${fingerprint}  ${encodeURIComponent(file)}\n`);
  disk.write(confirmedFile, lines.join(''));
}
