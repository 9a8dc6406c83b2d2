import { maskReport, type Mask } from '../../kernel/mask.ts';
import type { ProcessResult } from '../types.ts';
import type { Exit } from '../../providers/provider.ts';

/** How a process ended, for whoever wanted it; `mask` is of a report that was kept as it came. */
export function exitOf(result: ProcessResult, mask: Mask): Exit {
  const { exitCode: code, signal, reason: ended, error, stderr, durationMs } = result;
  const stdout = maskReport(result.stdout, mask);
  return { code, signal, ended, error, stdout, stderr, durationMs };
}

/** What our side could not even start. */
export function notStarted(error: string): Exit {
  return { code: null, signal: null, ended: 'spawn-failed', error, stdout: '', stderr: '', durationMs: 0 };
}
