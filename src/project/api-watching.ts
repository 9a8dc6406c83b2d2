import type { Disk } from '../disk/disk.ts';
import { matchingFiles } from '../disk/matching-files.ts';
import { watchTrees } from '../disk/watch-tree.ts';
import { watchFolders, type Watch } from '../disk/watch.ts';
import { lockFile } from '../host/holder.ts';
import { livingHolder } from '../host/holding.ts';
import { runsFolder } from '../host/run-mail.ts';
import { MailroomError } from '../kernel/errors.ts';
import { lockNames } from '../kernel/lock-names.ts';
import { rolesOnDisk } from '../mail/mailboxes/mail-files.ts';
import { isOver } from '../workflow/files/ended.ts';
import { runHolder } from '../workflow/files/layout.ts';
import { runReader } from '../workflow/files/run-folders.ts';
import { isAlive } from '../workflow/host/locks.ts';

/**
 * What has changed: `mail` and `run:<id>` at a record of their journals, `project` (settings,
 * definitions, folders of mail, the controller), `workflows` and `artifacts` (what stages can name)
 * at a time in milliseconds since 1970. The process of a run that has gone changes what is known of
 * the run, and leaves its number.
 */
export type Topic = 'mail' | 'project' | 'workflows' | 'artifacts' | `run:${string}`;

/** The files of the topics that a person edits. */
const edited = {
  workflows: ['workflows/**/*.{yaml,yml,json}', '.skillmeat-workflow-overrides.yaml'],
  artifacts: ['modules/*.md', 'memory/*.md', '.claude/agents/*.md', '.claude/skills/*/SKILL.md'],
} as const;

/** The folders of these files, but for those of the roles. */
const editedFolders = ['workflows', 'modules', 'memory', '.claude/agents', '.claude/skills'];

const definitions = /^[^.].*\.(?:ya?ml|json|md)$/;
const settings = /^(?:mailroom|agents|\.skillmeat-workflow-overrides)\.ya?ml$/;
const anyName = /^[^.]/;
const ofARole = /^role\.md$/;
/** How often processes are looked at, in milliseconds: one that is killed changes no file. */
const hostsMs = 2_000;

interface OpenRun {
  readonly watch: Watch;
  readonly look: () => void;
  /** A process was seen to host it, and not yet to have gone. */
  isHosted: boolean;
}

/** Follows a project by the system's file watches, until it is closed. */
export class ProjectWatch {
  readonly #disk: Disk;
  readonly #mail: () => number;
  readonly #onChange: (topic: Topic, number: number) => void;
  readonly #numbers = new Map<Topic, number>();
  /** The runs that have not ended. */
  readonly #runs = new Map<string, OpenRun>();
  readonly #ended = new Set<string>();
  readonly #watches: readonly Pick<Watch, 'close'>[];
  /** What is known of the files that a person edits. */
  readonly #files = new Map<keyof typeof edited, string>();
  /** Whether the controller was seen, and not yet to have gone. */
  #isControlled = false;
  /** Null: closed. */
  #timer: NodeJS.Timeout | null = null;

  /** `mail`: the number of the last record of the mail's journal. */
  constructor(disk: Disk, mail: () => number, onChange: (topic: Topic, number: number) => void) {
    this.#disk = disk;
    this.#mail = mail;
    this.#onChange = onChange;
    const at = (folders: readonly string[]) => folders.map((folder) => `${disk.root}/${folder}`);
    const boxes = rolesOnDisk(disk).flatMap((role) => [`agents/${role}/inbox`, `agents/${role}/outbox`]);
    const changed = () => {
      this.#isControlled = livingHolder(disk, lockFile) !== null;
      this.#set('project', Date.now());
    };
    changed();
    this.#watches = [
      watchFolders(at(['.mailroom/journal']), () => this.#lookAtMail()),
      // A run has a lock while a process hosts it, so one that is resumed comes back.
      watchFolders(at([runsFolder, lockNames.folder]), () => this.#lookAtRuns(), anyName),
      watchFolders(at(['.mailroom', 'protocols', 'workflows', ...boxes]), changed, definitions),
      watchFolders([disk.root], changed, settings),
      watchTrees(at(editedFolders), () => this.#lookAtFiles()),
      watchFolders(at(rolesOnDisk(disk).map((role) => `agents/${role}`)), () => this.#lookAtFiles(), ofARole),
    ];
    this.#lookAtFiles();
    this.#lookAtMail();
    this.#lookAtRuns();
    this.#lookAtHostsLater();
  }

  /** Every topic that has not ended, with its number now. */
  numbers(): ReadonlyMap<Topic, number> {
    return this.#numbers;
  }

  close(): void {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    for (const watch of this.#watches) void watch.close();
    for (const { watch } of this.#runs.values()) void watch.close();
  }

  #set(topic: Topic, number: number): void {
    if (this.#numbers.get(topic) === number) return;
    this.#numbers.set(topic, number);
    this.#onChange(topic, number);
  }

  #lookAtFiles(): void {
    unlessUnreadable(() => {
      const described = rolesOnDisk(this.#disk).map((role) => this.#disk.look(`agents/${role}/role.md`));
      for (const topic of ['workflows', 'artifacts'] as const) {
        const files = matchingFiles(this.#disk, edited[topic], ['agents']);
        const now = JSON.stringify([...files, topic === 'artifacts' ? described : null]);
        if (this.#files.get(topic) !== now) this.#set(topic, Date.now());
        this.#files.set(topic, now);
      }
    });
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
        open.isHosted ||= livingHolder(this.#disk, runHolder(run)) !== null;
        this.#set(`run:${run}`, number());
        if (isOver(this.#disk, run) === true) this.#end(run);
      });
    const watch = watchFolders([`${this.#disk.root}/${runsFolder}/${run}/journal`], look);
    const open: OpenRun = { watch, look, isHosted: false };
    this.#runs.set(run, open);
    look();
  }

  #end(run: string): void {
    void this.#runs.get(run)?.watch.close();
    this.#runs.delete(run);
    this.#numbers.delete(`run:${run}`);
    this.#ended.add(run);
  }

  #lookAtHostsLater(): void {
    this.#timer = setTimeout(() => void this.#lookAtHosts(), hostsMs).unref();
  }

  async #lookAtHosts(): Promise<void> {
    if (this.#isControlled && livingHolder(this.#disk, lockFile) === null) {
      this.#isControlled = false;
      this.#set('project', Date.now());
    }
    for (const [run, open] of this.#runs) {
      if (!open.isHosted || livingHolder(this.#disk, runHolder(run)) !== null) continue;
      // A host removes its note first, and its lock afterwards.
      if (await this.#isUnknownOrAlive(run)) continue;
      open.isHosted = false;
      const number = this.#numbers.get(`run:${run}`);
      if (number !== undefined && this.#timer !== null) this.#onChange(`run:${run}`, number);
    }
    if (this.#timer !== null) this.#lookAtHostsLater();
  }

  async #isUnknownOrAlive(run: string): Promise<boolean> {
    try {
      return await isAlive(this.#disk, run);
    } catch (error) {
      if (!(error instanceof MailroomError)) throw error;
      return true;
    }
  }
}

/** The number of the last record of a run, each time it is asked for. */
function lastRecordOf(disk: Disk, run: string): () => number {
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
