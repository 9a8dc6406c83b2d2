import { MailroomError } from '../core/errors.ts';

/** A folder that cannot be read or written, or a link in its place that leads out of the project. */
const refusals: ReadonlySet<string> = new Set(['E_DISK', 'E_PATH']);

/** Goes on where the disk refuses something, and remembers what it refused first. */
export class Attempts {
  failure: MailroomError | null = null;

  attempt<T>(act: () => T, otherwise: T): T {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof MailroomError) || !refusals.has(error.code)) throw error;
      this.failure ??= error;
      return otherwise;
    }
  }

  /** True: it was done. */
  succeeds(act: () => void): boolean {
    return this.attempt(() => (act(), true), false);
  }
}
