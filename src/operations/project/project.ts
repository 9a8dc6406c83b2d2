import type { Checked } from '../../kernel/diagnostic.ts';
import type { Protocol } from '../../mail/format/protocol.ts';
import type { MailState } from '../../mail/machine/state.ts';
import type { RoleName } from '../../kernel/ids.ts';
import type { Folder } from '../../mail/format/boxes.ts';
import type { StatusSource } from './kept-status.ts';

/** A file as it lies in a mail folder; the path is relative to the project. */
export interface MailFile {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

/** What the operations need to know of a project, and the ways in for what they send. Synchronous where it only reads. */
export interface Project {
  readonly root: string;
  definition(): Promise<Checked<{ readonly protocol: Protocol; readonly hash: string }>>;
  /** Names the protocol as it lies on disk now, without reading what it says. */
  hash(): string;
  /** The fold of the journal, as another process sees it; null: there is no journal yet. Throws `E_JOURNAL`. */
  state(): MailState | null;
  /** What the status takes from the state. Faster than `state` where a controller has kept it. */
  statusSource(): StatusSource;
  /** Who holds the project now; null: nobody. */
  holder(): Holder | null;
  /** The mail that lies in a folder of a role, in all months. */
  mail(role: RoleName, folder: Folder | 'outbox'): readonly MailFile[];
  /** The names of the messages in a box, without a look at what they hold. */
  names(role: RoleName, box: 'inbox' | 'outbox'): readonly string[];
  roles(): RoleName[];
  /** Drops a message file into a role's box, whole (by one rename). Returns its path from the project. */
  drop(role: RoleName, box: 'inbox' | 'outbox', name: string, text: string): string;
  /** Writes a message into the staging folder of the turn that we are called from. */
  stage(folder: string, name: string, text: string): string;
  /** Leaves a command for the controller. */
  request(document: { readonly id: string; readonly [key: string]: unknown }): void;
  /** The verdict of a command; undefined: not taken yet. Looks at the journal's end. */
  verdict(id: string): { readonly refusal: string | null } | undefined;
  readonly files: {
    exists(path: string): boolean;
    read(path: string): string | null;
    /** The names in a folder; none where there is no folder. */
    list(folder: string): readonly string[];
  };
  newId(): string;
  /** Waits for something to change in the project, at most so many milliseconds. */
  changed(milliseconds: number): Promise<void>;
}

/** Who holds a project; `since` is milliseconds since 1970. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly since: number;
  /** False: it is a run that moves the mail for its roles, and starts no workflow by its triggers. */
  readonly triggers: boolean;
  /** What is wrong now and will be tried again. */
  readonly problems: readonly string[];
}

/** How long a command waits for the controller's word, in milliseconds. */
export const patience = 5_000;

/** Looks again on every change until there is an answer, or the time is over: then undefined. */
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
