import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RealDisk } from '../../src/disk/real-disk.ts';
import type { Kind } from '../../src/disk/disk.ts';
import { MemoryDisk } from '../support/memory-disk.ts';
import { keyFile, projectKey, secretsOfProject } from '../../src/host/project-key.ts';

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'mailroom-key-'))));
afterEach(() => rmSync(root, { recursive: true }));

describe('the key of a project', () => {
  it('is made once, for its owner alone', () => {
    const key = projectKey(new RealDisk(root));
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(statSync(join(root, keyFile)).mode & 0o777).toBe(0o600);
    expect(projectKey(new RealDisk(root))).toBe(key);
  });

  it.each([0o640, 0o604, 0o620, 0o602])('is not used with the mode %o: others could have it', (mode) => {
    const key = projectKey(new RealDisk(root));
    chmodSync(join(root, keyFile), mode);
    const use = () => projectKey(new RealDisk(root));
    expect(use).toThrow('.mailroom/nostr.key can be read or written by others');
    expect(use).not.toThrow(key);
  });

  it('is not made of something else', () => {
    projectKey(new RealDisk(root));
    writeFileSync(join(root, keyFile), 'no key');
    expect(() => projectKey(new RealDisk(root))).toThrow(
      '.mailroom/nostr.key holds no key, so nothing is signed: it is not 64 hexadecimal digits',
    );
  });

  it.each<[Kind, string]>([
    ['folder', 'a folder'],
    ['link', 'a link'],
    ['fifo', 'a fifo (named pipe)'],
    ['socket', 'a socket'],
    ['device', 'a device'],
  ])('is not replaced where a %s is in its place, and nothing is masked for it', (kind, words) => {
    const disk = new MemoryDisk();
    disk.plant(keyFile, 'nowhere', kind);
    expect(() => projectKey(disk)).toThrow(
      `.mailroom/nostr.key holds no key, so nothing is signed: it is ${words}, not a file`,
    );
    expect(secretsOfProject(disk)).toEqual([]);
    expect(disk.look(keyFile)?.kind).toBe(kind);
  });
});
