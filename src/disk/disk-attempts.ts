import { systemCode } from '../kernel/contained.ts';
import { MailroomError } from '../kernel/errors.ts';
import { diskError } from './disk.ts';

/** True for a system error that says that a file or folder does not exist. */
export function isMissing(error: unknown): boolean {
  return systemCode(error) === 'ENOENT';
}

/**
 * The result of the work. Throws `E_DISK` with the action and the path; a MailroomError passes
 * unchanged.
 */
export function attempt<T>(action: string, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw isOurs(error) ? error : diskError(action, path, error);
  }
}

/** Like `attempt`, with `missing` for a file or folder that does not exist. */
export function unlessMissing<T>(action: string, path: string, missing: T, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isMissing(error)) return missing;
    throw isOurs(error) ? error : diskError(action, path, error);
  }
}

/** True for a MailroomError. */
function isOurs(error: unknown): boolean {
  return error instanceof MailroomError;
}
