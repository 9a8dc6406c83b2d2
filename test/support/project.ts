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
import { ownEnvironment, program, runHere } from './in-process.ts';

export { packageRoot, program } from './in-process.ts';

export interface Ran {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

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
    return spawn(first, rest, {
      cwd: this.root,
      env: this.#inherited(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
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
    return { ...ownEnvironment(), NO_COLOR: '1', ...this.environment, ...env };
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
    // A process that has done its work may still be ending.
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Collects a program's output until it has ended. */
export function finished(child: ChildProcess): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

/** Resolves when a program has written these words to its standard output; never, if it does not. */
export function said(child: ChildProcess, words: string): Promise<void> {
  let heard = '';
  return new Promise((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      heard += chunk.toString();
      if (heard.includes(words)) resolve();
    });
  });
}
