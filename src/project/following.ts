import { apply } from '../mail/machine/apply.ts';
import type { MailEventRecord, MailEvent } from '../mail/machine/event.ts';
import { emptyState, stateOf, type MailState } from '../mail/machine/state.ts';
import type { JournalReader } from '../disk/journal-reader.ts';
import type { Moment } from '../kernel/times.ts';

/** The mail as it was after a record. */
export interface Past {
  /** The number of the record in the journal. */
  readonly record: number;
  readonly state: MailState;
  /** What the record says, as the given function has it. */
  readonly what: string | null;
}

/** What an event says, from the state before it. */
type Says = (event: MailEvent, before: MailState) => string | null;

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

  /**
   * The state at a moment of the past, and what its record says. Throws `E_TARGET` where the
   * journal does not hold the moment.
   */
  past(moment: Moment, says: Says = () => null): Past {
    const { snapshot, records, n } = this.#reader.past(moment, ({ at }) => at);
    const [last, before] = [records.at(-1), records.slice(0, -1)];
    const state = this.#reader.fold(stateOf(snapshot), before, apply);
    if (last === undefined) return { record: n, state, what: null };
    const what = says(last.event, state);
    return { record: n, state: this.#reader.fold(state, [last], apply), what };
  }

  /** Undefined: the controller has not read the command of that id. */
  verdict(id: string): CommandVerdict | undefined {
    this.#catchUp();
    return this.#verdicts.get(id);
  }

  #catchUp(): void {
    const known = this.#state;
    const added = known === null ? null : this.#reader.more();
    // A record that cannot be read leaves a part of its change behind.
    this.#state = null;
    this.#state = added === null ? this.#begin() : this.#fold(known, added);
  }

  #begin(): MailState | null {
    const { snapshot, records, last } = this.#reader.read();
    return this.#fold(last === 0 ? null : stateOf(snapshot), records);
  }

  #fold(start: MailState | null, records: readonly MailEventRecord[]): MailState | null {
    return this.#reader.fold(start, records, (state, event) => {
      if (event.type === 'controlled') this.#verdicts.set(event.id, { refusal: event.refusal?.text ?? null });
      return state === null ? null : apply(state, event);
    });
  }
}
