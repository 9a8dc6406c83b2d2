import { MailroomError, type ErrorCode } from './errors.ts';

/** What the language raises for a value that no code of ours foresaw. */
const unforeseen = [TypeError, RangeError, ReferenceError, SyntaxError, URIError];

/** A folder that cannot be read or written or is gone, a link that leads out of the project, a file that is no text. */
const refusals: ReadonlySet<ErrorCode> = new Set(['E_DISK', 'E_PATH', 'E_FILE', 'E_WORKSPACE']);

/** True for an error that only the thing just handled can have caused: that one is put aside, and its host lives. */
export function isUnforeseen(error: unknown): error is Error {
  return unforeseen.some((kind) => error instanceof kind);
}

/** True for an error after which a host continues with everything else; journals are written where nobody asks this. */
export function isContained(error: unknown): error is Error {
  return isUnforeseen(error) || (error instanceof MailroomError && refusals.has(error.code));
}

/** The code that people look up for such an error. */
export function codeOf(error: Error): ErrorCode {
  return error instanceof MailroomError ? error.code : 'E_INTERNAL';
}

/** Does something for a single thing; what is unforeseen about that is its problem, in words. Null: it is done. */
export function problemWith(act: () => void): string | null {
  try {
    act();
    return null;
  } catch (error) {
    if (!isUnforeseen(error)) throw error;
    return error.message;
  }
}

/** What can be had in spite of such an error: `otherwise`, where something else reports it. */
export function orElse<T>(act: () => T, otherwise: T): T {
  try {
    return act();
  } catch (error) {
    if (!isContained(error)) throw error;
    return otherwise;
  }
}
