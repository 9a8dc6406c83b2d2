import type { Checked } from '../../kernel/diagnostic.ts';
import type { Protocol } from '../../mail/format/protocol.ts';
import type { MailState } from '../../mail/machine/state.ts';
import type { RoleName } from '../../kernel/ids.ts';
import type { Folder } from '../../mail/format/boxes.ts';

/** A file as it lies in a mail folder; the path is relative to the project. */
export interface MailFile {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

/** What the operations need to know of a project, and the two ways in for what they send. */
export interface Project {
  readonly root: string;
  definition(): Promise<Checked<{ readonly protocol: Protocol; readonly hash: string }>>;
  hash(): string;
  state(): MailState | null;
  holder(): Holder | null;
  mail(role: RoleName, folder: Folder | 'outbox'): readonly MailFile[];
  /** The names of the messages in a box, without a look at what they hold. */
  names(role: RoleName, box: 'inbox' | 'outbox'): readonly string[];
  roles(): RoleName[];
  drop(role: RoleName, box: 'inbox' | 'outbox', name: string, text: string): string;
  stage(folder: string, name: string, text: string): string;
  request(document: { readonly id: string; readonly [key: string]: unknown }): void;
  verdict(id: string): { readonly refusal: string | null } | undefined;
  readonly files: { exists(path: string): boolean; read(path: string): string | null };
  newId(): string;
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
