import { MailroomError } from '../kernel/errors.ts';
import { diskError } from './disk.ts';

/** True for an error of the system that says that nothing is there. */
export function isMissing(error: unknown): boolean {
  return (error as { code?: string }).code === 'ENOENT';
}

/** What the work returns; throws `E_DISK` with what was attempted where, and our own errors as they are. */
export function attempt<T>(action: string, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw isOurs(error) ? error : diskError(action, path, error);
  }
}

/** The same, and `missing` where nothing is there. */
export function unlessMissing<T>(action: string, path: string, missing: T, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isMissing(error)) return missing;
    throw isOurs(error) ? error : diskError(action, path, error);
  }
}

/** True for an error that we have made ourselves. */
export function isOurs(error: unknown): boolean {
  return error instanceof MailroomError;
}
