import type { JsonObject } from '../../kernel/json.ts';
import type { StepAnswer, StepRequest } from '../../letters/step-answer.ts';
import type { Path, ProcessKey } from './event.ts';
import type { Collected, Launch, LaunchOutput, Prepared } from './launch.ts';

/**
 * The files of one run: its folder `.mailroom/runs/<run>/` and its context folder. Synchronous. A path that leaves its
 * root throws `E_PATH`; what the disk refuses throws `E_DISK`. Whatever it puts somewhere appears there by one rename.
 */
export interface RunFiles {
  /**
   * Makes the folders, removes an old decision and old values, and places the inputs in a step's first iteration: later
   * ones go on with what lies there. Safe to repeat. `E_WORKSPACE`: the step's workspace is not there.
   */
  prepare(launch: Launch): Prepared;
  /** Writes a text into the folder of a process: its prompt, its result. */
  note(key: ProcessKey, name: string, text: string): void;
  /** Reads what the worker handed over and, where `keep`, copies its outputs into the context. Safe to repeat. */
  collect(launch: Launch, keep: boolean): Collected;
  /** Takes secrets out of the file of values that a process has left. */
  hideValues(key: ProcessKey): void;
  /** The same for all processes but these: a host that died, or a power loss, can have left any of these files as it was. */
  hideAllValues(but: readonly ProcessKey[]): void;
  /** Writes a declared output in the place of a worker that could only answer with a text. */
  handOver(launch: Launch, output: LaunchOutput, text: string): void;
  /** Writes what a program printed (`text` null), or a text in its place, where the launch wants it. Safe to repeat. */
  keepOutput(launch: Launch, text: string | null): void;
  /** Whether a file of the workspace is there. */
  exists(file: string): boolean;
  /** What a step's changes are measured against, as git names it. `E_FILE`: the file that should say it does not. */
  diffBase(launch: Launch): string;
  /** Writes what came of an iteration to `<context>/<path>/_convergence/<iteration>.json`. */
  convergence(path: Path, iteration: number, document: JsonObject): void;
  /** Copies an artifact of a step of a sub-workflow to the step that it is exported from. */
  export(from: Path, artifact: string, to: Path, as: string): boolean;
  /** Writes `<context>/<path>/_meta.json`. Artifacts of the step that its `artifacts` do not name are removed. */
  meta(path: Path, document: JsonObject): void;
  /** Writes `<context>/_workflow.json`. */
  summary(document: JsonObject): void;
  /** Writes a file of this name into the folder of the run. */
  record(name: string, document: JsonObject): void;
  /** The end of what a process printed, at most so many characters of it as `read` makes readable; empty where nothing is known. */
  tail(key: ProcessKey, characters: number, read: (printed: string) => string): string;
  /** Keeps a step that failed for good: its prompt, inputs, reason, cost so far and what it had changed. */
  deadLetter(path: Path, document: JsonObject, difference: Uint8Array | null): void;
}

/** A file in the inbox of a run, as the answer to the message `id`; or why it is none. */
export type LeftAnswer =
  | { readonly id: string; readonly answer: StepAnswer; readonly problem: null }
  | { readonly id: string; readonly answer: null; readonly problem: string };

/** A run's side of the mail: its steps that roles do. Synchronous; what the disk refuses throws `E_DISK`. */
export interface Correspondence {
  /** The id of the message that a launch is, the same for ever. */
  idOf(key: ProcessKey): string;
  /** Puts a step into the project's mail. Safe to repeat: it is one message. */
  send(letter: StepRequest): void;
  /** Puts a step that was sent into the mail again, as it was then: nobody may know whether it was taken. */
  again(id: string): void;
  /** The messages that were sent and are neither withdrawn nor removed. */
  posted(): readonly string[];
  /** Says that a step is not wanted any more. */
  withdraw(id: string): void;
  /** What lies in the run's inbox. */
  answers(): readonly LeftAnswer[];
  /** The messages whose role waits for others. A file that does not say it is put aside, and its problem reported. */
  waits(report: (problem: string) => void): ReadonlySet<string>;
  /** Puts aside what lies in the inbox as the answer to a message and is none, with the reason beside it. */
  refuse(id: string, problem: string): void;
  /** Forgets a message with its answer, once the journal has it. */
  remove(id: string): void;
}
