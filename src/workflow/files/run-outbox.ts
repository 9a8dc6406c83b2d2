import { createHash } from 'node:crypto';
import {
  type StepAnswer,
  type StepRequest,
  readAnswer,
  readWaits,
  type Read,
} from '../../letters/letters.ts';
import type { ProcessKey } from '../machine/event.ts';
import { join } from '../../disk/disk.ts';
import type { Disk } from '../../disk/disk.ts';
import { putAside } from '../../host/refused.ts';
import { readSealed, writeSealed } from '../../host/seal.ts';
import { runFolder, incomingFolder, runInbox, waitsFile } from '../../host/run-mail.ts';

/** The maximum size of an answer, in bytes; its text is an agent's. */
const answerBytes = 64 * 1024 * 1024;

/** A file in the inbox of a run, as the answer to the message `id`, or why it is invalid. */
type LeftAnswer =
  | { readonly id: string; readonly answer: StepAnswer; readonly problem: null }
  | { readonly id: string; readonly answer: null; readonly problem: string };

/**
 * A run's side of the mail, for its steps that roles do. Synchronous; a refused disk operation
 * throws `E_DISK`. A sent message stays in `.mailroom/runs/<run>/posted/` until it is answered or
 * withdrawn, so that a later host of the run knows the open ones.
 */
export class RunOutbox {
  readonly #disk: Disk;
  readonly #run: string;
  readonly #posted: string;

  constructor(disk: Disk, run: string) {
    this.#disk = disk;
    this.#run = run;
    this.#posted = join(runFolder(run), 'posted');
  }

  /** A uuid v7 with the time of the run, and a digest of the key in place of the random bits. */
  idOf({ path, iteration, attempt }: ProcessKey): string {
    const name = [this.#run, path, String(iteration), String(attempt)].join('\n');
    const hash = createHash('sha256').update(name).digest('hex');
    const time =
      /^[\da-f]{8}-[\da-f]{4}/.exec(this.#run)?.[0] ?? `${hash.slice(20, 28)}-${hash.slice(28, 32)}`;
    return `${time}-7${hash.slice(0, 3)}-a${hash.slice(3, 6)}-${hash.slice(6, 18)}`;
  }

  /** Sends a step to the project's mail. Idempotent: it is one message. */
  send(letter: StepRequest): void {
    writeSealed(this.#disk, this.#postedFile(letter.id), document({ kind: 'step', ...letter }));
    this.resend(letter.id);
  }

  /**
   * Sends a message again, unchanged: it is unknown whether the mail accepted the first one. False:
   * Mailroom has not written it, so it was not sent.
   */
  resend(id: string): boolean {
    const posted = readSealed(this.#disk, this.#postedFile(id), answerBytes);
    if (posted === 'gone' || !posted.ok) return false;
    writeSealed(this.#disk, join(incomingFolder, `${id}.step.json`), posted.text);
    return true;
  }

  /** Messages that were sent and are neither withdrawn nor removed. */
  posted(): string[] {
    const names = this.#disk.list(this.#posted) ?? [];
    return names.flatMap((name) => /^([\da-f-]+)\.json$/.exec(name)?.[1] ?? []);
  }

  #postedFile(id: string): string {
    return join(this.#posted, `${id}.json`);
  }

  /** Withdraws a step that is not needed any more. */
  withdraw(step: string): void {
    const id = `${step}.withdrawal`;
    // Sorts after the step by name: a reader of both reads them in this order.
    const withdrawal = { kind: 'withdrawal', id, run: this.#run, step, by: `the run ${this.#run}` };
    writeSealed(this.#disk, join(incomingFolder, `${id}.json`), document(withdrawal));
    this.remove(step);
  }

  /** The files in the run's inbox. */
  answers(): LeftAnswer[] {
    return (this.#disk.list(runInbox(this.#run)) ?? [])
      .filter((name) => name.endsWith('.json') && !name.startsWith('.') && name !== waitsFile)
      .toSorted()
      .flatMap((name) => this.#answer(name) ?? []);
  }

  /**
   * The messages whose role waits for others. An unreadable file is put aside, and its problem
   * reported.
   */
  waits(report: (problem: string) => void): ReadonlySet<string> {
    const read = this.#read(waitsFile, readWaits);
    if (read === null) return new Set();
    if (read.ok) return new Set(read.value);
    putAside(this.#disk, this.#inboxFile(waitsFile), read.problem);
    report(`${this.#inboxFile(waitsFile)} was put aside: ${read.problem}`);
    return new Set();
  }

  /** Puts aside an invalid answer to a message, with the reason beside it. */
  refuse(id: string, problem: string): void {
    putAside(this.#disk, this.#inboxFile(`${id}.json`), problem);
  }

  /** Removes a message with its answer, once the journal has it. */
  remove(id: string): void {
    this.#disk.remove(join(runInbox(this.#run), `${id}.json`));
    this.#disk.remove(this.#postedFile(id));
  }

  /** Null: it has vanished. */
  #answer(name: string): LeftAnswer | null {
    const id = name.slice(0, -'.json'.length);
    const read = this.#read(name, readAnswer);
    if (read === null) return null;
    if (!read.ok) return { id, answer: null, problem: read.problem };
    const { value: answer } = read;
    if (answer.id === id && answer.run === this.#run) return { id, answer, problem: null };
    return { id, answer: null, problem: 'it answers another step' };
  }

  /** Null: it has vanished. */
  #read<T>(name: string, reader: (text: string) => Read<T>): Read<T> | null {
    const content = readSealed(this.#disk, this.#inboxFile(name), answerBytes);
    if (content === 'gone') return null;
    return content.ok ? reader(content.text) : content;
  }

  #inboxFile(name: string): string {
    return join(runInbox(this.#run), name);
  }
}

function document(value: object): string {
  return JSON.stringify(value, null, 2);
}
