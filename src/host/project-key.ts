import { randomBytes } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { MailroomError } from '../kernel/errors.ts';
import type { Disk } from '../disk/disk.ts';

/** Relative to the project. No sandbox shows it. */
export const keyFile = '.mailroom/nostr.key';
const pattern = /^[0-9a-f]{64}\n?$/;

/** The project's own secrets to mask everywhere: its key, if it has one. */
export function secretsOfProject(disk: Pick<Disk, 'read'>): string[] {
  const text = disk.read(keyFile, 1_024)?.toString('utf8').trim() ?? '';
  return text === '' ? [] : [text];
}

/**
 * The secret key of the project, 64 hexadecimal digits; created, readable only by its owner, if
 * missing. Throws `E_FILE` when others could have read it.
 */
export function projectKey(disk: Pick<Disk, 'root' | 'read' | 'write'>): string {
  const bytes = disk.read(keyFile, 1_024);
  if (bytes === null) {
    const key = randomBytes(32).toString('hex');
    disk.write(keyFile, `${key}\n`, { mode: 0o600, sync: true });
    return key;
  }
  if ((lstatSync(join(disk.root, keyFile)).mode & 0o077) !== 0)
    throw new MailroomError(
      'E_FILE',
      `${keyFile} can be read or written by others`,
      `\`chmod 600 ${keyFile}\`, or move it away, and a new one is made`,
    );
  const text = Buffer.from(bytes).toString('utf8');
  if (pattern.test(text)) return text.trim();
  throw new MailroomError('E_FILE', `${keyFile} holds no key`, 'move it away, and a new one is made');
}
