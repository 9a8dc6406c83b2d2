import type { StepPath, ProcessKey } from '../machine/event.ts';
import { processName, type Prepared } from '../machine/launch.ts';
import { join } from '../../disk/disk.ts';
import type { Disk } from '../../disk/disk.ts';
import { endOf, latestLines, type OutputReading } from '../../host/latest-output.ts';
import { runFolder } from '../../host/run-mail.ts';

/** The size of a copied chunk, in bytes. */
const pieceBytes = 4 * 1024 * 1024;

/**
 * The folders of a run's processes, and of steps that failed permanently, in
 * `.mailroom/runs/<run>/`.
 */
export class StepFolders {
  readonly #disk: Disk;
  readonly #steps: string;
  readonly #dead: string;

  constructor(project: Disk, run: string) {
    this.#disk = project;
    this.#steps = join(runFolder(run), 'steps');
    this.#dead = join(runFolder(run), 'dead');
  }

  /**
   * Makes the folder of a process; values from an earlier start are removed. Returns absolute
   * paths.
   */
  open(key: ProcessKey): Pick<Prepared, 'folder' | 'valuesFile' | 'stdout' | 'stderr'> {
    const folder = this.#folder(key);
    const kind = this.#disk.look(folder)?.kind ?? null;
    if (kind === 'folder') this.#disk.remove(this.valuesFile(key));
    else {
      if (kind !== null) this.#disk.remove(folder);
      this.#disk.makeFolder(folder);
    }
    const absolute = `${this.#disk.root}/${folder}`;
    return {
      folder: absolute,
      valuesFile: `${this.#disk.root}/${this.valuesFile(key)}`,
      stdout: `${absolute}/stdout`,
      stderr: `${absolute}/stderr`,
    };
  }

  valuesFile(key: ProcessKey): string {
    return join(this.#folder(key), 'values.json');
  }

  /** The values files that processes have left. */
  *valuesFiles(folder = this.#steps): Generator<string> {
    for (const name of this.#disk.list(folder) ?? []) {
      const path = join(folder, name);
      const kind = this.#disk.look(path)?.kind;
      if (kind === 'folder') yield* this.valuesFiles(path);
      else if (kind === 'file' && name === 'values.json') yield path;
    }
  }

  write(key: ProcessKey, name: string, text: string): void {
    this.#disk.write(join(this.#folder(key), name), text);
  }

  /** The output of a process, in chunks. */
  *printed(key: ProcessKey, stream: 'stdout' | 'stderr' = 'stdout'): Generator<Buffer> {
    const file = join(this.#folder(key), stream);
    for (let at = 0; ;) {
      const piece = this.#disk.read(file, pieceBytes, at);
      if (piece === null || piece.length === 0) return;
      at += piece.length;
      yield piece;
    }
  }

  /** The end of a process's output, without a partial character. */
  tail(key: ProcessKey, bytes: number): string {
    return endOf(this.#disk, join(this.#folder(key), 'stdout'), bytes);
  }

  /** The last lines that a process has printed, the newest last. */
  latest(key: ProcessKey, most: number, reading: OutputReading): readonly string[] {
    const folder = this.#folder(key);
    const files = { stdout: join(folder, 'stdout'), stderr: join(folder, 'stderr') };
    return latestLines(this.#disk, files, most, reading);
  }

  /**
   * Writes the letter last: if it exists, so does the rest. The prompt is that of the last process
   * that had one.
   */
  deadLetter(path: StepPath, letter: string, difference: Uint8Array | null): void {
    const folder = `${this.#dead}/${path}`;
    const prompt = this.#lastPrompt(path);
    if (prompt !== null) this.#disk.write(join(folder, 'prompt.md'), prompt);
    if (difference !== null) this.#disk.write(join(folder, 'difference.patch'), difference);
    this.#disk.write(join(folder, 'letter.json'), letter);
  }

  #lastPrompt(path: StepPath): Buffer | null {
    const folder = `${this.#steps}/${path}`;
    const processes = (this.#disk.list(folder) ?? [])
      .filter((name) => /^\d+\.\d+$/.test(name))
      .toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
    for (const name of processes) {
      const prompt = this.#disk.read(join(join(folder, name), 'prompt.md'), Number.MAX_SAFE_INTEGER);
      if (prompt !== null) return prompt;
    }
    return null;
  }

  #folder(key: ProcessKey): string {
    return `${this.#steps}/${processName(key)}`;
  }
}
