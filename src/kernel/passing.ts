const passing =
  /\b(EAGAIN|ENOMEM|EMFILE|ENFILE|ETXTBSY|ENOSPC|EDQUOT)\b|no room for another process|too many files are open/;

/** Whether the system refused something for its load or for lack of room, so that the same may succeed later. */
export function isPassing(message: string): boolean {
  return passing.test(message);
}
