import { readdirSync, readFileSync } from 'node:fs';
import type { ChildProcess } from 'node:child_process';
import { listProcesses, readProcess } from '../../src/process/proc.ts';
import { until } from '../process/support.ts';

/** The launcher that a program has; undefined: it has none at this moment. */
export function launcherOf({ pid }: ChildProcess): number | undefined {
  return (listProcesses() ?? []).find((each) => {
    const found = readProcess(each);
    if (found?.parent !== pid || found?.ended !== false) return false;
    try {
      return readFileSync(`/proc/${each}/cmdline`, 'utf8').endsWith('launcher.cjs\0');
    } catch {
      return false;
    }
  });
}

/** Resolves when a program has a launcher that is ready: then it has made its pipes. */
export async function launcherReadyOf(child: ChildProcess): Promise<number> {
  let found: number | undefined;
  await until('its launcher is ready', () => {
    found = launcherOf(child);
    return found !== undefined && holds(found) > pipes;
  });
  return found ?? 0;
}

/** Fewer than a launcher makes at first, and more than it has open before. */
const pipes = 40;

/** How many files a process has open; 0: it has ended. */
function holds(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** Kills a host together with its launcher, which would end what the host leaves. */
export function killWithLauncher(child: ChildProcess): void {
  const launcher = launcherOf(child);
  if (launcher !== undefined) process.kill(launcher, 'SIGSTOP');
  child.kill('SIGKILL');
  if (launcher !== undefined) process.kill(launcher, 'SIGKILL');
}
