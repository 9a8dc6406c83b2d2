const passing =
  /\b(EAGAIN|ENOMEM|EMFILE|ENFILE|ETXTBSY|ENOSPC|EDQUOT)\b|no room for another process|too many files are open|no space left on device/i;

/**
 * Whether the system refused something because of load or lack of room, so that a retry can
 * succeed.
 */
export function isPassing(message: string): boolean {
  return passing.test(message);
}
