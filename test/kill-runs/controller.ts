// The real program, killed before or after the n-th time that it changes something outside itself in some way.
import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';
import { seenFrom } from '../kill-matrix/classify.ts';
import { nameOf } from './effects.ts';
import type { Order } from './order.ts';

const order = JSON.parse(process.env['MAILROOM_KILL_RUNS'] ?? '{}') as Order;
delete process.env['MAILROOM_KILL_RUNS'];
const system = { ...fs };
const kill = process.kill.bind(process);
const counts: Record<string, number> = {};
const open = new Map<number, string>();
const see = (path: fs.PathLike): string => seenFrom(order.root, order.temporary, String(path));
let inside = false;

function tell(line: object): void {
  const file = system.openSync(order.log, 'a');
  system.writeSync(file, `${JSON.stringify(line)}\n`);
  system.closeSync(file);
}

function perform<T>(operation: string, act: () => T): T {
  if (inside) return act();
  const name = nameOf(operation);
  if (name === null) tell({ unknown: operation });
  if (name === null || name === 'inward') return act();
  counts[name] = (counts[name] ?? 0) + 1;
  const due = order.kill?.name === name && order.kill.nth === counts[name] ? order.kill.moment : null;
  if (due === 'before') die();
  inside = true;
  try {
    return act();
  } finally {
    inside = false;
    if (due === 'after') die();
  }
}

function die(): never {
  tell({ killed: true });
  kill(process.pid, 'SIGKILL');
  throw new Error('a killed process went on');
}

Object.assign(fs, {
  openSync(path: fs.PathLike, flags: fs.OpenMode = 'r', mode?: fs.Mode) {
    const act = (): number => system.openSync(path, flags, mode);
    const { O_CREAT, O_RDWR, O_WRONLY } = fs.constants;
    const reads =
      typeof flags === 'string'
        ? flags.startsWith('r') && flags !== 'r+'
        : (flags & (O_CREAT | O_RDWR | O_WRONLY)) === 0;
    const file = reads ? act() : perform(`open ${see(path)}`, act);
    open.set(file, String(path));
    return file;
  },
  closeSync(file: number) {
    open.delete(file);
    system.closeSync(file);
  },
  writeSync: ((file: number, ...rest: [string]) => {
    const act = (): number => system.writeSync(file, ...rest);
    return file <= 2 ? act() : perform(`write ${see(open.get(file) ?? '/dev/unknown')}`, act);
  }) as typeof fs.writeSync,
  fsyncSync: (file: number) => perform(`sync ${see(open.get(file) ?? '')}`, () => system.fsyncSync(file)),
  fdatasyncSync: (file: number) =>
    perform(`sync ${see(open.get(file) ?? '')}`, () => system.fdatasyncSync(file)),
  renameSync: (from: fs.PathLike, to: fs.PathLike) =>
    perform(`rename ${see(to)}`, () => system.renameSync(from, to)),
  rmSync: (path: fs.PathLike, options?: fs.RmOptions) =>
    system.existsSync(path)
      ? perform(`remove ${see(path)}`, () => system.rmSync(path, options))
      : system.rmSync(path, options),
  unlinkSync: (path: fs.PathLike) => perform(`remove ${see(path)}`, () => system.unlinkSync(path)),
  mkdirSync: (path: fs.PathLike, options?: fs.MakeDirectoryOptions) =>
    system.existsSync(path)
      ? system.mkdirSync(path, options)
      : perform(`folder ${see(path)}`, () => system.mkdirSync(path, options)),
  writeFileSync: (path: fs.PathLike, data: string, options?: fs.WriteFileOptions) =>
    perform(`write ${see(path)}`, () => system.writeFileSync(path, data, options)),
});
const { spawn } = childProcess;
Object.assign(childProcess, {
  spawn: (command: string, args: readonly string[], options: childProcess.SpawnOptions) => {
    const isWorker = options.env?.['MAILROOM_STEP_PATH'] !== undefined;
    return perform(`spawn ${isWorker ? 'worker' : command}`, () => spawn(command, args, options));
  },
});
syncBuiltinESMExports();
process.once('exit', () => tell({ counts }));
const { main } = (await import(order.app)) as {
  main: (argv: readonly string[], packageRoot: string) => Promise<number>;
};
process.exitCode = await main(process.argv.slice(2), order.packageRoot);
