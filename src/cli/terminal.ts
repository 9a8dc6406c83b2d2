import picocolors from 'picocolors';
import { wrap } from './columns.ts';

/** Where the program reads and writes. The only place that knows standard input, output and signals. */
export interface Terminal {
  /** Whether output can be redrawn and questions can be asked. */
  readonly interactive: boolean;
  /** Whether standard input is something other than a keyboard. */
  readonly piped: boolean;
  readonly colours: Colours;
  /** Those of standard error, which may be a file while standard output is not. */
  readonly errorColours: Colours;
  readonly columns: () => number;
  readonly rows: () => number;
  /** Writes to standard output, as it is; nothing once its reader is gone. */
  readonly write: (text: string) => void;
  /** Writes lines for people to standard output, set into the columns of a terminal. */
  readonly tell: (text: string) => void;
  /** The same to standard error. */
  readonly complain: (text: string) => void;
  /** True when nobody reads standard output any more. */
  readonly closed: () => boolean;
  /** All of standard input. */
  readonly readInput: () => Promise<string>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Calls back every so many milliseconds, until the returned function is called. */
  readonly every: (milliseconds: number, act: () => void) => () => void;
  /** Calls back on Ctrl-C and TERM instead of ending, until the returned function is called. */
  readonly onSignal: (act: () => void) => () => void;
  /** Ends the program at once. */
  readonly exit: (code: number) => void;
}

export type Colours = ReturnType<typeof picocolors.createColors>;

type Environment = Readonly<Record<string, string | undefined>>;

/** The terminal of this process. Colours only where a person looks, and not against `NO_COLOR`. */
export function processTerminal(environment: Environment): Terminal {
  const { stdin, stdout, stderr } = process;
  const out = openStream(stdout);
  const err = openStream(stderr);
  const wanted = (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb';
  return {
    interactive: stdout.isTTY && stdin.isTTY && environment['TERM'] !== 'dumb',
    piped: !stdin.isTTY,
    colours: picocolors.createColors(stdout.isTTY && wanted),
    errorColours: picocolors.createColors(stderr.isTTY && wanted),
    // A terminal that does not know its size says 0.
    columns: () => (stdout.isTTY && stdout.columns > 0 ? stdout.columns : 100),
    rows: () => (stdout.isTTY && stdout.rows > 0 ? stdout.rows : 40),
    write: out.write,
    tell: (text) => out.write(fitting(text, stdout)),
    complain: (text) => err.write(fitting(text, stderr)),
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

/** Elsewhere than on a terminal, and on one that does not know its size, lines are as long as they are. */
function fitting(text: string, { isTTY, columns }: NodeJS.WriteStream): string {
  return isTTY && columns > 0 ? wrap(text, columns) : text;
}

/** A stream whose reader may leave (`| head`): what is written afterwards goes nowhere, and nothing breaks. */
function openStream(stream: NodeJS.WriteStream): { write: (text: string) => void; closed: () => boolean } {
  let closed = false;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error;
    closed = true;
  });
  return {
    write: (text) => {
      if (!closed) stream.write(text);
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
