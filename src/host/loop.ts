import type { Trail } from '../git/trail.ts';
import { earliest } from '../kernel/times.ts';
import type { Idle } from './idle.ts';
import type { Ledger } from './ledger.ts';

/** The result of a look. */
export interface LookResult {
  /** When to look again without an event; milliseconds since 1970. */
  readonly wake: number | null;
  /** Work is left: look again at once. */
  readonly more: boolean;
  /** True when no input is pending. */
  readonly settled: boolean;
  /** True when a disk error is all that is left; the next looks retry it. */
  readonly blocked: boolean;
}

/** What the loop runs: the host of the mail, or of one run. */
export interface Host {
  readonly ledger: Pick<Ledger<never, never, never>, 'sync' | 'snapshot' | 'snapshotDue'>;
  /**
   * Looks at everything, or without `scan` only at reports of processes; decides, records, and
   * starts what may start before the record is durable.
   */
  record(scan: boolean): void;
  /** Shows what is durable, and starts and stops processes as decided. */
  carryOut(): LookResult;
  /** The numbers of processes that should be running, and that are. */
  readonly desired: number;
  readonly running: number;
  /** Why there is nothing to do, or `busy`. */
  idle(): Idle;
  /** Starts nothing new; running processes continue. */
  hold(): void;
  /** Stops on purpose: running processes are put back, uncounted, and ended. Do not look again. */
  stop(): void;
  /** Ends every process at once, and records nothing. */
  stopAll(): void;
  /** Ends what does not count as running, as it is only tried again; absent: there is nothing. */
  stopTrying?(): void;
  /** Makes everything recorded since the last look durable, and shows it. */
  flush(): void;
}

/** Work in the same process with loops of its own: it keeps the host's from ending. */
export interface Beside {
  /** How many of its runs are in progress. */
  readonly count: number;
  /** Whether it does anything, or more work may come of it. */
  readonly isBusy: boolean;
  /** Looks at what is due. Returns when to look again, in milliseconds since 1970; null: never. */
  look(): number | null;
  /** Starts nothing new; what runs is stopped and put back, or (`drain`) finishes first. */
  end(how: Ending): void;
}

/** What the loop needs besides the host. */
interface LoopPorts {
  /**
   * Calls back soon after a change in a watched folder. Only a hint: events may be lost, late or
   * repeated.
   */
  watch(onHint: () => void): { close(): Promise<void> };
  /** Calls back at a time (milliseconds since 1970), at most an hour ahead. */
  timer(at: number, onTime: () => void): { cancel(): void };
  now(): number;
  /**
   * Resolves once what processes have reported by now was passed on, so that one look takes it all;
   * absent: nothing is on its way.
   */
  passed?(): Promise<void>;
  readonly trail: Trail;
  readonly beside?: Beside;
  /**
   * Why working or recording is not possible any more, asked before each look; null: it is
   * possible.
   */
  gone?(): Error | null;
}

/** Milliseconds between two unprompted scans. */
const scanEvery = 2_000;
const longest = 3_600_000;
/** How long a disk error may last before a loop that ends when idle gives up, in milliseconds. */
const patience = 10_000;

export type Ending = 'stop' | 'drain';

/**
 * Calls `act` once for all calls within one turn of the event loop, at its end: what several
 * processes report together is one look, and one sync.
 */
export function onceATurn(act: () => void): () => void {
  let due = false;
  return () => {
    if (due) return;
    due = true;
    setImmediate(() => {
      due = false;
      act();
    });
  };
}

/**
 * Runs a host until it is stopped, or (`untilIdle`) until nothing more will happen without input.
 * The watcher, the timer and finished processes only trigger another look.
 */
export class Loop {
  readonly #host: Host;
  readonly #ports: LoopPorts;
  readonly #untilIdle: boolean;
  readonly #changed: (() => void) | null;
  #wake: () => void = () => {};
  #hinted = false;
  /** Whether the next look reads the mailboxes, and when it does so in any case. */
  #scan = true;
  #scanAt = 0;
  #syncing = false;
  /** Reports that came while a sync was in progress: the next look takes them. */
  readonly #late: (() => void)[] = [];
  /** Since when only a disk error is left. */
  #blockedAt: number | null = null;
  #ending: Ending | null = null;
  #failure: Error | null = null;

  constructor(host: Host, ports: LoopPorts, options: { untilIdle: boolean; onChange?: () => void }) {
    this.#host = host;
    this.#ports = ports;
    this.#untilIdle = options.untilIdle;
    this.#changed = options.onChange ?? null;
  }

  /** Requests a look with a scan. Safe to call at any time. */
  hint(): void {
    this.#scan = true;
    this.wake();
  }

  /** Requests a look after a report of a process, without a scan of the mailboxes. */
  wake(): void {
    this.#hinted = true;
    this.#wake();
  }

