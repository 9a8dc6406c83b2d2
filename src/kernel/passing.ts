import { HostFault, systemCode } from './contained.ts';
import { messageOf } from './errors.ts';
import { ownValue } from './own.ts';

/**
 * What the system reports for load or lack of room, with its words for it, in which programs such
 * as git pass it on.
 */
const passing: Readonly<Record<string, string>> = {
  EAGAIN: 'resource temporarily unavailable',
  EDQUOT: 'disk quota exceeded',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files in system',
  ENOMEM: 'cannot allocate memory',
  ENOSPC: 'no space left on device',
  EROFS: 'read-only file system',
  ETXTBSY: 'text file busy',
};

/** For a filter such as LFS; the name of the program follows. */
export const programIsMissing = 'git needs a program that is not installed:';

const words = [...Object.values(passing), programIsMissing];
const pattern = new RegExp(`\\b(?:${Object.keys(passing).join('|')})\\b|(?:${words.join('|')})`, 'i');

/** Whether a message names such a reason, so that a retry can succeed. */
export function isPassing(message: string): boolean {
  return pattern.test(message);
}

/** Whether the machine, and not the work, is why something cannot start: the disk is full, say. */
export function isHostFault(error: unknown): boolean {
  if (error instanceof HostFault) return true;
  const code = systemCode(error) ?? '';
  return ownValue(passing, code) !== undefined || isPassingCause(error);
}

function isPassingCause(error: unknown): boolean {
  const { cause } = error as { readonly cause?: unknown };
  return ownValue(passing, systemCode(cause ?? null) ?? '') !== undefined;
}

/** Such an error as a `HostFault`; any other one unchanged. */
export function asHostFault(error: unknown): unknown {
  if (error instanceof HostFault || !isHostFault(error)) return error;
  return new HostFault('E_DISK', messageOf(error), null, { cause: error });
}
