/** What a worker has begun: each job once, and one at a time in a checkout. */
export class Begun {
  readonly #jobs = new Set<string>();
  readonly #checkouts = new Map<string, Promise<unknown>>();

  /** `nonce`: of the job, which distinguishes it from others with its id. */
  has(id: string, nonce: string): boolean {
    return this.#jobs.has(`${id} ${nonce}`);
  }

  add(id: string, nonce: string): void {
    this.#jobs.add(`${id} ${nonce}`);
  }

  /** Works in a checkout once no other job does. */
  inside<T>(checkout: string, work: () => Promise<T>): Promise<T> {
    const before = this.#checkouts.get(checkout) ?? Promise.resolve();
    const working = before.then(work, work).finally(() => {
      if (this.#checkouts.get(checkout) === working) this.#checkouts.delete(checkout);
    });
    this.#checkouts.set(checkout, working);
    return working;
  }
}
