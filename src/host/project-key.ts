import { randomBytes } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { MailroomError } from '../kernel/errors.ts';
import { apiFolder } from '../kernel/lock-names.ts';
import { kindWords } from '../disk/contents.ts';
import type { Disk } from '../disk/disk.ts';

/** The key that signs events. Relative to the project. No sandbox shows it. */
export const keyFile = '.mailroom/nostr.key';

/** The key of the seals, in a folder that no sandbox shows. Relative to the project. */
export const sealKeyFile = `${apiFolder}/seal.key`;

const pattern = /^[0-9a-f]{64}\n?$/;

/** The project's own secrets to mask everywhere: its keys, if it has them. */
export function secretsOfProject(disk: Pick<Disk, 'look' | 'read'>): string[] {
  return [keyFile, sealKeyFile].flatMap((file) => {
    if (disk.look(file)?.kind !== 'file') return [];
    const text = disk.read(file, 1_024)?.toString('utf8') ?? '';
    return text.split('\n').filter((line) => line !== '');
  });
}

/**
 * The secret key of the project, 64 hexadecimal digits; created, readable only by its owner, if
 * missing. Throws `E_FILE` when others could have read it, or something else is in its place: a new
 * key is a new identity, so only a person replaces it.
 */
export function projectKey(disk: Pick<Disk, 'root' | 'look' | 'read' | 'write'>): string {
  const text = readKeyFile(disk, keyFile);
  if (text === null) {
    const key = randomBytes(32).toString('hex');
    disk.write(keyFile, `${key}\n`, { mode: 0o600, sync: true });
    return key;
  }
  if (pattern.test(text)) return text.trim();
  throw noKey(keyFile, 'it is not 64 hexadecimal digits');
}

/**
 * The text of a file with a key; null: there is no file. Throws `E_FILE` when others could have
 * read or written it, or something else is in its place.
 */
export function readKeyFile(disk: Pick<Disk, 'root' | 'look' | 'read'>, file: string): string | null {
  const kind = disk.look(file)?.kind ?? null;
  if (kind !== null && kind !== 'file') throw noKey(file, `it is ${kindWords[kind]}, not a file`);
  const bytes = disk.read(file, 1_024);
  if (bytes === null) return null;
  const mode = lstatSync(join(disk.root, file), { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o077) !== 0) {
    const text = `${file} can be read or written by others`;
    // Only the key that signs is an identity: another one may be what git has placed there.
    const kept = file === keyFile ? `\`chmod 600 ${file}\`, or ` : '';
    throw new MailroomError('E_FILE', text, `${kept}move it away, and a new one is made`);
  }
  return Buffer.from(bytes).toString('utf8');
}

function noKey(file: string, why: string): MailroomError {
  return new MailroomError(
    'E_FILE',
    `${file} holds no key, so nothing is signed: ${why}`,
    'move it away, and a new one is made',
  );
}
