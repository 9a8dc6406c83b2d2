import { relative } from 'node:path';
import type { FoundWorkflow } from '../cli/run-services.ts';
import { MailroomError } from '../core/errors.ts';
import type { RealDisk } from '../store/real-disk.ts';
import { readConfirmed, writeConfirmed } from '../store/runs/confirmed.ts';

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
