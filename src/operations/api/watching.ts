import type { RealDisk } from '../../disk/real-disk.ts';
import { watchFolders, type Watch } from '../../disk/watch.ts';
import { runsFolder } from '../../host/run-mail.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { lockNames } from '../../kernel/lock-names.ts';
import { rolesOnDisk } from '../../mail/mailboxes/mail-files.ts';
import { isOver } from '../../workflow/files/ended.ts';
import { runReader } from '../../workflow/files/run-folders.ts';

/**
 * What has changed: `mail` and `run:<id>` at a record of their journals, `project` (settings,
 * definitions, folders of mail, the controller) at a time in milliseconds since 1970.
 */
export type Topic = 'mail' | 'project' | `run:${string}`;

const definitions = /^[^.].*\.(?:ya?ml|json|md)$/;
const settings = /^(?:mailroom|agents|\.skillmeat-workflow-overrides)\.ya?ml$/;
const anyName = /^[^.]/;

/** Follows a project by the system's file watches, until it is closed. */
export class ProjectWatch {
  readonly #disk: RealDisk;
  readonly #mail: () => number;
  readonly #onChange: (topic: Topic, number: number) => void;
  readonly #numbers = new Map<Topic, number>();
  /** The runs that have not ended. */
  readonly #runs = new Map<string, { readonly watch: Watch; readonly look: () => void }>();
  readonly #ended = new Set<string>();
  readonly #watches: readonly Watch[];

  /** `mail`: the number of the last record of the mail's journal. */
  constructor(disk: RealDisk, mail: () => number, onChange: (topic: Topic, number: number) => void) {
    this.#disk = disk;
    this.#mail = mail;
    this.#onChange = onChange;
    const at = (folders: readonly string[]) => folders.map((folder) => `${disk.root}/${folder}`);
    const boxes = rolesOnDisk(disk).flatMap((role) => [`agents/${role}/inbox`, `agents/${role}/outbox`]);
    const changed = () => this.#set('project', Date.now());
    changed();
    this.#watches = [
      watchFolders(at(['.mailroom/journal']), () => this.#lookAtMail()),
      // A run has a lock while a process hosts it, so one that is resumed comes back.
      watchFolders(at([runsFolder, lockNames.folder]), () => this.#lookAtRuns(), anyName),
      watchFolders(at(['.mailroom', 'protocols', 'workflows', ...boxes]), changed, definitions),
      watchFolders([disk.root], changed, settings),
    ];
    this.#lookAtMail();
    this.#lookAtRuns();
  }

  /** Every topic that has not ended, with its number now. */
  numbers(): ReadonlyMap<Topic, number> {
    return this.#numbers;
  }

  close(): void {
    for (const watch of this.#watches) void watch.close();
    for (const { watch } of this.#runs.values()) void watch.close();
  }

  #set(topic: Topic, number: number): void {
    if (this.#numbers.get(topic) === number) return;
    this.#numbers.set(topic, number);
    this.#onChange(topic, number);
  }

  #lookAtMail(): void {
    unlessUnreadable(() => this.#set('mail', this.#mail()));
  }

  #lookAtRuns(): void {
    unlessUnreadable(() => {
      const begun = (this.#disk.list(runsFolder) ?? []).filter((run) => !this.#ended.has(run));
      for (const run of new Set([...begun, ...(this.#disk.list(lockNames.folder) ?? [])]))
        unlessUnreadable(() => this.#lookAtRun(run));
    });
  }

  #lookAtRun(run: string): void {
    const known = this.#runs.get(run);
    if (known !== undefined) return known.look();
    const over = isOver(this.#disk, run);
    if (over === true) return void this.#ended.add(run);
    const number = lastRecordOf(this.#disk, run);
    const look = () =>
      unlessUnreadable(() => {
        this.#set(`run:${run}`, number());
        if (isOver(this.#disk, run) === true) this.#end(run);
      });
    const watch = watchFolders([`${this.#disk.root}/${runsFolder}/${run}/journal`], look);
    this.#runs.set(run, { watch, look });
    look();
  }

  #end(run: string): void {
    void this.#runs.get(run)?.watch.close();
    this.#runs.delete(run);
    this.#numbers.delete(`run:${run}`);
    this.#ended.add(run);
  }
}

/** The number of the last record of a run, each time it is asked for. */
function lastRecordOf(disk: RealDisk, run: string): () => number {
  const reader = runReader(disk, run);
  let last: number | null = null;
  return () => {
    const more = last === null ? null : reader.more();
    last = more === null ? reader.read().last : (more.at(-1)?.n ?? last ?? 0);
    return last ?? 0;
  };
}

/** A journal that cannot be read counts as unchanged: a request for the state reports why. */
function unlessUnreadable(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof MailroomError)) throw error;
  }
}
