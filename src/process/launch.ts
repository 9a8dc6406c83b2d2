import { spawn, type ChildProcess } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { wrap } from './containment.ts';
import type { ProcessSpec } from './types.ts';

/** The host's ends of the launch gate. */
export interface LaunchGate {
  /** Calls back once, when the process waits at the gate; at once where there is none. */
  reached(callback: () => void): void;
  open(): void;
  /** Closes it for good: a process that still waits ends without having started the program. */
  close(): void;
}

export interface Launched {
  readonly child: ChildProcess;
  readonly gate: LaunchGate;
}

/** Spawns the process as leader of a session of its own. Throws when the system refuses at once. */
export function launch(spec: ProcessSpec): Launched {
  const [program, ...rest] = wrap(spec.containment, spec.argv, spec.gate, spec.cwd);
  const child = spawn(program!, rest, {
    cwd: spec.cwd,
    env: { ...spec.env, MAILROOM_MARK: spec.mark },
    detached: true,
    stdio: spec.gate ? ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'] : ['pipe', 'pipe', 'pipe'],
  });
  // A program that ends without reading its input is no error of ours.
  child.stdin?.on('error', () => {});
  child.stdin?.end(spec.stdin);
  return { child, gate: spec.gate ? gateOf(child) : NO_GATE };
}

const NO_GATE: LaunchGate = { reached: (callback) => callback(), open() {}, close() {} };

function gateOf(child: ChildProcess): LaunchGate {
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
