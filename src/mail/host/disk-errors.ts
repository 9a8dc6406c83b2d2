import { isContained } from '../../host/contained.ts';

/** Continues where the disk or a single thing refuses, and remembers what went wrong first. */
export class DiskErrors {
  failure: Error | null = null;

  attempt<T>(act: () => T, otherwise: T): T {
    try {
      return act();
    } catch (error) {
      if (!isContained(error)) throw error;
      this.failure ??= error;
      return otherwise;
    }
  }

  /** True: it was done. */
  succeeds(act: () => void): boolean {
    return this.attempt(() => (act(), true), false);
  }
}
