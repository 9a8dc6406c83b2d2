import type { JsonObject } from '../../kernel/json.ts';
import type { ProcessKey, RunEvent } from '../machine/event.ts';
import { stepOf } from '../machine/path.ts';
import type { Rules } from '../machine/rules.ts';
import type { LogLine, RecordsFormat } from '../machine/run-format.ts';
import type { RunState } from '../machine/state.ts';
import type { RunObserver } from './ports.ts';
import { between } from './projector.ts';
import type { DiskGuard } from '../../disk/disk-guard.ts';

/**
 * The records folder of a run whose workflow has its own workspace. A refused disk operation throws
 * `E_DISK`.
 */
interface RecordFiles {
  /** Writes the state document, durably, by one rename; returns its size in bytes. */
  state(document: JsonObject): number;
  /** The number of the last line of the log; 0: it is empty. */
  lastLine(): number;
  log(lines: readonly JsonObject[]): void;
  /** Copies a process's output to the logs of its step. */
  printed(key: ProcessKey, step: string): void;
  /** Paths of the step's logs that are too large to keep in memory, by their keys. */
  outputs(step: string): JsonObject;
}

/**
 * From this size on, in bytes, the state document is written at intervals instead of for every
 * event, which would take time in proportion to the loops in it.
 */
const large = 16 * 1024;

/** What the records need of their format. */
type Format = Pick<RecordsFormat, 'state' | 'log'>;

/** Shows a run in the records folder of its workflow; all of it can be rebuilt from the journal. */
export class Records implements RunObserver {
  readonly #files: RecordFiles;
  readonly #format: Format;
  readonly #rules: Rules;
  readonly #disk: DiskGuard;
  /** The number of the last line of the log when last read or written; null: never. */
  #line: number | null = null;
  /** Whether the log still ends there. */
  #known = false;
  /** Log lines of durable events that are not written yet. */
  readonly #unwritten: LogLine[] = [];
  #size = 0;
  #writtenAt = 0;
  #stale = false;

  constructor(files: RecordFiles, format: Format, rules: Rules, disk: DiskGuard) {
    this.#files = files;
    this.#format = format;
    this.#rules = rules;
    this.#disk = disk;
  }

  due(now: number): number | null {
    return this.#stale ? Math.min(this.#writtenAt, now) + between : null;
  }

  observe(state: RunState, events: readonly RunEvent[], now: number): void {
    for (const event of events)
      if (event.type === 'ended') {
        const step = stepOf(event.key.path);
        this.#disk.keepTrying(`printed ${step}`, () => this.#files.printed(event.key, step));
      }
    this.#unwritten.push(...events.flatMap((event) => this.#format.log(event, state)));
    if (this.#unwritten.length > 0) this.#disk.keepTrying('log', () => this.#log());
    this.#stale ||= events.length > 0;
    const over = events.some(({ type }) => type === 'closed');
    const isDue = now < this.#writtenAt || now - this.#writtenAt >= between;
    if (over || isDue || (events.length > 0 && this.#size < large)) this.finish(state, now);
  }

  finish(state: RunState, now: number): void {
    if (!this.#stale) return;
    this.#writtenAt = now;
    this.#stale = false;
    this.#disk.keepTrying('state', () => {
      const document = this.#format.state(state, this.#rules, (step) => this.#files.outputs(step));
      this.#size = this.#files.state(document);
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
