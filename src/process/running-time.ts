/** How often it is noted that this process runs, in milliseconds. */
const tickMs = 1_000;
/** A tick that is later than this was not only late: this process, or its machine, did not run. */
const slackMs = 1_000;

const realClocks = { wall: () => Date.now(), monotonic: () => performance.now() };

/**
 * The time for which this process runs. Time in which it, or its whole machine, was stopped or
 * suspended does not count, and neither do steps of the wall clock.
 */
export class RunningTime {
  readonly #clocks: typeof realClocks;
  #wall: number;
  #monotonic: number;
  #running = 0;
  #suspended = 0;
  #users = 0;
  #ticks: NodeJS.Timeout | undefined;

  constructor(clocks = realClocks) {
    this.#clocks = clocks;
    this.#wall = clocks.wall();
    this.#monotonic = clocks.monotonic();
  }

  /** Milliseconds; exact while somebody `uses` it, or asks every second. */
  now(): number {
    this.#look();
    return this.#running;
  }

  /** How much more than this has passed by the wall clock or the monotonic one. */
  suspended(): number {
    this.#look();
    return this.#suspended;
  }

  /** Until the returned function is called, no interruption is missed. */
  use(): () => void {
    if (this.#users === 0) {
      this.#look();
      this.#ticks = setInterval(() => this.#look(), tickMs).unref();
    }
    this.#users += 1;
    let isUsed = true;
    return () => {
      if (!isUsed) return;
      isUsed = false;
      this.#users -= 1;
      if (this.#users === 0) clearInterval(this.#ticks);
    };
  }

  #look(): void {
    const [wall, monotonic] = [this.#clocks.wall(), this.#clocks.monotonic()];
    const passed = Math.max(0, monotonic - this.#monotonic);
    const gone = Math.max(passed, wall - this.#wall);
    [this.#wall, this.#monotonic] = [wall, monotonic];
    const ran = passed > tickMs + slackMs ? 0 : passed;
    this.#running += ran;
    if (gone - ran > slackMs) this.#suspended += gone - ran;
  }
}

/** That of this process. */
export const runningTime = new RunningTime();
