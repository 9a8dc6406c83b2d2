import type { JsonObject } from '../../kernel/json.ts';
import type { ProcessKey, RunEvent } from '../machine/event.ts';
import { stepOf } from '../machine/path.ts';
import { logRecords, stateDocument } from '../machine/records.ts';
import type { Rules } from '../machine/rules.ts';
import type { RunState } from '../machine/state.ts';
import { between } from './projector.ts';
import type { DiskGuard } from '../../disk/disk-guard.ts';

/** The folder in which a workflow with a place of its own shows a run. What the disk refuses throws `E_DISK`. */
export interface RecordFiles {
  /** Puts `state.json` there, durable, by one rename; returns its size. */
  state(document: JsonObject): number;
  /** The number of the last line of the log; 0: there is none. */
  lastLine(): number;
  log(lines: readonly JsonObject[]): void;
  /** Copies what a process printed to the logs of its step. */
  printed(key: ProcessKey, step: string): void;
  /** Paths of the logs of a step that are larger than what is kept in memory, as keys of `state.json`. */
  spills(step: string): JsonObject;
}

/** From this size on `state.json` is not written for every event, which would take as long as the loops in it are, but so often. */
const large = 16 * 1024;

/** What an event adds to the log, without its number. */
type Line = (sequence: number) => JsonObject;

/** Shows a run where its workflow wants it shown: all of it can be written again from the journal. */
export class Records {
  readonly #files: RecordFiles;
  readonly #rules: Rules;
  readonly #disk: DiskGuard;
  /** The number of the last line of the log when it was last looked at or written; null: never. */
  #line: number | null = null;
  /** Whether the log still ends there. */
  #known = false;
  /** Of events that are durable, and not in the log yet. */
  readonly #unwritten: Line[] = [];
  #size = 0;
  #writtenAt = 0;
  #stale = false;

  constructor(files: RecordFiles, rules: Rules, disk: DiskGuard) {
    this.#files = files;
    this.#rules = rules;
    this.#disk = disk;
  }

  /** When it is to be called again although nothing happens, by the wall clock (`now`); null: everything is shown. */
  due(now: number): number | null {
    return this.#stale ? Math.min(this.#writtenAt, now) + between : null;
  }

  /** Shows what events that are durable now have changed; of none, what was put off. */
  project(state: RunState, events: readonly RunEvent[], now: number): void {
    for (const event of events)
      if (event.type === 'ended') {
        const step = stepOf(event.key.path);
        this.#disk.until(`printed ${step}`, () => this.#files.printed(event.key, step));
      }
    this.#unwritten.push(...events.flatMap((event) => linesOf(event, state)));
    if (this.#unwritten.length > 0) this.#disk.until('log', () => this.#log());
    this.#stale ||= events.length > 0;
    const over = events.some(({ type }) => type === 'closed');
    const isDue = now < this.#writtenAt || now - this.#writtenAt >= between;
    if (over || isDue || (events.length > 0 && this.#size < large)) this.finish(state, now);
  }

  /** Shows what is left to be shown. */
  finish(state: RunState, now: number): void {
    if (!this.#stale) return;
    this.#writtenAt = now;
    this.#stale = false;
    this.#disk.until('state', () => {
      this.#size = this.#files.state(stateDocument(state, this.#rules, (step) => this.#files.spills(step)));
    });
  }

  #log(): void {
    if (!this.#known) {
      const last = this.#files.lastLine();
      // A disk that refused may have taken the first of them.
      if (this.#line !== null) this.#unwritten.splice(0, last - this.#line);
      this.#line = last;
    }
    const before = this.#line ?? 0;
    this.#known = false;
    this.#files.log(this.#unwritten.map((line, index) => line(before + index + 1)));
    this.#known = true;
    this.#line = before + this.#unwritten.splice(0).length;
  }
}

function linesOf(event: RunEvent, state: RunState): Line[] {
  const run = state.given?.run ?? '';
  return logRecords(event, state).map(({ level, step, event: name, more }) => {
    const attempt = step === undefined ? null : (state.steps.get(step)?.attempt ?? 1);
    return (sequence) => ({
      timestamp: new Date(event.at).toISOString(),
      run_id: run,
      event_seq: sequence,
      level,
      ...(step === undefined ? {} : { step, attempt_id: attempt }),
      event: name,
      ...more,
    });
  });
}
