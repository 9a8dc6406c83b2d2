import { isContained } from '../kernel/contained.ts';

/**
 * Continues where the disk, or a single thing, refuses. Its problem is that of something that still refuses: what works again
 * takes its problem with it.
 */
export class DiskGuard {
  /** The first refusal since `renew`. */
  #met: string | null = null;
  readonly #open = new Map<string, { readonly act: () => void; readonly problem: string }>();

  /** What refuses now; null: nothing. */
  get problem(): string | null {
    return this.#met ?? this.#open.values().next().value?.problem ?? null;
  }

  /** Whether something is to be tried again. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Call it before everything that is not left `until` is asked anew. */
  renew(): void {
    this.#met = null;
  }

  /** Shows a problem until `renew`. */
  report(problem: string): void {
    this.#met ??= problem;
  }

  attempt<T>(act: () => T, otherwise: T): T {
    try {
      return act();
    } catch (error) {
      if (!isContained(error)) throw error;
      this.report(error.message);
      return otherwise;
    }
  }

  /** True: it was done. */
  succeeds(act: () => void): boolean {
    return this.attempt(() => (act(), true), false);
  }

  /** Does it, in the place of whatever of that name is not done. What is refused stays to be done, until `again` does it. */
  until(name: string, act: () => void): void {
    try {
      act();
      this.#open.delete(name);
    } catch (error) {
      if (!isContained(error)) throw error;
      this.#open.set(name, { act, problem: error.message });
    }
  }

  /** Tries again what was refused. */
  again(): void {
    for (const [name, { act }] of this.#open) this.until(name, act);
  }
}
