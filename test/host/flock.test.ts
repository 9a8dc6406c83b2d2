import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isKernelLocked, takeKernelLock, type KernelLock } from '../../src/host/flock.ts';
import { bundleHost, startHost } from '../process/host.ts';
import { processesNaming, temporaryFolder, until } from '../process/support.ts';

const host = await bundleHost('lock-host.ts');

function expectHeld(lock: KernelLock): KernelLock & { held: true } {
  if (!lock.held) throw new Error(`not held: ${lock.reason}`);
  return lock;
}

describe('the kernel lock', () => {
  it('is held by one at a time and leaves the file alone', async () => {
    const file = join(temporaryFolder(), 'lock');
    writeFileSync(file, 'pid 12');
    const lock = expectHeld(await takeKernelLock(file));
    expect(await takeKernelLock(file)).toEqual({ held: false, reason: 'taken' });
    await lock.release();
    const again = expectHeld(await takeKernelLock(file));
    expect(readFileSync(file, 'utf8')).toBe('pid 12');
    await again.release();
  });

  it('waits for no pipe and no folder in the place of its file', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'lock');
    execFileSync('mkfifo', [file]);
    for (const place of [file, folder])
      expect(await takeKernelLock(place)).toEqual({
        held: false,
        reason: 'failed',
        error: `${place} is not a file`,
      });
    await expect(isKernelLocked(file)).rejects.toMatchObject({
      code: 'E_LOCKED',
      message: expect.stringContaining(
        `cannot determine whether ${file} is locked: it waits for a named pipe`,
      ),
    });
  });

  it('does not call a release a loss', async () => {
    const lock = expectHeld(await takeKernelLock(join(temporaryFolder(), 'lock')));
    let lost = false;
    void lock.lost.then(() => (lost = true));
    await lock.release();
    await lock.release();
    expect(lost).toBe(false);
  });

  it('tells when its helper has been killed', async () => {
    const file = join(temporaryFolder(), 'lock');
    const lock = expectHeld(await takeKernelLock(file));
    const helpers = processesNaming(file);
    expect(helpers.length).toBeGreaterThan(0);
    for (const pid of helpers) process.kill(pid, 'SIGKILL');
    await lock.lost;
    await expectHeld(await takeKernelLock(file)).release();
  });

  it('falls when its holder is killed', async () => {
    const file = join(temporaryFolder(), 'lock');
    const holder = startHost(host, file);
    await holder.said('held\n');
    expect((await takeKernelLock(file)).held).toBe(false);
    await holder.kill();
    await until('nobody holds it', () => processesNaming(file).length === 0);
    await expectHeld(await takeKernelLock(file)).release();
  });

  it('says what went wrong', async () => {
    expect(await takeKernelLock('/nowhere/lock')).toMatchObject({ held: false, reason: 'failed' });
  });

  it('says that the tool is missing', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = '/nowhere';
    try {
      expect(await takeKernelLock('/tmp/lock')).toEqual({ held: false, reason: 'missing' });
    } finally {
      process.env['PATH'] = path;
    }
  });
});
