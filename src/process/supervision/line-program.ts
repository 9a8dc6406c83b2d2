import { spawn, type ChildProcess } from 'node:child_process';
import { maskerFactory } from '../output/mask.ts';
import { settledWithin } from '../pipes.ts';
import { describeSpawnError, whyNotStart } from '../refusal.ts';
import { sweepMarked } from '../sweep.ts';
import { after } from '../time-watch.ts';

/** A running program that lines are exchanged with. */
export interface LineProgram {
  write(line: string): void;
  /** False: it is not read from until this is true again, and its lines wait. */
  read(on: boolean): void;
  /** Closes its standard input, and ends it and its descendants if that does not. Never rejects. */
  end(): Promise<void>;
}

interface LineProgramSpec {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The complete environment; `MAILROOM_MARK` is added. */
  readonly env: Readonly<Record<string, string>>;
  /** Identifies the program: only one with this mark runs. */
  readonly mark: string;
  /** Masked in its output. */
  readonly secrets: readonly string[];
  /** A longer line is cut, in bytes. */
  readonly longestLine: number;
  /** How long it may take to end after its input has ended, in milliseconds. */
  readonly graceMs: number;
}

interface LineHooks {
  line(text: string, isCut: boolean): void;
  /** Called once, after its last line, with the reason in words. */
  ended(reason: string): void;
}

/** How long its last lines may take after its end, in milliseconds. */
const lastLinesMs = 200;
/** How much of its standard error is kept, in bytes. */
const errorTail = 4_096;

/**
 * Starts a program in a process group of its own, once what an earlier host left of it has ended:
 * its standard input closes when this process ends in any way, and it may finish what it does.
 * Never rejects: what fails is the reason of its end.
 */
export async function startLineProgram(spec: LineProgramSpec, hooks: LineHooks): Promise<LineProgram> {
  await sweepMarked(spec.mark, spec.graceMs);
  const refusal = whyNotStart(spec.argv, spec);
  if (refusal !== null) return neverStarted(refusal.error, hooks);
  try {
    const [program = '', ...args] = spec.argv;
    const { cwd } = spec;
    const env = { ...spec.env, MAILROOM_MARK: spec.mark };
    return follow(spawn(program, args, { cwd, env, detached: true, stdio: 'pipe' }), spec, hooks);
  } catch (error) {
    return neverStarted(describeSpawnError(error), hooks);
  }
}

function neverStarted(reason: string, hooks: LineHooks): LineProgram {
  hooks.ended(reason);
  return { write() {}, read() {}, end: () => Promise.resolve() };
}

function follow(
  child: ChildProcess,
  { mark, secrets, longestLine, graceMs }: LineProgramSpec,
  hooks: LineHooks,
): LineProgram {
  const newMasker = maskerFactory(secrets);
  const masked = (bytes: Buffer): string => {
    const masker = newMasker();
    return Buffer.concat([masker.push(bytes), masker.flush()]).toString();
  };
  const lines = new Lines(longestLine, (bytes, isCut) => hooks.line(masked(bytes), isCut));
  let errors = Buffer.alloc(0);
  child.stdout?.on('data', (chunk: Buffer) => lines.take(chunk));
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = Buffer.concat([errors, chunk]).subarray(-errorTail);
  });
  // It may have ended before.
  child.stdin?.on('error', () => {});
  const over = endOf(child).then((reason) => {
    const said = masked(errors).trim().split('\n').at(-1) ?? '';
    return hooks.ended(said === '' ? reason : `${reason}: ${said}`);
  });
  return {
    write: (line) => void child.stdin?.write(`${line}\n`),
    read: (on) => void (on ? child.stdout?.resume() : child.stdout?.pause()),
    end: async () => {
      child.stdin?.end();
      const late = after(graceMs, () => void sweepMarked(mark, 0));
      await over;
      late.stop();
      for (const stream of [child.stdout, child.stderr]) stream?.destroy();
      await sweepMarked(mark, graceMs);
    },
  };
}

/** Why it has ended, once its last lines were read. */
function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(describeSpawnError(error)));
    child.once('exit', (code, signal) => {
      const reason = signal === null ? `it ended with exit code ${String(code)}` : `${signal} ended it`;
      // A process that it left may hold its output open.
      void settledWithin([child.stdout, child.stderr], lastLinesMs).then(() => resolve(reason));
    });
  });
}

/** Bytes to lines. What is too long for one is dropped as it comes. */
class Lines {
  #begun: Buffer[] = [];
  #length = 0;
  readonly #longest: number;
  readonly #take: (line: Buffer, isCut: boolean) => void;

  constructor(longest: number, take: (line: Buffer, isCut: boolean) => void) {
    this.#longest = longest;
    this.#take = take;
  }

  take(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      this.#add(rest.subarray(0, end));
      this.#take(Buffer.concat(this.#begun), this.#length > this.#longest);
      this.#begun = [];
      this.#length = 0;
      rest = rest.subarray(end + 1);
    }
    this.#add(rest);
  }

  #add(part: Buffer): void {
    const room = this.#longest - this.#length;
    if (room > 0) this.#begun.push(Buffer.from(part.subarray(0, room)));
    this.#length += part.length;
  }
}
