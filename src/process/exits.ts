import type { Exit } from '../core/ports.ts';
import type { ProcessResult } from './types.ts';

/** How a process ended, for whoever wanted it. */
export function exitOf(result: ProcessResult): Exit {
  const { exitCode: code, signal, reason: ended, error, stdout, stderr, durationMs } = result;
  return { code, signal, ended, error, stdout, stderr, durationMs };
}

/** What our side could not even start. */
export function notStarted(error: string): Exit {
  return { code: null, signal: null, ended: 'spawn-failed', error, stdout: '', stderr: '', durationMs: 0 };
}
