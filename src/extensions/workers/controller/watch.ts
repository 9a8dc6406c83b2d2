import type { Disk } from '../../../disk/disk.ts';
import { MailroomError } from '../../../kernel/errors.ts';
import type { SeenWorker } from '../../../letters/seen-workers.ts';
import { seenFile } from '../../../mail/questions/seen-workers.ts';

/** Between two looks at the workers, in milliseconds. */
const lookEvery = 2_000;
/** When the file is written at the latest although nothing has happened, in milliseconds. */
const writeEvery = 30_000;

interface WatchOptions {
  readonly disk: Disk;
  /** Since when the controller has held the project, in milliseconds since 1970. */
  readonly since: number;
  /** Rejects with a `MailroomError` if the queue cannot be reached. */
  readonly list: () => Promise<readonly SeenWorker[]>;
  /** Milliseconds since some time, on a clock that is never set. */
  readonly elapsed: () => number;
}

/** Publishes what the workers of a project say of themselves, for `status`, `why` and the page. */
export class WorkersWatch {
  readonly #options: WatchOptions;
  #isLooking = false;
  #looked = -Infinity;
  #written = -Infinity;
  #published = '';

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Call it now and then. The queue and the disk may refuse: the next look tries again. */
  look(): void {
    const { elapsed } = this.#options;
    if (this.#isLooking || elapsed() - this.#looked < lookEvery) return;
    this.#isLooking = true;
    this.#looked = elapsed();
    this.#publish()
      .catch((error: unknown) => {
        if (!(error instanceof MailroomError)) throw error;
      })
      .finally(() => (this.#isLooking = false));
  }

  async #publish(): Promise<void> {
    const { disk, since, list, elapsed } = this.#options;
    const workers = await list();
    // While a worker is there, only the time of its last sign of life changes.
    const said = JSON.stringify(
      workers.map((one) => (one.state === 'silent' ? one : { ...one, lastSeen: '' })),
    );
    if (said === this.#published && elapsed() - this.#written < writeEvery) return;
    disk.write(seenFile, `${JSON.stringify({ since, workers })}\n`);
    this.#published = said;
    this.#written = elapsed();
  }
}
