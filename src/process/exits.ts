import type { Exit } from '../core/ports.ts';
import type { ProcessResult } from './types.ts';

/** How a process ended, for whoever wanted it; `read` says what lies in the files of its output. */
export function exitOf(
  result: ProcessResult,
  read: (file: string) => string,
  files: { readonly stdout: string; readonly stderr: string },
): Exit {
  const { exitCode: code, signal, reason: ended, error, durationMs } = result;
  const said = (file: string) => (ended === 'spawn-failed' ? '' : read(file));
  return { code, signal, ended, error, stdout: said(files.stdout), stderr: said(files.stderr), durationMs };
}

/** What our side could not even start. */
export function notStarted(error: string): Exit {
  return { code: null, signal: null, ended: 'spawn-failed', error, stdout: '', stderr: '', durationMs: 0 };
}