  /**
   * Passes a report of a process to the host; `wake` the loop afterwards. While a sync is in
   * progress the report waits for its end: what it records must not show with what becomes durable.
   * A failing journal ends the loop.
   */
  report(act: () => void): void {
    if (this.#syncing || this.#late.length > 0) {
      this.#late.push(act);
      return;
    }
    this.#pass(act);
  }

  #pass(report: () => void): void {
    try {
      report();
    } catch (error) {
      this.fail(error);
    }
  }

  #passLate(): void {
    for (const report of this.#late.splice(0)) this.#pass(report);
  }

  /** Ends the loop: running turns are stopped and put back, or (`drain`) finish first. */
  end(how: Ending): void {
    this.#ending = how;
    this.hint();
  }

  /** Ends the loop with an error: an untrusted journal must have no effects. */
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
      this.#passLate();
      if (this.#failure) return await this.#abort();
      this.#hinted = false;
      this.#failure ??= this.#ports.gone?.() ?? null;
      if (this.#failure) return await this.#abort();
      if (this.#ending === 'stop') return await this.#stop();
      if (this.#ending === 'drain') this.#hold();
      const scan = this.#scan || this.#scanDue();
      this.#scan = false;
      if (scan) this.#scanAt = this.#ports.now() + scanEvery;
      const { wake, more, settled, blocked } = await this.#look(scan);
      this.#scan ||= more;
      this.#changed?.();
      if (this.#ending === 'drain' && this.#running === 0 && this.#host.desired === 0)
        return await this.#end();
      if (this.#untilIdle && settled && (await this.#idle())) return await this.#end();
      if (this.#untilIdle && scan && this.#givesUp(blocked)) return;
      if (wake !== null && scan) this.#scanAt = Math.min(this.#scanAt, wake);
      if (scan && this.#host.ledger.snapshotDue) await this.#snapshot();
      await this.#sleep(more ? this.#ports.now() : Math.min(wake ?? Infinity, this.#scanAt));
    }
  }

  /** While a sync is in progress processes continue, and what they report waits for its end. */
  async #look(scan: boolean): Promise<LookResult> {
    this.#host.record(scan);
    const synced = this.#host.ledger.sync();
    if (synced !== null) {
      this.#syncing = true;
      await synced.finally(() => (this.#syncing = false));
      if (this.#failure) throw this.#failure;
    }
    const result = this.#host.carryOut();
    return { ...result, wake: earliest([result.wake, this.#ports.beside?.look() ?? null]) };
  }

  get #running(): number {
    return this.#host.running + (this.#ports.beside?.count ?? 0);
  }

  get #isBusy(): boolean {
    return this.#ports.beside?.isBusy === true || this.#host.idle() === 'busy';
  }

  #hold(): void {
    this.#host.hold();
    this.#ports.beside?.end('drain');
  }

  /** A clock that was set back must not defer the next scan. */
  #scanDue(): boolean {
    const now = this.#ports.now();
    return now >= this.#scanAt || now < this.#scanAt - scanEvery;
  }

  /** The journal or the lock is not trusted: ends everything, and records nothing more. */
  async #abort(): Promise<void> {
    this.#ports.beside?.end('stop');
    this.#host.stopAll();
    this.#passLate();
    await this.#drained();
  }

  /** Ends what only tries again and again. */
  async #end(): Promise<void> {
    this.#host.stopTrying?.();
    await this.#drained();
  }

  /** Waits until no process is left. */
  async #drained(): Promise<void> {
    while (this.#running > 0) {
      this.#hinted = false;
      await this.#sleep(this.#ports.now() + scanEvery);
    }
  }

  /** Deferred while the trail is behind: the events it still needs must stay in the journal. */
  async #snapshot(): Promise<void> {
    this.#host.ledger.snapshot(await this.#ports.trail.position());
  }

  /** Puts running processes back, and waits for their end. */
  async #stop(): Promise<void> {
    this.#ports.beside?.end('stop');
    this.#host.stop();
    await this.#drained();
    this.#failure ??= this.#ports.gone?.() ?? null;
    if (!this.#failure) this.#host.flush();
  }

  /**
   * No process is wanted, no input is pending, the trail is written, and a last look finds nothing
   * new.
   */
  async #idle(): Promise<boolean> {
    if (this.#isBusy) return false;
    await this.#ports.trail.settled();
    return !this.#hinted && (await this.#look(true)).settled && !this.#isBusy;
  }

  /** True after a disk error has been all that is left for a while. */
  #givesUp(blocked: boolean): boolean {
    const now = this.#ports.now();
    const since = blocked && !this.#isBusy ? (this.#blockedAt ?? now) : null;
    this.#blockedAt = since;
    return since !== null && now - since >= patience;
  }

  #sleep(at: number): Promise<void> {
    if (this.#hinted) return this.#ports.passed?.() ?? Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#ports.timer(Math.min(at, this.#ports.now() + longest), resolve);
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}
