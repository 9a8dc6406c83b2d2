import { spawn, type ChildProcess } from 'node:child_process';
import type { Duplex } from 'node:stream';

/** What a program is started with, as leader of a session of its own. */
export interface Order {
  /** Its path, or a name that is searched in the `PATH` of `env`. */
  readonly file: string;
  /** From its own name on. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The complete environment, but for `MAILROOM_MARK`. */
  readonly env: Readonly<Record<string, string>>;
  /** Added as `MAILROOM_MARK`; what has one ends with its host. */
  readonly mark: string | null;
  /** Standard input, output and error. */
  readonly stdio: readonly End[];
  /** Whether descriptors 3 and 4 are those of the launch barrier. */
  readonly barrier: boolean;
}

/** A descriptor of this process, a new pipe of Node, or nothing. */
export type End = number | 'pipe' | 'ignore';

/** The leader of a session, by its pid. */
export interface Leader {
  readonly pid: number;
  /** Null: a child of this process, whose pid is its own until it is reported as ended. */
  readonly startTime: string | null;
}

export interface StartEvents {
  /** It exists. From now on, as after `refused`, descriptors of `stdio` may be closed. */
  started(leader: Leader): void;
  /** It cannot be started; then it neither starts nor ends. */
  refused(error: unknown): void;
  /** It waits at the launch barrier. */
  reached?(): void;
  /** Both null: the launcher, which would have known, has ended. */
  ended(exitCode: number | null, signal: NodeJS.Signals | null): void;
}

export interface Starting {
  /** Where `stdio` asks for a pipe, this end of it. */
  readonly pipes: ChildProcess['stdio'] | null;
  /** Opens the launch barrier. */
  open(): void;
  /** Closes it permanently: a process that still waits ends without having started the program. */
  close(): void;
  /** This process need not stay for its end. */
  unref(): void;
}

/** Starts a program as a child of this process. Never throws. */
export function startHere(order: Order, events: StartEvents): Starting {
  const { file, argv, cwd, stdio, barrier, mark } = order;
  const env = mark === null ? order.env : { ...order.env, MAILROOM_MARK: mark };
  let child: ChildProcess;
  try {
    child = spawn(file, argv.slice(1), {
      argv0: argv[0],
      cwd,
      env,
      detached: true,
      stdio: [...stdio, ...(barrier ? (['pipe', 'pipe'] as const) : [])],
    });
  } catch (error) {
    events.refused(error);
    return { pipes: null, ...noBarrier, unref() {} };
  }
  child.once('error', (error) => events.refused(error));
  child.once('exit', (exitCode, signal) => events.ended(exitCode, signal));
  if (child.pid !== undefined) events.started({ pid: child.pid, startTime: null });
  const gate = barrier ? barrierOf(child, events) : noBarrier;
  return { pipes: child.stdio, ...gate, unref: () => child.unref() };
}

const noBarrier = { open() {}, close() {} };

function barrierOf(child: ChildProcess, events: StartEvents): Pick<Starting, 'open' | 'close'> {
  const order = child.stdio[3] as Duplex | null | undefined;
  const sign = child.stdio[4] as Duplex | null | undefined;
  for (const end of [order, sign]) end?.on('error', () => {});
  sign?.once('data', () => events.reached?.());
  return {
    open() {
      if (order?.writable === true) order.end('go\n');
    },
    close() {
      order?.destroy();
      sign?.destroy();
    },
  };
}
