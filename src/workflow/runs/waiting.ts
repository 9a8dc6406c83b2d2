/** How long a command waits for the controller's verdict, in milliseconds. */
export const patience = 5_000;

/** Checks on every change until there is an answer, or the wait times out: then undefined. */
export async function waitFor<T>(
  project: { changed(milliseconds: number): Promise<void> },
  clock: () => number,
  milliseconds: number,
  look: () => T | undefined,
): Promise<T | undefined> {
  const end = clock() + milliseconds;
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    const left = end - clock();
    if (left <= 0) return undefined;
    await project.changed(Math.min(left, 250));
  }
}
