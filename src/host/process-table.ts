/** The running processes of one host, by key, each from its start until its end is recorded. */
export class ProcessTable<Running> {
  readonly #running = new Map<string, Running>();
  readonly #stopping = new Set<string>();
  readonly #stop: (key: string) => void;

  /** `stop`: makes the runner end the process of a key. */
  constructor(stop: (key: string) => void) {
    this.#stop = stop;
  }

  get size(): number {
    return this.#running.size;
  }

  values(): IterableIterator<Running> {
    return this.#running.values();
  }

  has(key: string): boolean {
    return this.#running.has(key);
  }

  get(key: string): Running | undefined {
    return this.#running.get(key);
  }

  /** Whether it is being stopped, so that its end has no consequences. */
  isStopping(key: string): boolean {
    return this.#stopping.has(key);
  }

  add(key: string, running: Running): void {
    this.#running.set(key, running);
  }

  /** Call it when the end of a process is recorded, or it could not be started. */
  forget(key: string): void {
    this.#running.delete(key);
    this.#stopping.delete(key);
  }

  /**
   * Makes running processes match the wanted ones, by key: stops the others, then starts missing
   * ones.
   */
  steer<Wanted>(wanted: ReadonlyMap<string, Wanted>, start: (wanted: Wanted) => void): void {
    for (const key of this.#running.keys()) if (!wanted.has(key)) this.#end(key);
    this.startMissing(wanted, start);
  }

  startMissing<Wanted>(wanted: ReadonlyMap<string, Wanted>, start: (wanted: Wanted) => void): void {
    for (const [key, each] of wanted) if (!this.#running.has(key)) start(each);
  }

  /** Ends everything at once. */
  stopAll(): void {
    for (const key of this.#running.keys()) this.#end(key);
  }

  #end(key: string): void {
    if (this.#stopping.has(key)) return;
    this.#stopping.add(key);
    this.#stop(key);
  }
}
