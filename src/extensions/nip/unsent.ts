import { join } from 'node:path';
import type { SentEvents } from './documents.ts';
import type { NipSettings } from '../../config/config.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { Deliveries, deliveryLogs } from './nostr/deliveries.ts';
import { definitionLog, eventsFolder, refusalLog } from './nostr/event-log.ts';
import type { Disk } from '../../disk/disk.ts';
import { watchFolders } from '../../disk/watch.ts';
import { isAlive } from '../../workflow/host/locks.ts';
import { relaysOf, unsentCount, type Relays } from './nostr/relays.ts';

/** Milliseconds between two checks of which runs have ended. */
const againMs = 5_000;

/**
 * Sends events that relays have not answered: definitions, refusals, and events of runs without a
 * host. Hosts send the events of their own runs. Level-triggered: the disk shows what is left.
 */
export class UnsentEvents {
  readonly #disk: Disk;
  readonly #relays: Relays;
  /** By log: the size of its deliveries when nothing was left. */
  readonly #done = new Map<string, number>();
  #looking: Promise<void> | null = null;
  #problem: string | null = null;

  constructor(disk: Disk, relays: Relays) {
    this.#disk = disk;
    this.#relays = relays;
  }

  /** Why the last look did not finish; it is retried. Null: it did. */
  get problem(): string | null {
    return this.#problem;
  }

  /**
   * Sends all unsent events. A concurrent second call waits for the first. Throws `E_DISK`, and
   * `E_LOCKED` where a lock cannot be read.
   */
  async look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => (this.#looking = null));
    await this.#looking;
  }

  /**
   * Looks now, whenever an event is kept, and every five seconds. `failed`: receives internal
   * errors.
   */
  follow(failed: (error: unknown) => void): { close(): Promise<void> } {
    const look = () => void this.#tryAgain().catch(failed);
    const watch = watchFolders([join(this.#disk.root, eventsFolder)], look);
    const timer = setInterval(look, againMs);
    timer.unref();
    look();
    return {
      close: async () => {
        clearInterval(timer);
        await watch.close();
        await this.#looking?.catch(() => {});
      },
    };
  }

  async #tryAgain(): Promise<void> {
    try {
      await this.look();
      this.#problem = null;
    } catch (error) {
      if (!(error instanceof MailroomError) || error.code === 'E_INTERNAL') throw error;
      this.#problem = error.message;
    }
  }

  async #look(): Promise<void> {
    for (const log of deliveryLogs(this.#disk)) {
      const { size } = new Deliveries(this.#disk, log);
      if (this.#done.get(log) === size) continue;
      const isOfRun = log !== definitionLog && log !== refusalLog;
      if (isOfRun && (await isAlive(this.#disk, log))) continue;
      if (!this.#relays.send(log)) this.#done.set(log, size);
    }
  }
}

/** Sends everything once, and reports the result. */
export async function sendAll(disk: Disk, nip: NipSettings): Promise<SentEvents> {
  const relays = await relaysOf(disk, nip);
  if (relays === null) return { sent: 0, unsent: 0, problems: [] };
  const left = () => deliveryLogs(disk).reduce((sum, log) => sum + unsentCount(disk, nip, log), 0);
  const before = left();
  await new UnsentEvents(disk, relays).look();
  await relays.close();
  const unsent = left();
  return { sent: Math.max(0, before - unsent), unsent, problems: relays.problems };
}

/**
 * Sends existing and new events until closed; null: the project has no relays. `failed`: receives
 * internal errors.
 */
export async function keepSending(
  disk: Disk,
  nip: NipSettings,
  failed: (error: unknown) => void,
): Promise<{ close(): Promise<void> } | null> {
  const relays = nip.enabled ? await relaysOf(disk, nip) : null;
  if (relays === null) return null;
  const sending = new UnsentEvents(disk, relays).follow(failed);
  return {
    close: async () => {
      await sending.close();
      await relays.close();
    },
  };
}
