import type { Trail } from '../git/trail.ts';
import type { Idle } from './idle.ts';

/** What a look left behind. */
export interface Look {
  /** When to look again although nothing happened; milliseconds since 1970. */
  readonly wake: number | null;
  /** Something is left: look again at once. */
  readonly more: boolean;
  /** True when nothing is on its way in. */
  readonly settled: boolean;
  /** True when the disk refuses something, which the next looks try again, and nothing else is left. */
  readonly blocked: boolean;
}

/** What the loop runs: the host of the mail, or of one run. */
export interface Host {
  /** Looks at everything, or without `scan` only at what processes had to tell. */
  look(scan?: boolean): Look;
  /** Processes that should be running, and that are. */
  readonly desired: number;
  readonly running: number;
  /** Why there is nothing to do, or that there is. */
  idle(): Idle;
  /** Starts nothing new any more; what runs goes on. */
  hold(): void;
  /** Stops on purpose: what runs is put back, uncounted, and ended. Look no more. */
  stop(): void;
  /** Ends every process at once, and records nothing. */
  stopAll(): void;
  /** Makes durable what was recorded since the last look. */
  flush(): void;
  readonly snapshotDue: boolean;
  /** `trailAt`: where the trail ends; null where there is none. */
  snapshot(trailAt: number | null): void;
}

/** What the loop needs besides the host. */
export interface LoopPorts {
  /** Calls back soon after something changed in a watched folder. Only a hint: events may be lost, late or repeated. */
  watch(onHint: () => void): { close(): Promise<void> };
  /** Calls back at an instant (milliseconds since 1970), at most an hour ahead. */
  timer(at: number, onTime: () => void): { cancel(): void };
  now(): number;
  readonly trail: Trail;
  /** Why nothing can be worked on or recorded here any more, asked before each look; null: all is well. */
  gone?(): Error | null;
}

/** Between two scans that nothing asked for. */
const scanEvery = 2_000;
const longest = 3_600_000;
/** How long the disk may refuse something before a loop that is to end when idle gives up, in milliseconds. */
const patience = 10_000;

export type Ending = 'stop' | 'drain';

/**
 * Runs a host until it is told to stop, or (`untilIdle`) until nothing more will happen by itself. The watcher, the timer
 * and finished processes only say "look again".
 */
export class Loop {
  readonly #host: Host;
  readonly #ports: LoopPorts;
  readonly #untilIdle: boolean;
  readonly #changed: (() => void) | null;
  #wake: () => void = () => {};
  #hinted = false;
  /** Whether the next look goes through the mailboxes, and when it does in any case. */
  #scan = true;
  #scanAt = 0;
  /** Since when nothing happens but that the disk refuses something. */
  #blockedAt: number | null = null;
  #ending: Ending | null = null;
  #failure: Error | null = null;

  constructor(host: Host, ports: LoopPorts, options: { untilIdle: boolean; onChange?: () => void }) {
    this.#host = host;
    this.#ports = ports;
    this.#untilIdle = options.untilIdle;
    this.#changed = options.onChange ?? null;
  }

  /** Says that something may have happened anywhere. Safe to call at any time. */
  hint(): void {
    this.#scan = true;
    this.wake();
  }

  /** Says that a process has told the host something; the mailboxes need not be looked at for that. */
  wake(): void {
    this.#hinted = true;
    this.#wake();
  }

  /** Ends the loop: running turns are stopped and put back, or (`drain`) finish first. */
  end(how: Ending): void {
    this.#ending = how;
    this.hint();
  }

  /** Ends the loop with an error: nothing may follow from a journal that cannot be trusted. */
  fail(error: unknown): void {
    this.#failure ??= error instanceof Error ? error : new Error(String(error));
    this.hint();
  }

  async run(): Promise<void> {
    const watcher = this.#ports.watch(() => this.hint());
    try {
      await this.#turn();
    } catch (error) {
      this.fail(error);
      await this.#abort();
    } finally {
      await watcher.close();
      await this.#ports.trail.settled();
    }
    if (this.#failure) throw this.#failure;
  }

  async #turn(): Promise<void> {
    for (;;) {
      if (this.#failure) return await this.#abort();
      this.#hinted = false;
      this.#failure ??= this.#ports.gone?.() ?? null;
      if (this.#failure) return await this.#abort();
      if (this.#ending === 'stop') return await this.#stop();
      if (this.#ending === 'drain') this.#host.hold();
      const scan = this.#scan || this.#scanDue();
      this.#scan = false;
      if (scan) this.#scanAt = this.#ports.now() + scanEvery;
      const { wake, more, settled, blocked } = this.#host.look(scan);
      this.#scan ||= more;
      this.#changed?.();
      if (this.#ending === 'drain' && this.#host.running === 0 && this.#host.desired === 0) return;
      if (this.#untilIdle && settled && (await this.#idle())) return;
      if (this.#untilIdle && scan && this.#givesUp(blocked)) return;
      if (wake !== null && scan) this.#scanAt = Math.min(this.#scanAt, wake);
      if (scan && this.#host.snapshotDue) await this.#snapshot();
      await this.#sleep(more ? this.#ports.now() : Math.min(wake ?? Infinity, this.#scanAt));
    }
  }

  /** A clock that was set back must not put the next scan off. */
  #scanDue(): boolean {
    const now = this.#ports.now();
    return now >= this.#scanAt || now < this.#scanAt - scanEvery;
  }

  /** The journal or the lock cannot be trusted: everything is ended, and nothing is recorded any more. */
  async #abort(): Promise<void> {
    this.#host.stopAll();
    await this.#drained();
  }

  /** Waits until no process is left. */
  async #drained(): Promise<void> {
    while (this.#host.running > 0) {
      this.#hinted = false;
      await this.#sleep(this.#ports.now() + scanEvery);
    }
  }

  /** A trail that is behind puts it off: what it still needs must stay in the journal. */
  async #snapshot(): Promise<void> {
    this.#host.snapshot(await this.#ports.trail.position());
  }

  /** Puts back what runs, and waits until nothing does. */
  async #stop(): Promise<void> {
    this.#host.stop();
    await this.#drained();
    this.#failure ??= this.#ports.gone?.() ?? null;
    if (!this.#failure) this.#host.flush();
  }

  /** Nothing is desired, nothing waits to be accepted, the trail is written, and a last look finds nothing new. */
  async #idle(): Promise<boolean> {
    if (this.#host.idle() === 'busy') return false;
    await this.#ports.trail.settled();
    return !this.#hinted && this.#host.look().settled && this.#host.idle() !== 'busy';
  }

  /** True when for a while nothing has happened but that the disk refuses something. */
  #givesUp(blocked: boolean): boolean {
    const now = this.#ports.now();
    const since = blocked && this.#host.idle() !== 'busy' ? (this.#blockedAt ?? now) : null;
    this.#blockedAt = since;
    return since !== null && now - since >= patience;
  }

  #sleep(at: number): Promise<void> {
    if (this.#hinted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#ports.timer(Math.min(at, this.#ports.now() + longest), resolve);
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}
