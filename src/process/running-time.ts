import { Worker } from 'node:worker_threads';

/** How often it is noted that this process runs, in milliseconds. */
const tickMs = 1_000;
/** What is later than this was not only late: the thread, or all of the machine, did not run. */
const slackMs = 1_000;

interface Clocks {
  wall(): number;
  monotonic(): number;
  /** See `Pulse`; missing: there is none. */
  readonly pulse?: Pick<Pulse, 'start' | 'ms'>;
}

/**
 * A thread that only notes that it runs: it does so while the main thread is busy or waits for the
 * disk, and not while this process is stopped.
 */
export class Pulse {
  readonly #open: (ran: Float64Array) => Worker;
  readonly #ran = new Float64Array(new SharedArrayBuffer(8));
  #worker: Worker | null = null;

  constructor(open = openPulse) {
    this.#open = open;
  }

  /** Without it every late tick counts as a stop. Where no thread can begin, call it again. */
  start(): void {
    if (this.#worker !== null) return;
    try {
      this.#worker = this.#open(this.#ran);
    } catch {
      return;
    }
    this.#worker.on('error', () => {});
    this.#worker.unref();
  }

  /** For how long it has run, in milliseconds. */
  ms(): number {
    return this.#ran[0] ?? 0;
  }
}

function openPulse(ran: Float64Array): Worker {
  return new Worker(pulseScript, { eval: true, workerData: ran, env: {}, execArgv: [] });
}

/** A gap that only a stop explains, for a thread without work, counts as one beat. */
const pulseScript = `
const { workerData: ran } = require('node:worker_threads');
const beat = 250;
let last = performance.now();
setInterval(() => {
  const now = performance.now();
  ran[0] += now - last > 6 * beat ? beat : now - last;
  last = now;
}, beat);
`;

/**
 * The time for which this process runs, busy or not. Time in which it, or its whole machine, was
 * stopped or suspended does not count, and neither do steps of the wall clock.
 */
export class RunningTime {
  readonly #clocks: Clocks;
  #wall: number;
  #monotonic: number;
  #pulse = 0;
  #running = 0;
  #suspended = 0;
  #users = 0;
  #ticks: NodeJS.Timeout | undefined;

  constructor(clocks: Clocks) {
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
      this.#ticks = setInterval(() => this.#tick(), tickMs).unref();
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

  #tick(): void {
    // Not for a program that ends at once.
    this.#clocks.pulse?.start();
    this.#look();
  }

  #look(): void {
    const [wall, monotonic] = [this.#clocks.wall(), this.#clocks.monotonic()];
    const pulse = this.#clocks.pulse?.ms() ?? 0;
    const passed = Math.max(0, monotonic - this.#monotonic);
    const gone = Math.max(passed, wall - this.#wall);
    const ran = passed > tickMs + slackMs ? Math.min(passed, pulse - this.#pulse) : passed;
    [this.#wall, this.#monotonic, this.#pulse] = [wall, monotonic, pulse];
    this.#running += ran;
    if (gone - ran > slackMs) this.#suspended += gone - ran;
  }
}

/** That of this process. */
export const runningTime = new RunningTime({
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  pulse: new Pulse(),
});
