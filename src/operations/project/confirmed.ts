import { relative } from 'node:path';
import type { FoundWorkflow } from '../runs/services.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { RealDisk } from '../../disk/real-disk.ts';
import type { Disk } from '../../disk/disk.ts';

/** Lets `up` start these workflows as they are now. Returns the paths of those that have changed since they were confirmed. */
export function confirm(disk: RealDisk, found: readonly FoundWorkflow[]): string[] {
  const confirmed = readConfirmed(disk);
  const changed = found.filter(
    ({ file, fingerprint }) => confirmed.get(relative(disk.root, file)) !== fingerprint,
  );
  for (const { file, fingerprint } of changed) confirmed.set(relative(disk.root, file), fingerprint);
  if (changed.length > 0) writeConfirmed(disk, confirmed);
  return changed.map(({ path }) => path);
}

/** Throws `E_UNCONFIRMED` for a workflow that is not as a person has confirmed it. */
export function expectConfirmed(disk: RealDisk, { file, fingerprint }: FoundWorkflow): void {
  const path = relative(disk.root, file);
  if (readConfirmed(disk).get(path) === fingerprint) return;
  throw new MailroomError(
    'E_UNCONFIRMED',
    `it has changed since \`up\` started, so it is not started; look at the change, then run \`mailroom reload ${path}\``,
  );
}

/** What was confirmed of workflows: a line for each, its fingerprint and its path from the project. */
const confirmedFile = '.mailroom/confirmed';

/** By file of a workflow, from the project: the fingerprint under which `up` may start it. */
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

/** Null: nobody has encoded it so, and nothing is confirmed by it. */
function decoded(name: string): string | null {
  try {
    return decodeURIComponent(name);
  } catch {
    return null;
  }
}

/** Replaces all that was confirmed. */
export function writeConfirmed(disk: Disk, confirmed: ReadonlyMap<string, string>): void {
  const lines = [...confirmed].map(([file, fingerprint]) => `${fingerprint}  ${encodeURIComponent(file)}\n`);
  disk.write(confirmedFile, lines.join(''));
}
