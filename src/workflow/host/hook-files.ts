import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { requestControl } from '../../host/control.ts';
import type { Disk } from '../../disk/disk.ts';
import { runFolder, incomingFolder } from '../../host/run-mail.ts';
import type { RunFolder } from '../machine/run-folder.ts';

/** What the hooks of a run write besides their output, and where they work. */
export class HookFiles {
  readonly #disk: Disk;
  readonly #run: RunFolder;

  constructor(disk: Disk, run: RunFolder) {
    this.#disk = disk;
    this.#run = run;
  }

  /**
   * Sends a notice to a role; `about` identifies it within the run: a second one with the same
   * `about` is the same message.
   */
  notify(role: string, about: string, subject: string, body: string): void {
    const { run } = this.#run;
    const id = noticeId(run, about);
    requestControl(this.#disk, id, { kind: 'notice', id, run, role, subject, body }, incomingFolder);
  }

  /** Logs a notification that could not be sent. */
  log(on: string, line: string): void {
    this.#disk.write(join(this.#folderOf(on), 'notify'), `${line}\n`);
  }

  /** The working folder of a hook, and the folder of its output; absolute, created if missing. */
  places(on: string): { readonly workspace: string; readonly folder: string } {
    const folder = this.#folderOf(on);
    this.#disk.makeFolder(folder);
    return { workspace: this.#run.workspace, folder: join(this.#disk.root, folder) };
  }

  #folderOf(on: string): string {
    return join(runFolder(this.#run.run), 'hooks', on);
  }
}

/** Deterministic for the same notice: a uuid v7 with the run's time. */
function noticeId(run: string, about: string): string {
  const hash = createHash('sha256').update(`${run}\nnotice\n${about}`).digest('hex');
  const time = /^[\da-f]{8}-[\da-f]{4}/.exec(run)?.[0] ?? `${hash.slice(20, 28)}-${hash.slice(28, 32)}`;
  return `${time}-7${hash.slice(0, 3)}-a${hash.slice(3, 6)}-${hash.slice(6, 18)}`;
}
