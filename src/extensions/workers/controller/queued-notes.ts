import { join, type Disk } from '../../../disk/disk.ts';
import type { JobName } from '../queue/channel.ts';

/** The notes of turns; those of steps lie elsewhere. */
export const queuedFolder = '.mailroom/queued';

/**
 * The jobs that may have left something in the queue or in the shared repository, each as an empty
 * file `<job>@<role>`: a controller that was killed has them removed by the next one.
 */
export class QueuedNotes {
  readonly #disk: Disk;
  readonly #folder: string;

  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#folder = folder;
  }

  all(): JobName[] {
    return (this.#disk.list(this.#folder) ?? []).flatMap((name) => {
      const [, id, role] = /^([\w.-]+)@(.+)$/.exec(name) ?? [];
      return id === undefined || role === undefined ? [] : [{ id, role }];
    });
  }

  add(name: JobName): void {
    this.#disk.write(this.#pathOf(name), '', { sync: true });
  }

  remove(name: JobName): void {
    this.#disk.remove(this.#pathOf(name));
  }

  #pathOf({ id, role }: JobName): string {
    return join(this.#folder, `${id}@${role}`);
  }
}
