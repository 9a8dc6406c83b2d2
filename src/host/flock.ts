import { spawn, type ChildProcess } from 'node:child_process';
import { lstatSync } from 'node:fs';
import type { Kind } from '../disk/disk.ts';
import { kindOf } from '../disk/real-appender.ts';
import { MailroomError } from '../kernel/errors.ts';
import { buildEnvironment } from '../process/sandbox/environment.ts';
import { ownPath, ownProgram } from '../process/sandbox/own-programs.ts';
import { describeSpawnError, whyNotStart } from '../process/refusal.ts';
import { run } from '../process/run.ts';

/** The exit code for flock(1) to report a lock that another process holds. */
const TAKEN = 75;

export type KernelLock =
  | {
      readonly held: true;
      /** Releases the lock; resolves when it is free. */
      release(): Promise<void>;
      /** Resolves when the lock is gone without `release`: stop at once. */
      readonly lost: Promise<void>;
    }
  | { readonly held: false; readonly reason: 'taken' }
  /** This system has no flock(1). */
  | { readonly held: false; readonly reason: 'missing' }
  | { readonly held: false; readonly reason: 'failed'; readonly error: string };

/** How long taking a lock waits for processes that only check it, in seconds. */
const PATIENCE = '0.5';

/**
 * Takes the kernel's lock on a file, which is created if missing and whose content stays unchanged.
 * A helper process holds it for as long as it can read from this process, so the lock is released
 * when this process ends, however it ends.
 */
export function takeKernelLock(file: string): Promise<KernelLock> {
  const where = { cwd: '/', env: buildEnvironment({ set: { PATH: ownPath() } }) };
  const argv = [ownProgram('flock'), '-w', PATIENCE, '-E', String(TAKEN), file, ownProgram('cat')];
  const refusal = whyNotStart(argv, where);
  if (refusal !== null) return Promise.resolve({ held: false, reason: 'missing' });
  // Opening a pipe would wait for its other end, and flock(1) would follow a link.
  if (kindAt(file) !== 'file' && kindAt(file) !== null)
    return Promise.resolve({ held: false, reason: 'failed', error: `${file} is not a file` });
  // A session of its own: Ctrl-C must not release the lock before the host has shut down in order.
  // Where too many files are open the process has none, and reports that by `error`.
  const helper: ChildProcess = spawn(argv[0]!, argv.slice(1), { ...where, detached: true });
  let releasing = false;
  let complaint = '';
  helper.stdin?.on('error', () => {});
  helper.stderr?.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(-1000)));
  return new Promise((resolve) => {
    helper.once('error', (error) =>
      resolve({ held: false, reason: 'failed', error: describeSpawnError(error) }),
    );
    const closed = new Promise<void>((ended) => {
      helper.once('exit', (code) => {
        helper.stdin?.destroy();
        ended();
        if (code === TAKEN) resolve({ held: false, reason: 'taken' });
        else
          resolve({ held: false, reason: 'failed', error: complaint.trim() || `flock ended with ${code}` });
      });
    });
    const lost = new Promise<void>((reportLost) => void closed.then(() => releasing || reportLost()));
    const release = (): Promise<void> => {
      releasing = true;
      helper.stdin?.end();
      return closed;
    };
    // cat starts, and so answers, only once the lock is held.
    helper.stdout?.once('data', () => resolve({ held: true, release, lost }));
    helper.stdin?.write('held\n');
  });
}

/**
 * Whether a process holds the kernel's lock on a file; `missing`: there is no flock(1) here. Any
 * number may check at once without preventing another process from taking the lock. Throws
 * `E_LOCKED` when it cannot be determined.
 */
export async function isKernelLocked(file: string): Promise<boolean | 'missing'> {
  // Nothing takes a lock on what a link leads to.
  if (kindAt(file) === null || kindAt(file) === 'link') return false;
  const argv = [ownProgram('flock'), '-s', '-n', '-E', String(TAKEN), file, ownProgram('true')];
  const { exitCode, ended, error, stderr } = await run(argv, {
    cwd: '/',
    env: buildEnvironment({ set: { PATH: ownPath() } }),
  });
  if (ended === 'spawn-failed') return 'missing';
  if (exitCode === TAKEN || exitCode === 0) return exitCode === TAKEN;
  const why = `cannot determine whether ${file} is locked: ${error ?? stderr.trim()}`;
  throw new MailroomError(
    'E_LOCKED',
    why,
    'look who owns the file and its folder, and what they allow (ls -la)',
  );
}

/** Null: nothing is there. */
function kindAt(file: string): Kind | null {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats === undefined ? null : kindOf(stats);
}
