import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { orElse } from '../kernel/contained.ts';
import type { Content } from '../kernel/content.ts';
import { MailroomError } from '../kernel/errors.ts';
import { readContent, type Found } from '../disk/contents.ts';
import { parentOf } from '../disk/disk.ts';
import type { Disk } from '../disk/disk.ts';
import { ignoreState } from './project-folder.ts';
import { readKeyFile, sealKeyFile } from './project-key.ts';

/** The key of each disk, as it was read first: a key that replaces it later does not count. */
const keys = new WeakMap<Pick<Disk, 'read'>, string>();

/**
 * Reads the key of the seals, once; makes it if it is missing. Throws `E_FILE` when it cannot be
 * used. Every host calls it before it reads a file of another process.
 */
export function sealKey(disk: Disk): string {
  return keys.get(disk) ?? remembered(disk, storedKey(disk) ?? madeKey(disk));
}

/**
 * A text as the file at this path that only programs of this project can write: its last line is
 * the seal, which covers the path and the text. Throws `E_FILE`, `E_DISK`.
 */
export function sealed(disk: Disk, path: string, text: string): string {
  const lines = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return `${lines}${sealOf(sealKey(disk), path, lines)}\n`;
}

/** Writes such a file by one rename. Throws `E_FILE`, `E_DISK`. */
export function writeSealed(disk: Disk, path: string, text: string): void {
  disk.write(path, sealed(disk, path, text));
}

/**
 * Reads such a file, without its seal. A file that another program wrote, or that was copied from
 * another path, is a problem. `gone`: the file does not exist. Throws `E_DISK`.
 */
export function readSealed(disk: Disk, path: string, limit: number): Found {
  const content = readContent(disk, path, limit);
  return content === 'gone' || !content.ok ? content : unsealed(disk, path, content.text);
}

const sealedText = /^((?:[\s\S]*\n)?)([0-9a-f]{64})\n$/;

/** The text of a sealed file, which lies at this path; or why it does not count. */
function unsealed(disk: Disk, path: string, content: string): Content {
  const [, text = '', seal] = sealedText.exec(content) ?? [];
  if (seal === undefined) return refused('it has no seal');
  const key = keys.get(disk) ?? usableKey(disk);
  if (key === null) return refused(`${sealKeyFile} has no key for seals`);
  if (timingSafeEqual(Buffer.from(seal), Buffer.from(sealOf(key, path, text)))) return { ok: true, text };
  if (usableKey(disk) === key) return refused('its seal is of another file or text');
  const now = `${sealKeyFile} was replaced or cannot be used since this process read it`;
  return refused(`${now}; restart Mailroom, then repeat the command`);
}

function refused(why: string): Content {
  return { ok: false, problem: `it was not written by Mailroom on this machine: ${why}` };
}

/** A path has no NUL, so no other path and text look the same. */
function sealOf(key: string, path: string, text: string): string {
  return createHmac('sha256', Buffer.from(key, 'hex')).update(`${path}\0${text}`).digest('hex');
}

function remembered(disk: Disk, key: string): string {
  keys.set(disk, key);
  return key;
}

/** The first complete line that is a key; null: there is none. Throws `E_FILE`. */
function storedKey(disk: Disk): string | null {
  return /^([0-9a-f]{64})\n/m.exec(readKeyFile(disk, sealKeyFile) ?? '')?.[1] ?? null;
}

/** Null: there is none, or none that can be used. */
function usableKey(disk: Disk): string | null {
  return orElse(() => storedKey(disk), null);
}

/** Of two processes that make the key at once, both take the first one. */
function madeKey(disk: Disk): string {
  ignoreState(disk);
  const file = disk.openAppend(sealKeyFile, 0o600);
  try {
    // A crash may have cut off a line.
    const start = file.size === 0 ? '' : '\n';
    file.write(Buffer.from(`${start}${randomBytes(32).toString('hex')}\n`));
    file.sync();
  } finally {
    file.close();
  }
  disk.syncFolder(parentOf(sealKeyFile));
  const made = storedKey(disk);
  if (made !== null) return made;
  throw new MailroomError('E_FILE', `${sealKeyFile} holds no key`, 'move it away, and a new one is made');
}
