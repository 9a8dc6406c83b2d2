import childProcess, { type ChildProcess, type SpawnOptions } from 'node:child_process';
import { basename } from 'node:path';
import process from 'node:process';
import type { Duplex } from 'node:stream';
import type { Killer } from './killer.ts';
import type { Spawn } from './operation.ts';
import type { ContainmentName } from './order.ts';

const { spawn, spawnSync } = childProcess;

/** What an agent's shell does at the launch barrier. */
const waiting = 'read -r x <&3 || exit 125; ';

const strangers = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork'];

/** Puts the killer between the program and node:child_process, and the signals that it sends. */
export function watchProcesses(killer: Killer): void {
  const { containment, leftOut } = killer.order;
  const opened = (word: string): string => (leftOut === 'gate' ? word.replace(waiting, '') : word);
  const replaced = {
    spawn: (program: string, args: readonly string[], options: SpawnOptions) => {
      const argv = [program, ...args];
      // Programs of the system are started by their whole path.
      const named = [basename(program), ...args];
      const operation = describe(named, options);
      const [real, ...rest] = works(named, containment) ? argv.map(opened) : ['false'];
      const act = (): ChildProcess => spawn(real ?? 'false', rest, options);
      const child = killer.start(operation, act, named[0] === 'flock' ? onAnswer : onEnd);
      if (operation.behindBarrier) watchBarrier(killer, child);
      if (named[0] === 'flock') watchEnd(child.stdin, (end) => killer.perform({ kind: 'unlock' }, end));
      return child;
    },
    spawnSync: (program: string, args: readonly string[], options: SpawnOptions) => {
      const operation = { ...describe([basename(program), ...args], options), forgotten: false };
      return killer.perform(operation, () => spawnSync(program, args, options));
    },
  };
  Object.assign(childProcess, replaced, killer.refusing('node:child_process', childProcess, strangers));
  const kill = process.kill.bind(process);
  process.kill = (pid, signal = 'SIGTERM') =>
    signal === 0
      ? kill(pid, 0)
      : killer.perform({ kind: 'signal', signal: String(signal), starting: killer.starting }, () =>
          kill(pid, signal),
        );
}

function describe(argv: readonly string[], { env, stdio }: SpawnOptions): Spawn {
  const mark = env?.['MAILROOM_MARK'] ?? null;
  const behindBarrier = Array.isArray(stdio) && stdio.length > 3;
  const forgotten = Array.isArray(stdio) && stdio.every((end) => end === 'ignore');
  return { kind: 'spawn', argv, mark, behindBarrier, forgotten };
}

/** Whether this may be started: the trial of a containment that is better than the wanted one must fail. */
function works(argv: readonly string[], wanted: ContainmentName): boolean {
  if (argv.at(-1) !== '/proc/self/stat' || wanted === 'bubblewrap') return true;
  return wanted === 'namespace' && argv[0] !== 'bwrap';
}

function onEnd(child: ChildProcess, then: () => void): void {
  child.prependOnceListener('exit', then);
}

/** The helper that holds the lock says so, and then stays. */
function onAnswer(child: ChildProcess, then: () => void): void {
  child.stdout?.prependOnceListener('data', then);
}

function watchBarrier(killer: Killer, child: ChildProcess): void {
  const order = child.stdio[3] as Duplex | null;
  watchEnd(order, (end) => killer.perform({ kind: 'release' }, end));
}

/** Calls `perform` in place of the stream's `end`. */
function watchEnd(
  stream: { end: (...args: never[]) => unknown } | null,
  perform: (end: () => unknown) => unknown,
): void {
  if (stream === null) return;
  const end = stream.end.bind(stream) as (...args: unknown[]) => unknown;
  stream.end = (...args: unknown[]) => perform(() => end(...args));
}
