import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** What a program took, with everything that it started. */
export interface Taken {
  /** Milliseconds by the clock. */
  readonly wall: number;
  /**
   * Milliseconds of processor time, of user and system together: what others do on the machine counts little. Without what
   * a launcher started, which is gone only after its host.
   */
  readonly processor: number;
  /** Milliseconds for which the processors of the machine were busy meanwhile, whatever with. */
  readonly busy: number;
  /** The most memory that one of its processes had. */
  readonly megabytes: number;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export const program = fileURLToPath(new URL('../bin/mailroom', import.meta.url));

/** Runs Mailroom itself, as it is built now. */
export function mailroom(args: readonly string[], cwd: string): Taken {
  return measured([process.execPath, program, ...args], cwd);
}

/** Runs a program to its end. Throws where there is no GNU `time`. */
export function measured(argv: readonly string[], cwd: string): Taken {
  const before = busy();
  const words = ['time', '-f', 'took %e %U %S %M', ...argv];
  const { status, stdout, stderr } = spawnSync('env', words, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 1e9,
    // Node makes a socket of a pipe: by one as its input, a bash that `make` starts takes itself for remote and reads ~/.bashrc.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const figures = /took ([\d.]+) ([\d.]+) ([\d.]+) (\d+)\s*$/.exec(stderr)?.slice(1).map(Number);
  if (figures === undefined) throw new Error(`nothing was measured: ${stderr.slice(0, 300)}`);
  const [wall = 0, user = 0, system = 0, kilobytes = 0] = figures;
  return {
    wall: wall * 1_000,
    processor: (user + system) * 1_000,
    busy: busy() - before,
    megabytes: kilobytes / 1_000,
    code: status,
    stdout,
    stderr,
  };
}

function busy(): number {
  return cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);
}

/** Whether a program is installed here. */
export function isInstalled(name: string): boolean {
  return spawnSync(name, ['--version'], { stdio: 'ignore' }).error === undefined;
}
