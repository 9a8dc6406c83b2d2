import { HostFault, isContained, systemCode } from './contained.ts';
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
  ENOMEM: 'cannot allocate memory|out of memory',
  ENOSPC: 'no space left on device|out of disk',
  EROFS: 'read-only file system',
  ETXTBSY: 'text file busy',
};

/** The beginning of what is said where no temporary folder can be made, for whatever reason. */
export const noTemporary = 'no temporary folder can be made in ';

/** For a filter such as LFS; the name of the program follows. */
export const programIsMissing = 'git needs a program that is not installed:';

/** Why what a program did is not known: it has lost the process that started it. */
export const launcherIsLost = 'the launcher has ended';

const words = [...Object.values(passing), noTemporary, programIsMissing, launcherIsLost];
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

/** A result of git, unless it failed by a fault of the machine, which is thrown. */
export function unlessPassing<
  T extends { readonly ok: true } | { readonly ok: false; readonly problem: string },
>(result: T): T {
  if (!result.ok && isPassing(result.problem)) throw new HostFault('E_DISK', result.problem);
  return result;
}

/** As `orElse`, but a fault of the machine is thrown. */
export function unlessFault<T>(act: () => T, otherwise: T): T {
  try {
    return act();
  } catch (error) {
    if (isHostFault(error) || !isContained(error)) throw error;
    return otherwise;
  }
}

/** Such an error as a `HostFault`; any other one unchanged. */
export function asHostFault(error: unknown): unknown {
  if (error instanceof HostFault || !isHostFault(error)) return error;
  return new HostFault('E_DISK', messageOf(error), null, { cause: error });
}
