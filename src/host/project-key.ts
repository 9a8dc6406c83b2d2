import { randomBytes } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { MailroomError } from '../kernel/errors.ts';
import { kindWords } from '../disk/contents.ts';
import type { Disk } from '../disk/disk.ts';

/** Relative to the project. No sandbox shows it. */
export const keyFile = '.mailroom/nostr.key';
const pattern = /^[0-9a-f]{64}\n?$/;

/** The project's own secrets to mask everywhere: its key, if it has one. */
export function secretsOfProject(disk: Pick<Disk, 'look' | 'read'>): string[] {
  if (disk.look(keyFile)?.kind !== 'file') return [];
  const text = disk.read(keyFile, 1_024)?.toString('utf8').trim() ?? '';
  return text === '' ? [] : [text];
}

/**
 * The secret key of the project, 64 hexadecimal digits; created, readable only by its owner, if
 * missing. Throws `E_FILE` when others could have read it, or something else is in its place: a new
 * key is a new identity, so only a person replaces it.
 */
export function projectKey(disk: Pick<Disk, 'root' | 'look' | 'read' | 'write'>): string {
  const kind = disk.look(keyFile)?.kind ?? null;
  if (kind !== null && kind !== 'file') throw noKey(`it is ${kindWords[kind]}, not a file`);
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
  throw noKey('it is not 64 hexadecimal digits');
}

function noKey(why: string): MailroomError {
  return new MailroomError(
    'E_FILE',
    `${keyFile} holds no key, so nothing is signed: ${why}`,
    'move it away, and a new one is made',
  );
}
