import { apply } from '../../mail/machine/apply.ts';
import type { MailEventRecord, MailEvent } from '../../mail/machine/event.ts';
import { emptyState, stateOf, type MailState } from '../../mail/machine/state.ts';
import type { JournalReader } from '../../disk/journal-reader.ts';
import type { Moment } from '../../kernel/times.ts';
import type { Past } from './project.ts';

/** The result of a command: null when it was done, else why not. */
interface CommandVerdict {
  readonly refusal: string | null;
}

/**
 * The journal as a command sees it while the controller continues to write it: each query folds
 * only what was added since the last one, and changes states that were returned before.
 */
export class Following {
  readonly #reader: JournalReader<MailEvent>;
  /** Null while the journal is empty. */
  #state: MailState | null = null;
  readonly #verdicts = new Map<string, CommandVerdict>();

  constructor(reader: JournalReader<MailEvent>) {
    this.#reader = reader;
  }

  /** That of an empty journal before the first record. */
  state(): MailState {
    this.#catchUp();
    return this.#state ?? emptyState();
  }

  /** The state at a moment of the past. Throws `E_TARGET` where the journal does not hold it. */
  past(moment: Moment): Past {
    const { snapshot, records, n } = this.#reader.past(moment, ({ at }) => at);
    return { record: n, state: records.reduce((state, { event }) => apply(state, event), stateOf(snapshot)) };
  }

  /** Undefined: the controller has not read the command of that id. */
  verdict(id: string): CommandVerdict | undefined {
    this.#catchUp();
    return this.#verdicts.get(id);
  }

  #catchUp(): void {
    const added = this.#state === null ? null : this.#reader.more();
    if (added === null) this.#begin();
    else this.#fold(added);
  }

  #begin(): void {
    const { snapshot, records, last } = this.#reader.read();
    this.#state = last === 0 ? null : stateOf(snapshot);
    this.#fold(records);
  }

  #fold(records: readonly MailEventRecord[]): void {
    for (const { event } of records) {
      if (this.#state !== null) this.#state = apply(this.#state, event);
      if (event.type === 'controlled') this.#verdicts.set(event.id, { refusal: event.refusal?.text ?? null });
    }
  }
}
