import picocolors from 'picocolors';
import { isPassing } from '../kernel/passing.ts';
import { wrap } from './columns.ts';

/** The program's input and output. Only this module uses standard input, output and signals. */
export interface Terminal {
  /** Whether output can be redrawn and questions can be answered. */
  readonly interactive: boolean;
  /** Whether standard input is not a keyboard. */
  readonly piped: () => boolean;
  readonly colours: Colours;
  /** The colours of standard error, which may be a file while standard output is not. */
  readonly errorColours: Colours;
  readonly columns: () => number;
  readonly rows: () => number;
  /** Writes to standard output unchanged; discards it once the reader is gone. */
  readonly write: (text: string) => void;
  /** Writes lines for people to standard output, wrapped to a terminal's columns. */
  readonly print: (text: string) => void;
  /** Text for people with the commands in it complete, so that they can be copied. */
  readonly copyable: (text: string) => string;
  /** Writes lines for people to standard error, wrapped likewise. */
  readonly complain: (text: string) => void;
  /** Puts a line on standard error in the place of the last one, only on a terminal; '': none. */
  readonly replace: (line: string) => void;
  /** True once standard output has no reader. */
  readonly closed: () => boolean;
  /** Reads all of standard input. */
  readonly readInput: () => Promise<string>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Calls back at this interval until the returned function is called. */
  readonly every: (milliseconds: number, act: () => void) => () => void;
  /** Calls back on Ctrl-C and TERM instead of ending, until the returned function is called. */
  readonly onSignal: (act: () => void) => () => void;
  /** Ends the program at once. */
  readonly exit: (code: number) => void;
}

export type Colours = ReturnType<typeof picocolors.createColors>;

/** A part of the screen. */
export interface Room {
  readonly columns: number;
  readonly rows: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The terminal of this process. Uses colours only on a terminal and without `NO_COLOR`. */
export function processTerminal(environment: Environment): Terminal {
  const { stdout, stderr } = process;
  const err = openStream(stderr, loseOutput);
  const out = openStream(stdout, (why) => {
    loseOutput();
    err.write(`mailroom: cannot write to standard output: ${why}\n`);
  });
  const wanted = (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb';
  return {
    interactive: stdout.isTTY && process.stdin.isTTY && environment['TERM'] !== 'dumb',
    // Opening standard input takes a while, and few commands ask.
    piped: () => !process.stdin.isTTY,
    colours: picocolors.createColors(stdout.isTTY && wanted),
    errorColours: picocolors.createColors(stderr.isTTY && wanted),
    // A terminal of unknown size reports 0.
    columns: () => (stdout.isTTY && stdout.columns > 0 ? stdout.columns : 100),
    rows: () => (stdout.isTTY && stdout.rows > 0 ? stdout.rows : 40),
    write: out.write,
    print: (text) => out.write(fitting(text, stdout)),
    complain: (text) => err.write(fitting(text, stderr)),
    copyable: (text) => text,
    replace: (line) => {
      if (stderr.isTTY && environment['TERM'] !== 'dumb') err.write(`\r\u001b[K${line}`);
    },
    closed: out.closed,
    readInput,
    now: () => Date.now(),
    every: (milliseconds, act) => {
      const timer = setInterval(act, milliseconds);
      return () => clearInterval(timer);
    },
    onSignal,
    exit: (code) => process.exit(code),
  };
}

/** Lines are wrapped only on a terminal of known size. */
function fitting(text: string, { isTTY, columns }: NodeJS.WriteStream): string {
  return isTTY && columns > 0 ? wrap(text, columns) : text;
}

/** A program whose output is lost has failed, whatever else it reports. */
function loseOutput(): void {
  process.once('exit', (code) => {
    if (code === 0) process.exitCode = 1;
  });
}

/**
 * A stream whose reader may close it (`| head`) and whose disk may be full. No write throws: later
 * output is discarded once the reader is gone, and tried again where there was no room. `fail` is
 * called once, with the reason, unless the reader is gone.
 */
export function openStream(
  stream: NodeJS.WritableStream,
  fail: (why: string) => void,
): { write: (text: string) => void; closed: () => boolean } {
  let closed = false;
  let isReported = false;
  const failed = ({ code = '', message }: NodeJS.ErrnoException) => {
    const isGone = ['EPIPE', 'ERR_STREAM_DESTROYED'].includes(code);
    closed ||= !isPassing(code);
    if (isGone || isReported) return;
    isReported = true;
    fail(/^[A-Z0-9]+: (.*), \w+$/.exec(message)?.[1] ?? message);
  };
  stream.on('error', failed);
  return {
    write: (text) => {
      if (closed) return;
      try {
        stream.write(text);
      } catch (error) {
        failed(error instanceof Error ? error : new Error(String(error)));
      }
    },
    closed: () => closed,
  };
}

async function readInput(): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function onSignal(act: () => void): () => void {
  for (const signal of signals) process.on(signal, act);
  return () => {
    for (const signal of signals) process.off(signal, act);
  };
}
