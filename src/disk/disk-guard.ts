import { isContained } from '../kernel/contained.ts';

/**
 * Continues when the disk refuses an action. A problem lasts as long as the action that it belongs
 * to fails.
 */
export class DiskGuard {
  /** The first refusal since `renew`. */
  #met: string | null = null;
  readonly #open = new Map<string, { readonly act: () => void; readonly problem: string }>();

  /** The current problem; null: none. */
  get problem(): string | null {
    return this.#met ?? this.#open.values().next().value?.problem ?? null;
  }

  /** Whether a refused action is pending. */
  get isPending(): boolean {
    return this.#open.size > 0;
  }

  /** Clears everything but the actions of `until`; call it before each pass. */
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

  /** True: the action succeeded. */
  succeeds(act: () => void): boolean {
    return this.attempt(() => (act(), true), false);
  }

  /**
   * Performs an action; it replaces a pending one of the same name. A refused action stays pending
   * until `again` succeeds with it.
   */
  keepTrying(name: string, act: () => void): void {
    try {
      act();
      this.#open.delete(name);
    } catch (error) {
      if (!isContained(error)) throw error;
      this.#open.set(name, { act, problem: error.message });
    }
  }

  /** Retries the pending actions. */
  retry(): void {
    for (const [name, { act }] of this.#open) this.keepTrying(name, act);
  }
}
