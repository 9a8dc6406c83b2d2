import { join, type Disk } from '../../disk/disk.ts';
import type { JobName } from '../../queue/channel.ts';

const folder = '.mailroom/queued';

/**
 * The jobs that may have left something in the queue or in the shared repository, each as an empty
 * file `<job>@<role>`: a controller that was killed has them removed by the next one.
 */
export class QueuedNotes {
  readonly #disk: Disk;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  all(): JobName[] {
    return (this.#disk.list(folder) ?? []).flatMap((name) => {
      const [, id, role] = /^([\w.-]+)@(.+)$/.exec(name) ?? [];
      return id === undefined || role === undefined ? [] : [{ id, role }];
    });
  }

  add(name: JobName): void {
    this.#disk.write(pathOf(name), '', { sync: true });
  }

  remove(name: JobName): void {
    this.#disk.remove(pathOf(name));
  }
}

function pathOf({ id, role }: JobName): string {
  return join(folder, `${id}@${role}`);
}
