import type { Config } from '../../config/config.ts';
import type { Checked, Diagnostic } from '../../kernel/diagnostic.ts';
import type { HolderNote } from '../../host/holder.ts';
import type { Moment } from '../../kernel/times.ts';
import type { Protocol } from '../../mail/format/protocol.ts';
import type { MailState } from '../../mail/machine/state.ts';
import type { RoleName } from '../../kernel/ids.ts';
import type { Folder } from '../../mail/format/boxes.ts';
import type { IsMail } from '../../mail/mailboxes/mail-files.ts';
import type { Misplaced } from '../../mail/mailboxes/misplaced.ts';
import type { StatusSource } from './kept-status.ts';

/** A file in a mail folder; the path is relative to the project. */
interface MailFile {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

/** The mail as it was after a record. */
export interface Past {
  /** The number of the record in the journal. */
  readonly record: number;
  readonly state: MailState;
}

/** What the operations read of a project, and how they send to it. Reads are synchronous. */
export interface Project {
  readonly root: string;
  definition(): Promise<
    Checked<{ readonly protocol: Protocol; readonly config: Config; readonly hash: () => string }>
  >;
  /** The hash of the protocol currently on disk, computed without parsing it. */
  hash(): string;
  /**
   * The fold of the journal, as another process sees it; without a journal that of an empty one.
   * Throws `E_JOURNAL`.
   */
  state(): MailState;
  /** The state at a moment of the past. Throws `E_TARGET` where the journal does not hold it. */
  past(moment: Moment): Past;
  /** What the status needs of the state. Faster than `state` where a controller has kept it. */
  statusSource(): StatusSource;
  /** The current holder of the project; null: none. */
  holder(): Holder | null;
  /** The mail in a folder of a role, in all months. */
  mail(role: RoleName, folder: Folder | 'outbox'): readonly MailFile[];
  /** The names of the messages in a box, without reading them; default: those that end in `.md`. */
  names(role: RoleName, box: 'inbox' | 'outbox', isMail?: IsMail): readonly string[];
  /** Why no git worktree can be made for threads; null: it can, or the protocol needs none. */
  workspaceProblem(protocol: Protocol): Promise<Diagnostic | null>;
  missingBranches(protocol: Protocol): Promise<ReadonlySet<string>>;
  /** Mail that no role of the protocol reads. */
  misplaced(protocol: Protocol, config: Config): readonly Misplaced[];
  roles(): RoleName[];
  /**
   * Drops a message file into a role's box, atomically. Returns its path, relative to the project.
   */
  drop(role: RoleName, box: 'inbox' | 'outbox', name: string, text: string): string;
  /** Writes a message into the staging folder of the calling turn. */
  stage(folder: string, name: string, text: string): string;
  /** Sends a command to the controller. */
  request(document: { readonly id: string; readonly [key: string]: unknown }): void;
  /** The verdict on a command; undefined: not read yet. Looks at the end of the journal. */
  verdict(id: string): { readonly refusal: string | null } | undefined;
  readonly files: {
    exists(path: string): boolean;
    read(path: string): string | null;
    /** At most so many bytes of a file from an offset on; null: it does not exist. */
    part(path: string, from: number, most: number): Buffer | null;
    /** The texts of the commands in a control folder that no host has read, the oldest first. */
    commands(folder: string): string[];
    /** The names in a folder; none if it does not exist. */
    list(folder: string): readonly string[];
  };
  newId(): string;
  /** Waits for a change in the project, at most this many milliseconds. */
  changed(milliseconds: number): Promise<void>;
}

/** The holder of a project; `since`: milliseconds since 1970. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly since: number;
  /**
   * False: it is a run that moves the mail for its roles, and starts no workflow by its triggers.
   */
  readonly triggers: boolean;
  /** Current problems that will be retried. */
  readonly problems: readonly string[];
  /** Who uses its slots for agents; null: one is free. */
  readonly slots: Required<HolderNote>['slots'];
}

/** How long a command waits for the controller's verdict, in milliseconds. */
export const patience = 5_000;

/** Checks on every change until there is an answer, or the wait times out: then undefined. */
export async function waitFor<T>(
  project: Pick<Project, 'changed'>,
  clock: () => number,
  milliseconds: number,
  look: () => T | undefined,
): Promise<T | undefined> {
  const end = clock() + milliseconds;
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    const left = end - clock();
    if (left <= 0) return undefined;
    await project.changed(Math.min(left, 250));
  }
}
