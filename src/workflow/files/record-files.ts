import { MailroomError, messageOf } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import type { ProcessKey } from '../machine/event.ts';
import type { Disk } from '../../disk/disk.ts';
import { newline } from '../../disk/journal-lines.ts';
import { StepFolders } from './step-folders.ts';
import { baseOf } from './streams.ts';
import type { OpenRoot } from '../../disk/roots.ts';
import type { RunFolder } from '../machine/run-folder.ts';
import type { RecordsFormat } from '../machine/run-format.ts';

/** Output larger than this, in bytes, is not kept in memory. */
const spilled = 1024 * 1024;

/** The folder of a run below the `records` of its workflow. */
export class DiskRecords {
  readonly #format: RecordsFormat;
  readonly #base: Disk;
  readonly #folder: string;
  readonly #steps: StepFolders;

  constructor(
    project: Disk,
    open: OpenRoot,
    { run, workspace, definition }: RunFolder,
    format: RecordsFormat,
  ) {
    const { ownWorkspace } = definition;
    const base = ownWorkspace === null ? null : open(baseOf(workspace, ownWorkspace));
    if (ownWorkspace === null || base === null)
      throw new MailroomError('E_WORKSPACE', `there is no folder above ${workspace} to show the run in`);
    this.#format = format;
    this.#base = base;
    this.#folder = `${ownWorkspace.records}/${run}`;
    this.#steps = new StepFolders(project, run);
    // A partial file of a host that was killed.
    base.remove(`${this.#folder}/${format.stateFile}.tmp`);
  }

  state(document: JsonObject): number {
    const text = `${JSON.stringify(document, null, 2)}\n`;
    this.#base.write(`${this.#folder}/${this.#format.stateFile}`, text, { sync: true });
    return text.length;
  }

  lastLine(): number {
    const size = this.#base.look(this.#log)?.size ?? 0;
    for (let wanted = 64 * 1024; ; wanted *= 2) {
      const from = Math.max(0, size - wanted);
      const end = this.#base.read(this.#log, size - from, from) ?? Buffer.alloc(0);
      const whole = end.lastIndexOf(newline) + 1;
      const lines = end.subarray(0, Math.max(0, whole - 1));
      const start = lines.lastIndexOf(newline) + 1;
      // A line may be longer than the bytes read.
      if (from > 0 && start === 0) continue;
      if (whole < end.length) this.#cut(from + whole);
      return this.#format.numberOf(lines.toString('utf8', start));
    }
  }

  get #log(): string {
    return `${this.#folder}/${this.#format.logFile}`;
  }

  /** Removes a partial line that a killed host left. */
  #cut(size: number): void {
    const appender = this.#base.openAppend(this.#log);
    appender.truncate(size);
    appender.close();
  }

  log(lines: readonly JsonObject[]): void {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const appender = this.#base.openAppend(this.#log);
    appender.write(Buffer.from(text));
    appender.close();
  }

  printed(key: ProcessKey, step: string): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      const path = `${this.#folder}/${this.#format.output(step, stream).file}`;
      this.#base.remove(path);
      const appender = this.#base.openAppend(path);
      for (const piece of this.#steps.printed(key, stream)) appender.write(piece);
      appender.close();
    }
  }

  outputs(step: string): JsonObject {
    const files = (['stdout', 'stderr'] as const).map((stream) => this.#format.output(step, stream));
    const large = files.flatMap(({ file, key }) => {
      const path = `${this.#folder}/${file}`;
      return (this.#base.look(path)?.size ?? 0) > spilled ? [[key, `${this.#base.root}/${path}`]] : [];
    });
    return Object.fromEntries(large) as JsonObject;
  }
}

/** Throws `E_STATE` when the state document of a run exists and cannot be read. */
export function checkRecords(
  open: OpenRoot,
  { run, workspace, definition }: RunFolder,
  { stateFile, required }: RecordsFormat,
): void {
  const { ownWorkspace } = definition;
  const base = ownWorkspace === null ? null : open(baseOf(workspace, ownWorkspace));
  if (ownWorkspace === null || base === null) return;
  const path = `${ownWorkspace.records}/${run}/${stateFile}`;
  const text = base.read(path, Number.MAX_SAFE_INTEGER)?.toString('utf8');
  if (text === undefined) return;
  const problem = problemIn(text, required);
  if (problem === null) return;
  const hint = 'remove it: it is written again from the journal';
  throw new MailroomError('E_STATE', `${path} is damaged: ${problem}`, hint);
}

function problemIn(text: string, required: readonly string[]): string | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value)) return 'it is not a JSON object';
    const missing = required.find((key) => !Object.hasOwn(value, key));
    return missing === undefined ? null : `\`${missing}\` is missing`;
  } catch (error) {
    return messageOf(error);
  }
}
