import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isAlive, listProcesses, readProcess, type ProcessInfo } from '../../src/process/proc.ts';
import { ownEnvironment, program, runHere } from './in-process.ts';
import type { Ran } from './ran.ts';

export { packageRoot, program } from './in-process.ts';
export type { Ran } from './ran.ts';

/** A project in a temporary folder, and the real program to use on it. */
export class TestProject {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'mailroom-test-')));

  /** Writes files by their path from the project. */
  constructor(files: Readonly<Record<string, string>>) {
    for (const [path, text] of Object.entries(files)) this.write(path, text);
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  /** Puts a whole file there by one rename, as a careful writer does. */
  drop(path: string, text: string): void {
    this.write(`.drop/${path}`, text);
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    renameSync(join(this.root, '.drop', path), join(this.root, path));
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  list(path: string): string[] {
    return readdirSync(join(this.root, path)).toSorted();
  }

  /** Variables of all its programs. */
  protected readonly environment: Readonly<Record<string, string>> = {};

  /** Starts the program. `within`: a program that runs it elsewhere, with its arguments. */
  start(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    within: readonly string[] = [],
  ): ChildProcess {
    const [first = '', ...rest] = [...within, process.execPath, program, ...args];
    const child = spawn(first, rest, {
      cwd: this.root,
      env: this.#inherited(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const kill = child.kill.bind(child);
    child.kill = (signal) => {
      if (signal === 'SIGKILL') lockHolders.set(child, lockHoldersOf(child));
      return kill(signal);
    };
    return child;
  }

  /**
   * What the program says and does, in this process where that is possible: for tests of which its process is not the
   * subject.
   */
  async run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
    const ran = await runHere(args, this.root, this.#inherited(env));
    return ran ?? finished(this.start(args, env));
  }

  #inherited(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
    // The list of a person's projects is theirs.
    const config = { XDG_CONFIG_HOME: join(this.root, '.mailroom/config') };
    return { ...ownEnvironment(), NO_COLOR: '1', ...config, ...this.environment, ...env };
  }

  /** Runs git in the project, and returns what it prints. */
  git(...args: readonly string[]): string {
    return execFileSync('git', args, { cwd: this.root, encoding: 'utf8', stdio: 'pipe' }).trim();
  }

  /** Makes the project a repository of Ada's, with all of it in the first commit on `main`. */
  makeRepository(): void {
    this.git('init', '-qb', 'main');
    this.git('config', 'user.name', 'Ada');
    this.git('config', 'user.email', 'ada@example.org');
    this.git('add', '-A');
    this.git('commit', '-qm', 'first');
  }

  /** Command lines of processes of this project that are still there. */
  survivors(): string[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
          if (!environment.includes(`MAILROOM_PROJECT=${this.root}`)) return [];
          return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`];
        } catch {
          return [];
        }
      });
  }

  remove(): void {
    // A process that has done its work may still be ending, for seconds on a machine that is slow. What it
    // makes in a folder that is being removed is only found by beginning again.
    for (let left = 20; ; left -= 1)
      try {
        return rmSync(this.root, { recursive: true, force: true, maxRetries: 2, retryDelay: 500 });
      } catch (error) {
        if (left === 0) throw error;
      }
  }
}

/** What a program has written so far. All who ask for it share one record: what came before the question is in it. */
interface Heard {
  stdout: string;
  stderr: string;
  /** Up to where these words were found last. */
  readonly found: Map<string, number>;
}
const heardOf = new WeakMap<ChildProcess, Heard>();

function hear(child: ChildProcess): Heard {
  const known = heardOf.get(child);
  if (known !== undefined) return known;
  const heard: Heard = { stdout: '', stderr: '', found: new Map() };
  child.stdout?.on('data', (chunk: Buffer) => (heard.stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (heard.stderr += chunk.toString()));
  heardOf.set(child, heard);
  return heard;
}

/** The processes that held the locks of a program when it was killed: they end a moment after it. */
const lockHolders = new WeakMap<ChildProcess, readonly ProcessInfo[]>();

/** Each flock(1) that was started by a program, or by its launcher. */
function lockHoldersOf(child: ChildProcess): ProcessInfo[] {
  const all = (listProcesses() ?? []).flatMap((pid) => readProcess(pid) ?? []);
  const below = (parent: number): ProcessInfo[] =>
    all.filter((each) => each.parent === parent).flatMap((each) => [each, ...below(each.pid)]);
  return child.pid === undefined ? [] : below(child.pid).filter(({ pid }) => isFlock(pid));
}

function isFlock(pid: number): boolean {
  try {
    return readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8')
      .split('\0', 1)[0]!
      .endsWith('flock');
  } catch {
    return false;
  }
}

/** Collects a program's output until it has ended and, if it was killed, its locks are free. */
export async function finished(child: ChildProcess): Promise<Ran> {
  const heard = hear(child);
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (...end) => resolve(end));
  });
  const holders = lockHolders.get(child) ?? [];
  while (holders.some(isAlive)) await wait(2);
  return { code, signal, stdout: heard.stdout, stderr: heard.stderr };
}

/**
 * Resolves when a program has written these words to its standard output, be it before the question; asked for the same
 * words again, when it has written them once more. Rejects when the program ends without them.
 */
export function said(child: ChildProcess, words: string): Promise<void> {
  const heard = hear(child);
  return new Promise((resolve, reject) => {
    const look = () => {
      const at = heard.stdout.indexOf(words, heard.found.get(words) ?? 0);
      if (at === -1) return;
      heard.found.set(words, at + words.length);
      child.stdout?.off('data', look);
      resolve();
    };
    const end = () => {
      const wrote = JSON.stringify({ stdout: heard.stdout, stderr: heard.stderr }, null, 2);
      reject(new Error(`the program ended and never wrote ${JSON.stringify(words)}: ${wrote}`));
    };
    child.stdout?.on('data', look);
    child.once('close', end);
    look();
    if (child.stdout?.closed === true) end();
  });
}
