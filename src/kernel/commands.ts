/** Who has paused something, and when, in milliseconds since 1970. */
export interface Pause {
  readonly by: string;
  readonly at: number;
}

/** How many commands a state remembers: more than wait for a host at a time. */
const remembered = 1_000;

/** A uuid v7, which begins with its time; the id of a request that may be repeated does not. */
const timed = /^[\da-f]{8}-[\da-f]{4}-7/;

/**
 * Whether a command has a verdict already: it is remembered, or older than all that are, since
 * every look at the folder gives all that wait their verdicts. `verdicts`: the ids of the last
 * commands with one, oldest first.
 */
export function hasVerdict(verdicts: ReadonlySet<string>, id: string): boolean {
  if (verdicts.has(id)) return true;
  if (verdicts.size < remembered || !timed.test(id)) return false;
  for (const oldest of verdicts) if (timed.test(oldest)) return id < oldest;
  return false;
}

/** Remembers that a command has its verdict. */
export function noteVerdict(verdicts: Set<string>, id: string): void {
  verdicts.add(id);
  const [oldest] = verdicts;
  if (verdicts.size > remembered && oldest !== undefined) verdicts.delete(oldest);
}
