import type { JournalReader } from '../../disk/journal-reader.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { apply } from '../machine/apply.ts';
import type { RunEvent } from '../machine/event.ts';
import { compile, type Rules } from '../machine/rules.ts';
import { runStateOf, type RunState } from '../machine/state.ts';
import type { StoredRun } from '../../project/definition/contracts.ts';
import type { Workflows } from './workflows.ts';
import type { RunEventDocument } from '../../documents/runs.ts';
import { iso, isoOrNull } from '../../kernel/times.ts';
import { happenings } from '../machine/happenings.ts';
import { statusOf } from '../machine/view.ts';
import { progressOf } from './summary.ts';

/** How many records are read into events at once, so that a long run needs little memory. */
const most = 500;

type Records = readonly { readonly n: number; readonly event: RunEvent }[];

/** The events of a run, from a record of its journal on. */
export class FollowedRun {
  readonly #reader: JournalReader<RunEvent>;
  readonly #rules: Rules;
  readonly #state: RunState;
  /** Read, and not returned yet. */
  #waiting: Records;
  #last: number;

  /**
   * `after`: the number of the last record that is known; what the journal does not keep any more
   * is left out. Throws `E_JOURNAL`.
   */
  constructor(stored: StoredRun, workflows: Workflows, after: number) {
    this.#reader = workflows.journal(stored.run);
    this.#rules = compile(stored.definition);
    const known = this.#known(after);
    const { snapshot, records, last } = this.#reader.read(known === null ? null : after);
    this.#state = known ?? runStateOf(snapshot);
    this.#waiting = records;
    this.#last = last;
  }

  /** The state after a record; null: the journal does not hold it. */
  #known(after: number): RunState | null {
    try {
      const { snapshot, records } = this.#reader.past({ record: after }, ({ at }) => at);
      return this.#reader.fold(runStateOf(snapshot), records, apply);
    } catch (error) {
      if (error instanceof MailroomError && error.code === 'E_TARGET') return null;
      throw error;
    }
  }

  /** Whether the run has ended, and all its events have been returned. */
  get isOver(): boolean {
    return this.#state.endedAt !== null && this.#waiting.length === 0;
  }

  /** Some of the events that were not returned yet; empty: there are none. */
  next(): RunEventDocument[] {
    if (this.#waiting.length === 0) this.#waiting = this.#more();
    const records = this.#waiting.slice(0, most);
    this.#waiting = this.#waiting.slice(most);
    return records.flatMap((record) => runEventsOf(this.#state, this.#rules, record));
  }

  #more(): Records {
    const more = this.#reader.more() ?? this.#reader.read(this.#last).records;
    this.#last = more.at(-1)?.n ?? this.#last;
    return more;
  }
}

/** The things that happen by a record. `state`: before it, and changed by this. */
export function runEventsOf(
  state: RunState,
  rules: Rules,
  { n, event }: { readonly n: number; readonly event: RunEvent },
): RunEventDocument[] {
  return happenings(state, event).news.map(({ what, level, path, reason, by, until }) => ({
    seq: n,
    at: iso(event.at),
    run: state.given?.run ?? '',
    level: level ?? 'info',
    event: what,
    stage: path ?? null,
    attempt: path === undefined ? null : (state.steps.get(path)?.attempt ?? null),
    status: path === undefined ? state.status : statusOf(state, path),
    reason: reason ?? null,
    by: by ?? null,
    until: isoOrNull(until ?? null),
    progress: progressOf(state, rules.workflow),
    cost: state.cost,
  }));
}
