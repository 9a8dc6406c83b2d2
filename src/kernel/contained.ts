import { MailroomError, type ErrorCode } from './errors.ts';

/** The language's own errors, for values that the code did not foresee. */
const unforeseen = [TypeError, RangeError, ReferenceError, SyntaxError, URIError];

/**
 * A folder that cannot be read or written or is gone, a link that leads out of the project, a file
 * that is not text.
 */
const refusals: ReadonlySet<ErrorCode> = new Set(['E_DISK', 'E_PATH', 'E_FILE', 'E_WORKSPACE']);

/**
 * True for an error caused by the single thing being handled: the host sets it aside and keeps
 * running.
 */
export function isUnforeseen(error: unknown): error is Error {
  return unforeseen.some((kind) => error instanceof kind);
}

/**
 * True for an error after which a host continues with everything else. Code that writes journals
 * must not ask this.
 */
export function isContained(error: unknown): error is Error {
  return isUnforeseen(error) || (error instanceof MailroomError && refusals.has(error.code));
}

/** The error code to show for such an error. */
export function codeOf(error: Error): ErrorCode {
  return error instanceof MailroomError ? error.code : 'E_INTERNAL';
}

/** The system's name of an error, such as `ENOENT`; undefined: it is not an error of the system. */
export function systemCode(error: unknown): string | undefined {
  return (error as { readonly code?: string } | null)?.code;
}

/** Handles a single thing; returns its unforeseen error in words. Null: done. */
export function problemWith(act: () => void): string | null {
  try {
    act();
    return null;
  } catch (error) {
    if (!isUnforeseen(error)) throw error;
    return error.message;
  }
}

/** The result of an action; `otherwise` after such an error, which something else must report. */
export function orElse<T>(act: () => T, otherwise: T): T {
  try {
    return act();
  } catch (error) {
    if (!isContained(error)) throw error;
    return otherwise;
  }
}

/** A fault of the machine for which nothing can start, whatever it is. */
export class HostFault extends MailroomError {}
