import type { JsonObject } from '../../kernel/json.ts';
import type { RunEvent } from './event.ts';
import type { Rules } from './rules.ts';
import type { RunState } from './state.ts';

/** What a language shows of a run besides the documents that all runs have. */
export interface RunFormat {
  /** The text of the document that `display.record` of the definition names; absent: none. */
  readonly document?: (state: RunState, rules: Rules) => string;
  /** The records of a workflow with its own workspace; absent: none. */
  readonly records?: RecordsFormat;
}

/** The files of a run in the records folder of its workflow; paths are relative to the run's. */
export interface RecordsFormat {
  /** The records folder, relative to the folder of the workspace. */
  readonly folder: string;
  readonly stateFile: string;
  /** The keys of every valid state document. */
  readonly required: readonly string[];
  readonly state: (state: RunState, rules: Rules, outputs: OutputFiles) => JsonObject;
  readonly logFile: string;
  /** The lines of an event, which get their numbers when they are written. `state`: after it. */
  readonly log: (event: RunEvent, state: RunState) => readonly LogLine[];
  /** The number of a line of the log; 0: it has none. */
  readonly numberOf: (line: string) => number;
  /** The file of a step's output, and its key in the state document if the output is large. */
  readonly output: (
    step: string,
    stream: 'stdout' | 'stderr',
  ) => { readonly file: string; readonly key: string };
}

/** The files with the large outputs of a step, by their keys in the state document. */
export type OutputFiles = (step: string) => JsonObject;

export type LogLine = (number: number) => JsonObject;
