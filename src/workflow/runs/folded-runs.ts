import type { Disk, FileStat } from '../../disk/disk.ts';
import type { JournalReader } from '../../disk/journal-reader.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { definitionFile, readRun, runReader } from '../files/run-folders.ts';
import { expectBegun, runState } from '../host/run-state.ts';
import { apply } from '../machine/apply.ts';
import type { RunEvent } from '../machine/event.ts';
import { compile, type Rules } from '../machine/rules.ts';
import { runStateOf, type RunState } from '../machine/state.ts';
import { runRow, type RunRow } from './summary.ts';

/** So many states of runs that have not ended are in memory; the rows of all runs are. */
const mostStates = 64;

/** A run that has not ended, as the next reading changes it. */
interface Folded {
  readonly rules: Rules;
  readonly state: RunState;
}

interface Known {
  readonly reader: JournalReader<RunEvent>;
  /** The file of its definition, which a resume may replace. */
  readonly defined: FileStat | null;
  readonly row: RunRow;
}

/**
 * The runs of a project as their journals show them now. A journal is folded from where its last
 * reading ended, and as a whole where it is not the same any more.
 */
export class FoldedRuns {
  readonly #disk: Disk;
  readonly #known = new Map<string, Known>();
  /** Of runs that have not ended, the most recently read last. */
  readonly #states = new Map<string, Folded>();

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** Throws `E_TARGET` for a run that does not exist, and `E_JOURNAL`. */
  row(run: string): RunRow {
    return this.#read(run).row;
  }

  /** The next reading changes it. Throws as `row` does. */
  state(run: string): RunState {
    // Of a run that has ended, only its row is kept.
    return this.#read(run).folded?.state ?? runState(this.#disk, run);
  }

  /** Null: it has ended. Throws as `row` does. */
  open(run: string): Folded | null {
    const { row, folded } = this.#read(run);
    if (row.endedAt !== null) return null;
    return folded ?? this.#begin(run, this.#disk.look(definitionFile(run))).folded;
  }

  /** Forgets the runs that do not exist any more. */
  keep(existing: Iterable<string>): void {
    const kept = new Set(existing);
    for (const run of this.#known.keys()) if (!kept.has(run)) this.#forget(run);
  }

  #read(run: string): { readonly row: RunRow; readonly folded: Folded | null } {
    const known = this.#known.get(run);
    const folded = this.#states.get(run) ?? null;
    const defined = this.#disk.look(definitionFile(run));
    const more = known !== undefined && isSame(known.defined, defined) ? known.reader.more() : null;
    if (known === undefined || more === null) return this.#begin(run, defined);
    if (more.length === 0)
      return folded === null ? { row: known.row, folded } : this.#keep(run, known, folded);
    if (folded === null) return this.#begin(run, defined);
    // A record that cannot be read leaves a part of its change behind.
    this.#forget(run);
    const state = known.reader.fold(folded.state, more, apply);
    return this.#keep(run, { ...known, row: runRow(state, folded.rules) }, { ...folded, state });
  }

  #begin(run: string, defined: FileStat | null): { readonly row: RunRow; readonly folded: Folded } {
    this.#forget(run);
    const stored = readRun(this.#disk, run);
    if (stored === null) throw new MailroomError('E_TARGET', `there is no run \`${run}\``);
    const rules = compile(stored.definition);
    const reader = runReader(this.#disk, run);
    const { snapshot, records } = reader.read();
    const state = expectBegun(run, reader.fold(runStateOf(snapshot), records, apply));
    return this.#keep(run, { reader, defined, row: runRow(state, rules) }, { rules, state });
  }

  #keep(run: string, known: Known, folded: Folded): { readonly row: RunRow; readonly folded: Folded } {
    this.#forget(run);
    this.#known.set(run, known);
    if (known.row.endedAt === null) this.#states.set(run, folded);
    const [oldest] = this.#states.keys();
    if (this.#states.size > mostStates && oldest !== undefined) this.#states.delete(oldest);
    return { row: known.row, folded };
  }

  #forget(run: string): void {
    this.#known.delete(run);
    this.#states.delete(run);
  }
}

function isSame(before: FileStat | null, now: FileStat | null): boolean {
  return before?.size === now?.size && before?.mtimeMs === now?.mtimeMs;
}
