import { namedFailure } from '../../kernel/failure-marks.ts';
import { launcherIsLost } from '../../kernel/passing.ts';
import { formatDuration } from '../../kernel/duration.ts';
import type { ErrorClass, ErrorCode } from '../../kernel/errors.ts';
import type { WorkResult } from './work-result.ts';
import type { Collected, Launch } from './launch.ts';
import type { Usage } from '../../kernel/cost.ts';
import { ownValue } from '../../kernel/own.ts';
import type { Exit, Outcome } from '../../providers/provider.ts';

/** The result of a process. */
export interface Returned {
  readonly exit: Exit;
  /** The provider's reading of it; null: the process was not an agent. */
  readonly outcome: Outcome | null;
  readonly collected: Collected;
}

/** How the process of a step ended, before its outputs are read. */
export interface Ended {
  readonly outcome: WorkResult['outcome'];
  readonly exitCode: number | null;
  /** The whole final text or standard output. */
  readonly text: string;
  readonly usage: Usage;
}

const free: Usage = { usd: 0, tokens: 0 };
/** Exit codes of a shell for a command that timed out, cannot be executed, or was not found. */
const timedOutCode = 124;
const notRunnable = 126;
const notFound = 127;

/** A shell reports a program that a signal ended as 128 plus the signal's number. */
const signals: Readonly<Record<string, number>> = {
  SIGHUP: 129,
  SIGINT: 130,
  SIGQUIT: 131,
  SIGABRT: 134,
  SIGKILL: 137,
  SIGSEGV: 139,
  SIGPIPE: 141,
  SIGTERM: 143,
};

/** Reads how a process ended. `outcome`: the provider's reading; null: it was not an agent. */
export function readExit(launch: Launch, exit: Exit, outcome: Outcome | null): Ended {
  return outcome === null ? readProgram(launch, exit) : readAgent(launch, exit, outcome);
}

function readAgent(launch: Launch, exit: Exit, outcome: Outcome): Ended {
  const { usage } = outcome;
  if (outcome.is === 'done') return { outcome: { is: 'done' }, exitCode: 0, text: outcome.text, usage };
  // The provider does not know the timeout.
  const isLate = exit.ended === 'total-timeout';
  const stall = stallOf(launch, exit);
  const told = isLate ? { ...outcome.reason, text: timeoutText(launch) } : outcome.reason;
  const reason = stall === null ? told : { code: stall.code, text: stall.says };
  const timedOut = isTimeout(exit) || reason.code === 'E_TIMEOUT';
  const errorClass = stall?.class ?? (outcome.is === 'later' ? outcome.class : 'NON_RETRYABLE');
  const until = outcome.is === 'later' ? outcome.until : null;
  const failed = { is: 'failed', class: errorClass, reason, reported: null, until, timedOut } as const;
  // The exit codes of agent programs have no common meaning.
  const exitCode = timedOut ? timedOutCode : outcome.is === 'later' ? 1 : 2;
  return { outcome: failed, exitCode, text: '', usage };
}

function isTimeout({ ended }: Exit): boolean {
  return ended === 'total-timeout' || ended === 'idle-timeout';
}

function codeOf(exit: Exit): number | null {
  if (isTimeout(exit)) return timedOutCode;
  return exit.code ?? ownValue(signals, exit.signal ?? '') ?? null;
}

/** Linear for any output; a regular expression anchored at the end is not. */
function withoutLastBreaks(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '\n') end -= text[end - 2] === '\r' ? 2 : 1;
  return text.slice(0, end);
}

/** The table of exit codes for commands and scripts. */
function readProgram(launch: Launch, exit: Exit): Ended {
  const exitCode = codeOf(exit);
  const text = withoutLastBreaks(exit.stdout);
  if (exit.ended === 'exited' && exit.code === 0)
    return { outcome: { is: 'done' }, exitCode, text, usage: free };
  const { class: errorClass, code, says } = stallOf(launch, exit) ?? programFailure(launch, exit);
  const reason = { code, text: says };
  const timedOut = isTimeout(exit) || code === 'E_TIMEOUT';
  const failed = { is: 'failed', class: errorClass, reason, reported: null, until: null, timedOut } as const;
  return { outcome: failed, exitCode, text, usage: free };
}

interface ProgramFailure {
  readonly class: ErrorClass;
  readonly code: ErrorCode;
  readonly says: string;
}

/** The failure of a worker that was ended because it printed nothing; null: it was not. */
function stallOf({ stall }: Launch, { ended }: Exit): ProgramFailure | null {
  if (ended !== 'idle-timeout' || stall === null) return null;
  const says = `it printed nothing for ${formatDuration(stall.after)}`;
  return {
    class: stall.policy === 'fail' ? 'NON_RETRYABLE' : 'RETRYABLE_TRANSIENT',
    code: 'E_STALLED',
    says,
  };
}

function programFailure(launch: Launch, exit: Exit): ProgramFailure {
  const line = clearestLine(exit.stderr) ?? clearestLine(exit.stdout);
  const because = line === null ? '' : `: ${line}`;
  const transient = (says: string, code: ErrorCode = 'E_STEP'): ProgramFailure => ({
    class: 'RETRYABLE_TRANSIENT',
    code,
    says,
  });
  const never = (says: string): ProgramFailure => ({ class: 'NON_RETRYABLE', code: 'E_STEP', says });
  switch (exit.ended) {
    case 'total-timeout':
    case 'idle-timeout':
      return transient(timeoutText(launch), 'E_TIMEOUT');
    case 'command-timeout':
      return transient('a command of it took longer than it may', 'E_TIMEOUT');
    case 'over-budget':
      return { class: 'NON_RETRYABLE', code: 'E_BUDGET', says: 'it used more than its budget' };
    case 'output-limit':
      return never(`it printed ${exit.error ?? 'too much'}: write what is large into a file`);
    case 'output-failed':
      return {
        class: 'FATAL',
        code: 'E_DISK',
        says: `what it printed could not be written: ${exit.error ?? ''}`,
      };
    case 'stopped':
      return transient('it was stopped');
    case 'spawn-failed':
      return never(`it could not be started: ${exit.error ?? ''}`);
    case 'exited':
    case 'lingered':
      break;
  }
  if (exit.code === null) {
    const lost =
      exit.error === launcherIsLost ? ': the process that starts it ended each time, too' : because;
    return transient(`it was ended by ${exit.signal ?? 'a signal'}${lost}`);
  }
  const says = `exit code ${String(exit.code)}${because}`;
  switch (exit.code) {
    case 1:
      return transient(says);
    case 2:
      return never(says);
    case timedOutCode:
      return transient(says, 'E_TIMEOUT');
    case notRunnable:
    case notFound:
      // The code may come from the program itself or from its child; a missing program was never
      // started.
      return never(says);
    default:
      return launch.work.kind === 'script' ? transient(says) : never(says);
  }
}

/** The timeout that a process exceeded, in words. */
function timeoutText({ timeout }: Launch): string {
  return timeout === null ? 'timed out' : `timed out after ${formatDuration(timeout)}`;
}

/** The line that names the error, or the last one; a long one is cut. */
function clearestLine(text: string): string | null {
  const lines = text.trimEnd().split(/[\r\n]+/);
  const line = (namedFailure(lines) ?? lines.at(-1) ?? '').trim();
  return line === '' ? null : line.slice(0, 500);
}
