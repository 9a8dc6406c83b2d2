import { lstatSync } from 'node:fs';
import type { Kind } from '../disk/disk.ts';
import { kindOf } from '../disk/real-appender.ts';
import { MailroomError } from '../kernel/errors.ts';
import { withResolver } from '../kernel/with-resolver.ts';
import { buildEnvironment } from '../process/sandbox/environment.ts';
import { ownPath, ownProgram } from '../process/sandbox/own-programs.ts';
import { describeSpawnError, whyNotStart } from '../process/refusal.ts';
import { run } from '../process/run.ts';
import { streamOf } from '../process/starting/pipe-pool.ts';
import { start } from '../process/starting/start.ts';

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
  return new Promise((resolve) => {
    const failed = (error: string): void => resolve({ held: false, reason: 'failed', error });
    try {
      hold(argv, where, resolve, failed);
    } catch (error) {
      failed(describeSpawnError(error));
    }
  });
}

function hold(
  argv: readonly string[],
  where: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  resolve: (lock: KernelLock) => void,
  failed: (error: string) => void,
): void {
  let releasing = false;
  let complaint = '';
  const closed = withResolver<void>();
  // Its session is its own: Ctrl-C must not release the lock before the host has shut down.
  const helper = start(
    { file: argv[0]!, argv, ...where, input: 'pipe', byName: false, mark: null, barrier: false },
    {
      started() {},
      refused: (error) => failed(describeSpawnError(error)),
      ended: (code) => {
        closed.resolve();
        if (code === TAKEN) resolve({ held: false, reason: 'taken' });
        else failed(complaint.trim() || `flock ended with ${code}`);
      },
    },
  );
  const [stdout, stderr] = helper.outputs.map((source) => (source === null ? null : streamOf(source)));
  helper.input?.on('error', () => {});
  stderr?.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(-1000)));
  const lost = new Promise<void>((reportLost) => void closed.promise.then(() => releasing || reportLost()));
  const release = (): Promise<void> => {
    releasing = true;
    helper.input?.end();
    return closed.promise;
  };
  // cat starts, and so answers, only once the lock is held.
  stdout?.once('data', () => resolve({ held: true, release, lost }));
  helper.input?.write('held\n');
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
