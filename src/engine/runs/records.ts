import { MailroomError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ProcessKey, RunEvent } from '../../core/workflow/event.ts';
import { stepOf } from '../../core/workflow/path.ts';
import { logRecords, stateDocument } from '../../core/workflow/records.ts';
import type { Rules } from '../../core/workflow/rules.ts';
import type { RunState } from '../../core/workflow/state.ts';

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

/** From this size on `state.json` is not written for every event, but so often. */
const large = 256 * 1024;
const between = 1_000;

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

  /** Shows what events that are durable now have changed. */
  draw(state: RunState, events: readonly RunEvent[]): void {
    this.#guard(() => {
      for (const event of events)
        if (event.type === 'ended') this.#files.printed(event.key, stepOf(event.key.path));
      this.#log(state, events);
    });
    this.#stale = true;
    const now = events.at(-1)?.at ?? 0;
    const over = events.some(({ type }) => type === 'closed');
    if (over || this.#size < large || now - this.#drawnAt >= between) this.finish(state);
  }

  /** Shows what is left to be shown. */
  finish(state: RunState): void {
    if (!this.#stale) return;
    this.#guard(() => {
      this.#size = this.#files.state(stateDocument(state, this.#rules, (step) => this.#files.spills(step)));
      this.#drawnAt = state.now;
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
    try {
      act();
      this.#problem = null;
    } catch (error) {
      if (!(error instanceof MailroomError) || error.code === 'E_INTERNAL') throw error;
      this.#problem = error.message;
    }
  }
}
