/** Who has paused something, and when, in milliseconds since 1970. */
export interface Pause {
  readonly by: string;
  readonly at: number;
}

/** How many commands a state remembers: more than wait for a host at a time. */
const remembered = 1_000;

/**
 * Whether a command has a verdict already: it is remembered, or older than all that are. Ids are
 * uuids v7, and every look at the folder gives all that wait their verdicts. `verdicts`: the ids of
 * the last commands with one, oldest first.
 */
export function hasVerdict(verdicts: ReadonlySet<string>, id: string): boolean {
  const [oldest = ''] = verdicts;
  return verdicts.has(id) || (verdicts.size >= remembered && id < oldest);
}

/** Remembers that a command has its verdict. */
export function noteVerdict(verdicts: Set<string>, id: string): void {
  verdicts.add(id);
  const [oldest] = verdicts;
  if (verdicts.size > remembered && oldest !== undefined) verdicts.delete(oldest);
}
