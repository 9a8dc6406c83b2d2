import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { readContent } from '../disk/contents.ts';
import type { Disk } from '../disk/disk.ts';
import { MailroomError } from '../kernel/errors.ts';
import { apiFolder } from '../kernel/lock-names.ts';
import { readApiKeysFile, type ApiKey } from '../letters/letters.ts';
import { readProcess } from '../process/proc.ts';
import { readHolder, removeHolder, writeHolder } from './holder.ts';
import { take } from './lock.ts';
import { ignoreState } from './project-folder.ts';
import { sealKey } from './seal.ts';
import { clearPlaces } from './state-places.ts';
import { refuseTrackedState } from './tracked.ts';

const keysFile = `${apiFolder}/keys.json`;
const lock = `${apiFolder}/lock`;
const socket = `${apiFolder}/sock`;

/** The largest path of a Unix socket, in bytes. */
const longestSocket = 107;

/**
 * Locks the API of a project for one server. Creates the file of keys, readable only by its owner,
 * with a key named `owner` that may write, if it is missing. Throws `E_LOCKED` while another server
 * runs, `E_TRACKED` and `E_FILE`.
 */
export async function takeApiPlace(disk: Disk, owner: string) {
  await refuseTrackedState(disk);
  clearPlaces(disk, 'folder', [apiFolder]);
  const held = await take(disk, lock, lock, () => taken(disk));
  let known: readonly ApiKey[];
  try {
    ignoreState(disk);
    sealKey(disk);
    chmodSync(join(disk.root, apiFolder), 0o700);
    const startTime = readProcess(process.pid)?.startTime ?? null;
    writeHolder(disk, { since: Date.now(), triggers: false, startTime }, lock);
    if (disk.look(keysFile) === null) writeFirstKey(disk, owner);
    known = readKeys(disk);
  } catch (error) {
    await held.release();
    throw error;
  }
  const path = join(disk.root, socket);
  // A server that was killed has left it.
  rmSync(path, { force: true });
  return {
    /** The absolute path of the Unix socket; null: it would be too long. */
    socket: Buffer.byteLength(path) > longestSocket ? null : path,
    /**
     * Who may use the API: the keys of the start that the file still has. Others may have placed a
     * key that was added since. Throws `E_FILE`.
     */
    keys: (): readonly ApiKey[] => readKeys(disk).filter((key) => known.some((each) => isSame(each, key))),
    /** Removes the socket and releases the lock. */
    close: async () => {
      rmSync(path, { force: true });
      removeHolder(disk, lock);
      await held.release();
    },
  };
}

function isSame(one: ApiKey, other: ApiKey): boolean {
  return one.key === other.key && one.name === other.name && one.access === other.access;
}

function writeFirstKey(disk: Disk, name: string): void {
  const key: ApiKey = { name, access: 'write', key: randomBytes(32).toString('base64url') };
  disk.write(keysFile, `${JSON.stringify({ keys: [key] }, null, 2)}\n`, { mode: 0o600, sync: true });
}

/** The keys that a server of the project accepts; none if there never was one. Throws `E_FILE`. */
export function storedKeys(disk: Disk): readonly ApiKey[] {
  return disk.look(keysFile) === null ? [] : readKeys(disk);
}

function readKeys(disk: Disk): readonly ApiKey[] {
  const found = readContent(disk, keysFile, 1024 * 1024);
  if (found === 'gone') throw unusable('it does not exist');
  if (!found.ok) throw unusable(found.problem);
  if ((lstatSync(join(disk.root, keysFile)).mode & 0o077) !== 0)
    throw new MailroomError(
      'E_FILE',
      `${keysFile} can be read or written by others`,
      `\`chmod 600 ${keysFile}\``,
    );
  const read = readApiKeysFile(found.text);
  if (!read.ok) throw unusable(read.problem);
  return read.value.keys;
}

function unusable(why: string): MailroomError {
  return new MailroomError(
    'E_FILE',
    `${keysFile} holds no keys: ${why}`,
    'move it away, and `mailroom serve` makes a new one',
  );
}

function taken(disk: Disk): MailroomError {
  const holder = readHolder(disk, lock);
  const who = holder === null ? 'another process' : `process ${String(holder.pid)} on ${holder.host}`;
  return new MailroomError(
    'E_LOCKED',
    `${who} serves this project already`,
    'open the address that it printed, or stop it',
  );
}
