import { join, type Disk } from '../disk/disk.ts';
import { Control } from './control.ts';
import { writeSealed } from './seal.ts';
import type { StepAnswer } from '../letters/letters.ts';

/** The folder of a project's runs, one folder each. */
export const runsFolder = '.mailroom/runs';

/** Throws `E_PATH` for an id that is not a plain name. */
export function runFolder(run: string): string {
  return join(runsFolder, run);
}

/** The folder for requests of runs to the mail. */
export const incomingFolder = '.mailroom/incoming';

/**
 * The folder for answers to a run, with a file that names its steps whose role waits for others.
 */
export function runInbox(run: string): string {
  return join(runFolder(run), 'inbox');
}

export const waitsFile = 'waits.json';

/** The mail's side of the runs. */
export class RunMail {
  readonly #disk: Disk;
  /** Requests of runs in `.mailroom/incoming/`, oldest first. */
  readonly incoming: Control;
  /** The last published waits, by run. */
  readonly #shown = new Map<string, string>();

  constructor(disk: Disk) {
    this.#disk = disk;
    this.incoming = new Control(disk, incomingFolder);
  }

  /**
   * Puts an answer into the inbox of its run, by one rename; does nothing if the run does not
   * exist.
   */
  answer(answer: StepAnswer): void {
    if (!this.#isThere(answer.run)) return;
    writeSealed(this.#disk, join(runInbox(answer.run), `${answer.id}.json`), JSON.stringify(answer, null, 2));
  }

  /** Publishes to runs which of their steps wait for other roles. */
  waits(steps: ReadonlyMap<string, readonly string[]>): void {
    for (const run of new Set([...this.#shown.keys(), ...steps.keys()])) {
      const text = JSON.stringify([...(steps.get(run) ?? [])].toSorted());
      if ((this.#shown.get(run) ?? '[]') === text || !this.#isThere(run)) continue;
      writeSealed(this.#disk, join(runInbox(run), waitsFile), text);
      if (text === '[]') this.#shown.delete(run);
      else this.#shown.set(run, text);
    }
  }

  /** A run's id comes from a file: one that is not a plain name has no folder. */
  #isThere(run: string): boolean {
    return /^[\w-]+$/.test(run) && this.#disk.look(runFolder(run))?.kind === 'folder';
  }
}
