import type { JsonObject } from '../../kernel/json.ts';
import type { ProcessKey, RunEvent } from '../machine/event.ts';
import { stepOf } from '../machine/path.ts';
import { logRecords, stateDocument } from '../machine/records.ts';
import type { Rules } from '../machine/rules.ts';
import type { RunState } from '../machine/state.ts';
import { between } from './projector.ts';
import type { DiskGuard } from '../../disk/disk-guard.ts';

/**
 * The records folder of a run whose workflow has its own workspace. A refused disk operation throws
 * `E_DISK`.
 */
export interface RecordFiles {
  /** Writes `state.json`, durably, by one rename; returns its size in bytes. */
  state(document: JsonObject): number;
  /** The number of the last line of the log; 0: it is empty. */
  lastLine(): number;
  log(lines: readonly JsonObject[]): void;
  /** Copies a process's output to the logs of its step. */
  printed(key: ProcessKey, step: string): void;
  /** Paths of the step's logs that are too large to keep in memory, as keys of `state.json`. */
  spills(step: string): JsonObject;
}

/**
 * From this size on, in bytes, `state.json` is written at intervals instead of for every event,
 * which would take time in proportion to the loops in it.
 */
const large = 16 * 1024;

/** A log line of an event, without its number. */
type Line = (sequence: number) => JsonObject;

/** Projects a run into its workflow's records; all of it can be rebuilt from the journal. */
export class Records {
  readonly #files: RecordFiles;
  readonly #rules: Rules;
  readonly #disk: DiskGuard;
  /** The number of the last line of the log when last read or written; null: never. */
  #line: number | null = null;
  /** Whether the log still ends there. */
  #known = false;
  /** Log lines of durable events that are not written yet. */
  readonly #unwritten: Line[] = [];
  #size = 0;
  #writtenAt = 0;
  #stale = false;

  constructor(files: RecordFiles, rules: Rules, disk: DiskGuard) {
    this.#files = files;
    this.#rules = rules;
    this.#disk = disk;
  }

  /**
   * When to call it again without an event, by the wall clock (`now`); null: nothing is pending.
   */
  due(now: number): number | null {
    return this.#stale ? Math.min(this.#writtenAt, now) + between : null;
  }

  /** Projects the changes of durable events; without events, what was deferred. */
  project(state: RunState, events: readonly RunEvent[], now: number): void {
    for (const event of events)
      if (event.type === 'ended') {
        const step = stepOf(event.key.path);
        this.#disk.keepTrying(`printed ${step}`, () => this.#files.printed(event.key, step));
      }
    this.#unwritten.push(...events.flatMap((event) => linesOf(event, state)));
    if (this.#unwritten.length > 0) this.#disk.keepTrying('log', () => this.#log());
    this.#stale ||= events.length > 0;
    const over = events.some(({ type }) => type === 'closed');
    const isDue = now < this.#writtenAt || now - this.#writtenAt >= between;
    if (over || isDue || (events.length > 0 && this.#size < large)) this.finish(state, now);
  }

  /** Projects everything that is pending. */
  finish(state: RunState, now: number): void {
    if (!this.#stale) return;
    this.#writtenAt = now;
    this.#stale = false;
    this.#disk.keepTrying('state', () => {
      this.#size = this.#files.state(stateDocument(state, this.#rules, (step) => this.#files.spills(step)));
    });
  }

  #log(): void {
    if (!this.#known) {
      const last = this.#files.lastLine();
      // A write that failed may have written the first of them.
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
