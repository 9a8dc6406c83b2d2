/** One line of the program that is broken on purpose, and the test that must notice. */
export interface Mutation {
  /** What the line does, as docs/reliability.md or docs/security.md promise it. */
  readonly mechanism: string;
  /** In `src`. */
  readonly file: string;
  /** Text that the file has once. */
  readonly from: string;
  readonly to: string;
  /** Files of tests, of which one fails; the first is where the promise has its test. */
  readonly seenBy: readonly string[];
}

/** The mutated text of a file. Throws where the mutation does not fit it any more. */
export function mutated(text: string, { file, from, to }: Mutation): string {
  const parts = text.split(from);
  if (parts.length !== 2)
    throw new Error(`src/${file} has ${String(parts.length - 1)} times, and not once: ${from}`);
  return parts.join(to);
}
