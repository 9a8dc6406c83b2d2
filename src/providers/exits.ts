import { isPassing } from '../kernel/passing.ts';
import { because, never, transient } from './outcomes.ts';
import type { Exit, Outcome } from './provider.ts';

/**
 * The outcome of an exit that does not depend on the program: it did not start, was not found, or
 * was ended by Mailroom or by a signal. Null if the program ended normally; then its exit code and
 * output decide. A shell or a sandbox reports a signal as exit code 129 to 192, except for codes
 * that the program itself defines (`ownCodes`).
 */
export function interrupted(exit: Exit, program: string, ownCodes: readonly number[] = []): Outcome | null {
  switch (exit.ended) {
    case 'spawn-failed':
      return spawnFailed(exit, program);
    case 'total-timeout':
      return transient(`${program} took longer than its time`, undefined, 'E_TIMEOUT');
    case 'idle-timeout':
      return transient(`${program} wrote nothing for too long`, undefined, 'E_TIMEOUT');
    case 'output-limit':
      return transient(`${program} wrote ${exit.error ?? 'more than may be kept of its output'}`);
    case 'output-failed':
      return transient(
        because(`the output of ${program} could not be kept`, exit.error ?? ''),
        undefined,
        'E_DISK',
      );
    case 'over-budget':
      return never(`${program} was ended because it had used up its budget`, undefined, 'E_BUDGET');
    case 'command-timeout':
      return transient(`a command of ${program} took longer than it may`, undefined, 'E_TIMEOUT');
    case 'stopped':
      return transient(`${program} was stopped`, undefined, 'E_CANCELLED');
    case 'lingered':
      return null;
    case 'exited':
      return exitedByItself(exit, program, ownCodes);
  }
}

function spawnFailed(exit: Exit, program: string): Outcome {
  const problem = because(`${program} could not be started`, exit.error ?? '');
  if (exit.error?.startsWith('command not found') === true)
    return never(`command not found: ${program}; \`mailroom doctor\` looks for agent programs`);
  return isPassing(exit.error ?? '') ? transient(problem) : never(problem);
}

function exitedByItself(exit: Exit, program: string, ownCodes: readonly number[]): Outcome | null {
  if (exit.signal !== null) return transient(because(`${program} was ended by ${exit.signal}`, exit.stderr));
  if (exit.code === null) return transient(because(`${program} ended without an exit code`, exit.stderr));
  // A wrapper's report that it could not find or run a command; if the program itself is missing,
  // it was not started.
  if (exit.code === 126 || exit.code === 127)
    return never(because(`${program} ended with exit code ${exit.code}`, exit.stderr));
  if (exit.code > 128 && exit.code <= 192 && !ownCodes.includes(exit.code)) {
    return transient(because(`${program} was ended by signal ${exit.code - 128}`, exit.stderr));
  }
  return null;
}
