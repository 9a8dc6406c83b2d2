import { maskReport, type Mask } from '../kernel/mask.ts';
import type { ProcessResult } from './types.ts';
import type { Exit } from '../providers/provider.ts';

/** How a process ended, for its caller; `mask` hides secrets in a report that was kept raw. */
export function exitOf(result: ProcessResult, mask: Mask): Exit {
  const { exitCode, reason: ended, error, stderr, durationMs } = result;
  const [code, signal] = ended === 'lingered' ? [0, null] : [exitCode, result.signal];
  const stdout = maskReport(result.stdout, mask);
  return { code, signal, ended, error, stdout, stderr, durationMs, edits: null };
}

/** The exit of a process that could not be started. */
export function notStarted(error: string): Exit {
  return {
    code: null,
    signal: null,
    ended: 'spawn-failed',
    error,
    stdout: '',
    stderr: '',
    durationMs: 0,
    edits: null,
  };
}
