import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, writeSync, unlinkSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { wrap } from '../sandbox/containment.ts';
import { ownProgram, usablePath } from '../sandbox/own-programs.ts';
import { openOutputPipe, type OutputPipe } from '../output/pipe-pool.ts';
import type { ProcessSpec } from '../types.ts';
import type { Source } from '../output/output.ts';
import { join, dirname } from 'node:path';
import process from 'node:process';

/** The host's ends of the launch barrier. */
export interface LaunchBarrier {
  /** Calls back once, when the process waits at the barrier; at once if there is none. */
  reached(callback: () => void): void;
  open(): void;
  /** Closes it permanently: a process that still waits ends without having started the program. */
  close(): void;
}

export interface Spawned {
  readonly child: ChildProcess;
  readonly barrier: LaunchBarrier;
  /** Standard output and standard error; null: the system has refused to start the process. */
  readonly outputs: readonly [Source | null, Source | null];
}

/** Spawns the process as leader of a new session. Throws if the system refuses at once. */
export function launch(spec: ProcessSpec): Spawned {
  const [program, ...rest] = wrap(spec.containment, spec.argv, spec.launchBarrier, spec.cwd);
  const input = openInput(spec.stdin, spec.stdoutFile);
  const pipes: (OutputPipe | null)[] = [];
  try {
    // One after the other: if the second fails, the first is known and closed.
    pipes.push(openOutputPipe());
    pipes.push(openOutputPipe());
    const child = spawn(locate(program!, spec.env), rest, {
      argv0: program,
      cwd: spec.cwd,
      env: { ...spec.env, MAILROOM_MARK: spec.mark },
      detached: true,
      stdio: [
        input,
        ...pipes.map((pipe) => pipe?.write ?? 'pipe'),
        ...(spec.launchBarrier ? (['pipe', 'pipe'] as const) : []),
      ],
    });
    const outputs = [pipes[0] ?? child.stdout, pipes[1] ?? child.stderr] as const;
    return { child, barrier: spec.launchBarrier ? barrierOf(child) : NO_BARRIER, outputs };
  } catch (error) {
    for (const pipe of pipes) pipe?.discard();
    throw error;
  } finally {
    closeSync(input);
    for (const pipe of pipes) if (pipe !== null) closeSync(pipe.write);
  }
}

/**
 * The path of bash, which runs every script, found once; the system would search for it at each
 * start. It does where `PATH` is not the host's.
 */
function locate(program: string, { PATH }: ProcessSpec['env']): string {
  const isHosts = PATH === usablePath(process.env['PATH'] ?? '');
  return program === 'bash' && isHosts ? ownProgram(program) : program;
}

const NO_BARRIER: LaunchBarrier = { reached: (callback) => callback(), open() {}, close() {} };

function barrierOf(child: ChildProcess): LaunchBarrier {
  const order = child.stdio[3] as Duplex | null | undefined;
  const sign = child.stdio[4] as Duplex | null | undefined;
  for (const end of [order, sign]) end?.on('error', () => {});
  const close = (): void => {
    order?.destroy();
    sign?.destroy();
  };
  return {
    reached(callback) {
      sign?.once('data', callback);
    },
    open() {
      if (order?.writable === true) order.end('go\n');
    },
    close,
  };
}

let count = 0;

/**
 * A file descriptor from which a program reads this text; the caller closes it. It is an unlinked
 * file, created next to `besides`, and not a pipe: Node's pipes are sockets, with which
 * `/dev/stdin` cannot be opened and bash takes itself for a remote login and runs `~/.bashrc`.
 * Throws if it cannot be written.
 */
function openInput(text: string, besides: string): number {
  if (text === '') return openSync('/dev/null', 'r');
  const file = join(dirname(besides), `.input-${process.pid}-${count++}`);
  const writer = openSync(file, 'wx', 0o600);
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += writeSync(writer, bytes, at);
    return openSync(file, 'r');
  } finally {
    closeSync(writer);
    unlinkSync(file);
  }
}
