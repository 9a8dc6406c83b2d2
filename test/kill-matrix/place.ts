import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { finished, type Ran } from '../support/project.ts';
import type { ContainmentName, Kill, LeftOut, Order, Told } from './order.ts';
import type { Program } from './program.ts';

export interface Start {
  readonly kill: Kill | null;
  readonly powerLoss?: boolean;
  readonly leftOut?: LeftOut | null;
}

/** How long a controller may take to come to rest, in milliseconds. */
const longest = 60_000;

/** A project of the matrix in a folder of its own, with a temporary folder and a log that nobody else uses. */
export class Place {
  readonly folder: string;
  readonly root: string;
  readonly containment: ContainmentName;
  readonly #program: Program;

  constructor(program: Program, containment: ContainmentName, template: string | null = null) {
    this.#program = program;
    this.containment = containment;
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'mailroom-kill-')));
    this.root = join(this.folder, 'project');
    if (template === null) for (const name of ['project', 'tmp', 'kept']) mkdirSync(join(this.folder, name));
    else cpSync(template, this.folder, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    rmSync(join(this.folder, 'log'), { force: true });
  }

  write(path: string, text: string | Uint8Array): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  /** Puts a whole file there by one rename, as a careful writer does. */
  drop(path: string, text: string | Uint8Array): void {
    this.write(`.drop/${path}`, text);
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    renameSync(join(this.root, '.drop', path), join(this.root, path));
  }

  read(path: string): string {
    const file = join(this.root, path);
    return existsSync(file) && statSync(file).isFile() ? readFileSync(file, 'utf8') : '';
  }

  remove(path: string): void {
    rmSync(join(this.root, path), { recursive: true, force: true });
  }

  list(path: string): string[] {
    return existsSync(join(this.root, path)) ? readdirSync(join(this.root, path)).toSorted() : [];
  }

  git(...args: string[]): string {
    const identity = ['-c', 'user.name=Tester', '-c', 'user.email=tester@localhost'];
    const ran = spawnSync('git', [...identity, ...args], { cwd: this.root, encoding: 'utf8' });
    if (ran.status !== 0) throw new Error(`git ${args.join(' ')}: ${ran.stderr}`);
    return ran.stdout.trim();
  }

  /** Makes a pack of one object. */
  pack(object: string): void {
    const options = ['pack-objects', '--quiet', join(this.root, '.git', 'objects', 'pack', 'pack')];
    spawnSync('git', options, { cwd: this.root, input: `${object}\n` });
  }

  /** Starts the real controller, which works until nothing more happens by itself. */
  start({ kill, powerLoss = false, leftOut = null }: Start): ChildProcess {
    const order: Order = {
      ...this.#program,
      root: this.root,
      temporary: join(this.folder, 'tmp'),
      log: join(this.folder, 'log'),
      kept: join(this.folder, 'kept'),
      containment: this.containment,
      kill,
      powerLoss,
      leftOut,
    };
    return spawn(process.execPath, [this.#program.controller, 'up', '--until-idle', '--json'], {
      cwd: this.root,
      env: {
        ...process.env,
        NO_COLOR: '1',
        TMPDIR: join(this.folder, 'tmp'),
        MAILROOM_KILL_MATRIX: JSON.stringify(order),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /** Ends a controller that does not end by itself: that is a problem, not a reason to wait for ever. */
  async run(start: Start): Promise<Ran> {
    const child = this.start(start);
    const timer = setTimeout(() => child.kill('SIGKILL'), longest);
    try {
      return await finished(child);
    } finally {
      clearTimeout(timer);
    }
  }

  /** What the controllers of this place told, oldest first. */
  told(): Told[] {
    const log = join(this.folder, 'log');
    const text = existsSync(log) ? readFileSync(log, 'utf8') : '';
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Told);
  }

  /** Processes that have something to do with this place: by their environment, their folder or their command line. */
  survivors(): string[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .flatMap((pid) => {
        const command = proc(`${pid}/cmdline`).replaceAll('\0', ' ').trim();
        const belongs = command.includes(this.folder) || proc(`${pid}/environ`).includes(this.folder);
        return belongs && command !== '' ? [`${pid} ${command}`] : [];
      });
  }

  discard(): void {
    for (const line of this.survivors()) {
      try {
        process.kill(Number.parseInt(line, 10), 'SIGKILL');
      } catch {
        // It has just ended.
      }
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function proc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'latin1');
  } catch {
    return '';
  }
}
