import { stat, lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { MailroomError } from '../kernel/errors.ts';
import { Journal } from '../disk/journal.ts';
import { watchFolders } from '../disk/watch.ts';
import type { Disk } from '../disk/disk.ts';
import type { Trail } from '../git/trail.ts';
import { runningTime } from '../process/running-time.ts';
import type { Provider } from '../providers/provider.ts';
import { Control } from './control.ts';
import type { Lock } from './lock.ts';
import { Loop, onceATurn, type Beside, type Ending, type Host } from './loop.ts';
import { parkingOf } from './parking.ts';
import type { HostPorts } from './ports.ts';

/** The place of a host's state, and its lock. Paths are relative to the project. */
interface HostPlace {
  /** The folder of its journal and its control files. */
  readonly home: string;
  readonly lock: Lock;
  readonly lockFiles: readonly string[];
  /** Why the host ends when it loses its lock. */
  readonly lockLost: string;
}

interface HostSettings {
  readonly config: Config;
  readonly providers: ReadonlyMap<string, Provider>;
}

interface LoopParts {
  /** Input folders, relative to the project. */
  readonly watched: readonly string[];
  readonly trail: Trail;
  readonly beside?: Beside;
  readonly untilIdle: boolean;
  /** Called after every look. */
  readonly onChange: () => void;
}

/**
 * A host in this process, on its files, clock and watchers. Create it right after the lock is
 * taken, `open` the ports of the host, `attach` the host, `run` it; `close` it in any case.
 */
export class HostProcess {
  readonly #disk: Disk;
  readonly #place: HostPlace;
  readonly #lockGone: WhyGone;
  #journal: { close(): void } | null = null;
  #loop: Loop | null = null;
  /** Ends the count of the time in which this process does not run. */
  #release: () => void = () => {};
  readonly #wakeSoon = onceATurn(() => this.wake());
  /** What failed before there was a loop; null: nothing. */
  #failure: unknown = null;

  constructor(disk: Disk, place: HostPlace) {
    this.#disk = disk;
    this.#place = place;
    this.#lockGone = lockWatch(disk, place.lockFiles);
  }

  /** Ends what an earlier host left running, before anything else runs, and opens its journal. */
  async open<Event, Runner extends { sweep(): Promise<void> }>(
    runner: Runner,
    { config, providers }: HostSettings,
  ): Promise<HostPorts<Event, Runner>> {
    this.#release = runningTime.use();
    // Node makes its threads at their first use, and dies where the system has no room for them.
    stat('/', () => {});
    await runner.sweep();
    const { home } = this.#place;
    const keeps = (lastWritten: number): boolean =>
      config.keep === null || lastWritten >= Date.now() - config.keep;
    const journal = new Journal<Event>(this.#disk, { home, gone: this.#lockGone, keeps });
    this.#journal = journal;
    return {
      clock: {
        now: Date.now,
        elapsed: () => performance.now(),
        suspended: () => runningTime.suspended(),
      },
      journal,
      control: new Control(this.#disk, join(home, 'control')),
      runner,
      providers,
      parking: parkingOf(this.#disk, config),
      project: this.#disk.root,
    };
  }

  /** The host that `run` runs. It ends when its lock, or the folder of its journal, is lost. */
  attach(host: Host, { watched, trail, beside, untilIdle, onChange }: LoopParts): void {
    const { home, lock, lockLost } = this.#place;
    const folders = watched.map((folder) => join(this.#disk.root, folder));
    const watch = (onHint: () => void) => watchFolders(folders, onHint);
    const gone = journalWatch(this.#disk, join(home, 'journal'), this.#lockGone);
    const ports = { watch, timer, now: Date.now, passed, trail, gone, ...(beside && { beside }) };
    this.#loop = new Loop(host, ports, { untilIdle, onChange });
    if (this.#failure !== null) this.#loop.fail(this.#failure);
    void lock.lost.then(() => this.fail(new MailroomError('E_LOCKED', lockLost)));
  }

  /** Makes the host look again, at its first look at the latest. */
  wake(): void {
    this.#loop?.wake();
  }

  /** Ends the host with an error. */
  fail(error: unknown): void {
    this.#failure ??= error;
    this.#loop?.fail(error);
  }

  end(how: Ending): void {
    this.#loop?.end(how);
  }

  /**
   * Passes a report of a process to the host, and makes it look again: reports within one turn of
   * the event loop share one look.
   */
  report(act: () => void): void {
    this.#loop?.report(act);
    this.#wakeSoon();
  }

  async run(): Promise<void> {
    await this.#loop?.run();
  }

  async close(): Promise<void> {
    this.#journal?.close();
    this.#release();
    await this.#place.lock.release();
  }
}

/** Resolves in the next turn of the event loop, after the reports of this one. */
const passed = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Calls back at a time, in milliseconds since 1970. */
function timer(at: number, onTime: () => void): { cancel(): void } {
  const timeout = setTimeout(onTime, Math.max(0, at - Date.now()));
  return { cancel: () => clearTimeout(timeout) };
}

/** Returns why nothing can be recorded any more; null: it can. */
type WhyGone = () => MailroomError | null;

/**
 * Detects that a locked file was removed or replaced: from then on another process may lock the new
 * one. Create it right after the locks are taken. Paths are relative to the project.
 */
function lockWatch(disk: Disk, locks: readonly string[]): WhyGone {
  const held = locks.map((file) => [file, identityOf(join(disk.root, file))] as const);
  return () => {
    const lost = held.find(
      ([file, identity]) => identity !== null && identityOf(join(disk.root, file)) !== identity,
    );
    return lost === undefined ? null : replaced(`${disk.root}/${lost[0]}`);
  };
}

/** Detects the same, and that the folder of the journal (a path from the project) was removed. */
function journalWatch(disk: Disk, folder: string, locks: WhyGone): WhyGone {
  return () => (disk.look(folder)?.kind === 'folder' ? locks() : goneError(`${disk.root}/${folder}`));
}

function goneError(folder: string): MailroomError {
  const text = `${folder} is gone: it was deleted or moved while it was in use, so all work was stopped`;
  return new MailroomError('E_DISK', text, 'put it back and start again, or begin anew');
}

function replaced(file: string): MailroomError {
  return new MailroomError(
    'E_LOCKED',
    `${file} was removed or replaced while it was held, so all work was stopped and nothing more was recorded`,
    'start again; a lock ends with its process, so no file of .mailroom/ ever needs to be removed for it',
  );
}

/**
 * Identifies the file at an absolute path: a replacement has another identity. Null: it does not
 * exist.
 */
function identityOf(path: string): string | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : `${String(stats.dev)}:${String(stats.ino)}`;
}
