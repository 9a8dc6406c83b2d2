import type { Control } from '../../host/control-port.ts';
import type { MailEventRecord } from '../machine/event.ts';
import type { StepAnswer } from '../../letters/step-answer.ts';
import type { MessageId, RoleName } from '../../kernel/ids.ts';
import type { StagedFile, TurnPaths } from '../../providers/provider.ts';
import type { Box, Dropped, Accepted, Folder } from '../format/boxes.ts';

/* ---------------------------------------------------------------- the journal */

/**
 * The truth: an append-only list of records numbered from 1. Every method is synchronous; a failed or short write or a
 * failed sync throws `MailroomError('E_DISK')`, after which the journal refuses further appends.
 */
export interface Journal {
  /** The newest snapshot (null: none) and every whole record after it. Throws `E_JOURNAL` on damage or a gap. */
  read(): { snapshot: { n: number; state: unknown } | null; records: MailEventRecord[]; cut: string | null };
  /** Appends records after the last one; they are true once `sync` has returned. Returns the number of the last. */
  append(events: readonly MailEventRecord['event'][]): number;
  /** Makes everything appended durable. */
  sync(): void;
  /** Replaces all records up to `n` by a state; keeps segments that hold records after `keepAfter`. */
  snapshot(n: number, state: unknown, keepAfter: number): void;
  close(): void;
}

/**
 * The mail folders of a project. Synchronous; what cannot be read or written throws `E_DISK`, so that "cannot read" never
 * looks like "empty". Nothing here is synced: it can all be drawn again from the journal.
 */
export interface Mailboxes {
  /** Makes the folders of these roles. Returns the roles whose inbox was not there. */
  prepare(roles: readonly RoleName[]): RoleName[];
  /** The `.md` names in a role's box, sorted. Null: the folder is gone. */
  list(role: RoleName, box: Box): string[] | null;
  /**
   * Whether a dropped file is complete: not empty, unchanged for 10 ms, its front matter closed. `wait`: look again at
   * that instant. `refuse`: it stayed empty or unclosed for 2 s.
   */
  settled(
    file: Dropped,
    now: number,
  ): { is: 'complete' } | { is: 'wait'; until: number } | { is: 'refuse'; problem: string } | { is: 'gone' };
  /** Takes a dropped file in, under a name that carries its new id, by one rename. False: it was gone. */
  accept(file: Dropped, id: MessageId): boolean;
  /** Everything that was taken in and not yet released, oldest id first; reads each (only a regular file within the limit). */
  accepting(): Accepted[];
  /** Forgets a taken-in file, once the journal has it. */
  release(id: MessageId): void;
  /** Moves a taken-in file that could not be read as text (a folder, a link, something binary) to `failed` as it is. */
  keep(id: MessageId, role: RoleName, month: string, name: string): void;
  /** The text of a file in a folder, in any month; null when it is not there. */
  read(role: RoleName, folder: Folder, name: string): string | null;
  /** True when a file of this name lies in that folder of the role (in any month). */
  holds(role: RoleName, folder: Folder, name: string): boolean;
  /** Puts a whole file there (temporary and rename); `month` is ignored for the inbox. */
  put(role: RoleName, folder: Folder, month: string, name: string, text: string): void;
  /** Moves inbox/name to a folder; puts `text` there when the inbox does not have it. */
  file(role: RoleName, folder: Folder, month: string, name: string, text: string): void;
  /** Removes failed/name, with the reason beside it, if it is there: the message was put back into the inbox. */
  unfail(role: RoleName, month: string, name: string): void;
  /** Removes inbox/name or outbox/name if it is there. */
  remove(role: RoleName, box: Box, name: string): void;
}

/* ---------------------------------------------------------------- control from outside */

/* ---------------------------------------------------------------- runs of workflows */

/** Between the mail and the runs of workflows, whose steps roles may do. */
export interface RunMail {
  /** What runs have put into `.mailroom/incoming/`, oldest first. */
  readonly incoming: Control;
  /** Puts an answer into the inbox of its run, by one rename; nothing where there is no such run (any more). */
  answer(answer: StepAnswer): void;
  /** Shows the runs which of their steps wait for others than the role that does them. */
  waits(steps: ReadonlyMap<string, readonly MessageId[]>): void;
}

export interface TurnFolders {
  /**
   * Makes `.mailroom/turns/<turn>/<attempt>/` with prompt, read-only copies of the messages and an empty staging folder
   * (`keepStaging`: a further round of the same attempt keeps what lies there). Returns absolute paths.
   */
  open(
    turn: string,
    attempt: number,
    round: number,
    prompt: (outbox: string) => string,
    messages: readonly { name: string; text: string }[],
    keepStaging: boolean,
  ): TurnPaths;
  /** Copies the staging folder aside and reads the copy: what is written later is not seen. */
  collect(turn: string, attempt: number, round: number): StagedFile[];
  /** Puts a file into the staging folder (mail that a role wrote into its own outbox during its turn). */
  stage(turn: string, attempt: number, name: string, from: { role: RoleName; name: string }): boolean;
  /** Mail that lies in mail folders of a checkout below `.mailroom/worktrees/`, where nobody looks for it. */
  strays(worktree: string): string[];
  /** Writes the result for people. */
  result(turn: string, attempt: number, round: number, document: unknown): void;
}
