import type { Disk } from '../disk/disk.ts';
import { orElse } from '../kernel/contained.ts';
import type { Mask } from '../kernel/mask.ts';
import type { Provider } from '../providers/provider.ts';

/** A running turn or step and its last lines of output, the newest last. */
export interface RunningOutput {
  readonly name: string;
  readonly lines: readonly string[];
  /** The command that shows all of its output. */
  readonly command: string;
}

/** How the output of a process becomes readable. */
export interface OutputReading {
  readonly mask: Mask;
  /** `agentText` of an agent; null: a program, whose output is text. */
  readonly said: ((stdout: string) => string) | null;
}

/**
 * How an agent's output is read: its texts; without a reader of its events, the lines that are not
 * events.
 */
export function agentText(provider: Pick<Provider, 'said'> | undefined): (stdout: string) => string {
  return provider?.said ?? ((printed) => printed.replaceAll(/^\{.*\}$/gm, ''));
}

/** Bounds an agent's last text among its events, which may be long. */
const latestBytes = 256 * 1024;

/**
 * The last lines that a process has printed, without empty ones: of the stream that it wrote to
 * last; of an agent, its texts, and until the first of them its standard error. None while the disk
 * refuses to read them.
 */
export function latestLines(
  disk: Disk,
  files: OutputFiles,
  most: number,
  reading: OutputReading,
): readonly string[] {
  return orElse(() => readLatest(disk, files, most, reading), []);
}

interface OutputFiles {
  readonly stdout: string;
  readonly stderr: string;
}

function readLatest(disk: Disk, files: OutputFiles, most: number, { mask, said }: OutputReading): string[] {
  const written = (file: string) => disk.look(file)?.mtimeMs ?? 0;
  const printed = { file: files.stdout, read: said };
  const errors = { file: files.stderr, read: null };
  const isStdoutFirst = said !== null || written(files.stdout) >= written(files.stderr);
  for (const { file, read } of isStdoutFirst ? [printed, errors] : [errors, printed]) {
    const text = endOf(disk, file, latestBytes);
    const lines = mask
      .text(read === null ? text : read(text))
      .split(/[\r\n]+/)
      .filter((line) => line.trim() !== '');
    if (lines.length > 0) return lines.slice(-most);
  }
  return [];
}

/**
 * The end of a file, at most this many bytes, without a partial character; empty if there is none.
 */
export function endOf(disk: Disk, file: string, bytes: number): string {
  const size = disk.look(file)?.size ?? 0;
  const text = disk.read(file, bytes, Math.max(0, size - bytes))?.toString('utf8') ?? '';
  return size > bytes ? text.replace(/^\uFFFD+/, '') : text;
}
