/** How a runner ends the process of a key. */
interface Ending {
  stop(key: string): void;
  /** The same because the host ends; missing: no process outlives its host. */
  leave?(key: string): void;
}

/** The running processes of one host, by key, each from its start until its end is recorded. */
export class ProcessTable<Running> extends Map<string, Running> {
  readonly #stopping = new Set<string>();
  readonly #runner: Ending;

  constructor(runner: Ending) {
    super();
    this.#runner = runner;
  }

  /** Whether it is being stopped, so that its end has no consequences. */
  isStopping(key: string): boolean {
    return this.#stopping.has(key);
  }

  /** Call it when the end of a process is recorded, or it could not be started. */
  override delete(key: string): boolean {
    this.#stopping.delete(key);
    return super.delete(key);
  }

  /**
   * Makes running processes match the wanted ones, by key: stops the others, then starts missing
   * ones.
   */
  steer<Wanted>(wanted: ReadonlyMap<string, Wanted>, start: (wanted: Wanted) => void): void {
    for (const key of this.keys())
      if (!wanted.has(key)) this.#end(key, (ending) => this.#runner.stop(ending));
    this.startMissing(wanted, start);
  }

  startMissing<Wanted>(wanted: ReadonlyMap<string, Wanted>, start: (wanted: Wanted) => void): void {
    for (const [key, each] of wanted) if (!this.has(key)) start(each);
  }

  /** Ends everything at once, as the host ends. */
  stopAll(): void {
    const end = (key: string) => (this.#runner.leave ? this.#runner.leave(key) : this.#runner.stop(key));
    for (const key of this.keys()) this.#end(key, end);
  }

  #end(key: string, end: (key: string) => void): void {
    if (this.#stopping.has(key)) return;
    this.#stopping.add(key);
    end(key);
  }
}
