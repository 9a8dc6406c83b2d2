import type { JsonObject } from '../../kernel/json.ts';
import type { ProcessKey, RunEvent } from '../machine/event.ts';
import { stepOf } from '../machine/path.ts';
import { logRecords, stateDocument } from '../machine/records.ts';
import type { Rules } from '../machine/rules.ts';
import type { RunState } from '../machine/state.ts';
import { between } from './projector.ts';
import { refusedBy } from './refused.ts';

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

/** Shows a run where its workflow wants it shown: all of it can be drawn again from the journal. */
export class Records {
  readonly #files: RecordFiles;
  readonly #rules: Rules;
  #line: number | null = null;
  #size = 0;
  #drawnAt = 0;
  #stale = false;
  #problem: string | null = null;

  constructor(files: RecordFiles, rules: Rules) {
    this.#files = files;
    this.#rules = rules;
  }

  /** What the disk refused; null: all is well. */
  get problem(): string | null {
    return this.#problem;
  }

  /** When it is to be called again although nothing happens, by the wall clock (`now`); null: everything is shown. */
  due(now: number): number | null {
    return this.#stale ? Math.min(this.#drawnAt, now) + between : null;
  }

  /** Shows what events that are durable now have changed; of none, what was put off. */
  draw(state: RunState, events: readonly RunEvent[], now: number): void {
    if (events.length > 0) {
      this.#guard(() => {
        for (const event of events)
          if (event.type === 'ended') this.#files.printed(event.key, stepOf(event.key.path));
        this.#log(state, events);
      });
      this.#stale = true;
    }
    const over = events.some(({ type }) => type === 'closed');
    const isDue = now < this.#drawnAt || now - this.#drawnAt >= between;
    if (over || isDue || (events.length > 0 && this.#size < large)) this.finish(state, now);
  }

  /** Shows what is left to be shown. */
  finish(state: RunState, now: number): void {
    if (!this.#stale) return;
    this.#drawnAt = now;
    this.#guard(() => {
      this.#size = this.#files.state(stateDocument(state, this.#rules, (step) => this.#files.spills(step)));
      this.#stale = false;
    });
  }

  #log(state: RunState, events: readonly RunEvent[]): void {
    const run = state.given?.run ?? '';
    let line = (this.#line ??= this.#files.lastLine());
    const lines = events.flatMap((event) =>
      logRecords(event, state).map(({ level, step, event: name, more }): JsonObject => {
        line += 1;
        const head = { timestamp: new Date(event.at).toISOString(), run_id: run, event_seq: line, level };
        const attempt = step === undefined ? null : (state.steps.get(step)?.attempt ?? 1);
        return {
          ...head,
          ...(step === undefined ? {} : { step, attempt_id: attempt }),
          event: name,
          ...more,
        };
      }),
    );
    if (lines.length > 0) this.#files.log(lines);
    this.#line = line;
  }

  #guard(act: () => void): void {
    this.#problem = refusedBy(act);
  }
}
