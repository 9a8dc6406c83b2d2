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
import { finished, type Ran } from '../../support/project.ts';
import type { ContainmentName, Order, Start, Told } from './order.ts';
import type { Program } from './program.ts';

/** How long the program may take to come to rest, in milliseconds: a busy machine is no problem, a program that hangs is one. */
const longest = 240_000;

/** What `KILLED_TOKEN` holds, which a workflow may give to its workers. */
export const secret = 'a-token-that-nobody-reads';

/** A project of a matrix in a folder of its own, with a temporary folder and a log that nobody else uses. */
export class Place {
  readonly folder: string;
  readonly root: string;
  readonly containment: ContainmentName;
  readonly #program: Program;
  #besides: (() => Promise<void>) | null = null;

  constructor(program: Program, containment: ContainmentName, template: string | null = null) {
    this.#program = program;
    this.containment = containment;
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'mailroom-kill-')));
    this.root = join(this.folder, 'project');
    const parts = ['project', 'tmp/home', 'kept'];
    if (template === null) for (const name of parts) mkdirSync(join(this.folder, name), { recursive: true });
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

  /** Starts the real program. What lies in the `bin` of the project is found first. */
  start(argv: readonly string[], { kill, powerLoss = false, leftOut = null }: Start): ChildProcess {
    const order: Order = {
      app: this.#program.app,
      packageRoot: this.#program.packageRoot,
      subject: this.#program.subject,
      root: this.root,
      temporary: join(this.folder, 'tmp'),
      log: join(this.folder, 'log'),
      kept: join(this.folder, 'kept'),
      containment: this.containment,
      kill,
      powerLoss,
      leftOut,
    };
    return spawn(process.execPath, [this.#program.controller, ...argv], {
      cwd: this.root,
      env: {
        ...process.env,
        NO_COLOR: '1',
        KILLED_TOKEN: secret,
        PATH: `${join(this.root, 'bin')}:${process.env['PATH'] ?? ''}`,
        HOME: join(order.temporary, 'home'),
        TMPDIR: order.temporary,
        MAILROOM_KILL_MATRIX: JSON.stringify(order),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /** Ends what does not end by itself: that is a problem, not a reason to wait forever. */
  async run(argv: readonly string[], start: Start): Promise<Ran> {
    const child = this.start(argv, start);
    const timer = setTimeout(() => child.kill('SIGKILL'), longest);
    try {
      return await finished(child);
    } finally {
      clearTimeout(timer);
    }
  }

  /** What the programs of this place told, oldest first. */
  told(): Told[] {
    const log = join(this.folder, 'log');
    const text = existsSync(log) ? readFileSync(log, 'utf8') : '';
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Told);
  }

  /** Operations that the tables have no name for. */
  unknown(): string[] {
    return this.told().flatMap((told) => (told.is === 'unknown' ? [`no name for ${told.operation}`] : []));
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

  /** Places that are kept empty from an agent, and what is written of them: none, once all is over. */
  heldPlaces(): string[] {
    const rules = ['.git', 'HEAD', 'protocols', 'workflows'];
    const settings = ['.claude', '.codex', '.gemini', '.opencode', '.pi', '.mcp.json'];
    const empty = [...rules, ...settings].filter(
      (name) => existsSync(join(this.root, name)) && this.list(name).length === 0,
    );
    return [...empty, ...this.list('.mailroom/held')];
  }

  /** Something that the program uses here, and that ends with this place. */
  opened(close: () => Promise<void>): void {
    this.#besides = close;
  }

  async discard(): Promise<void> {
    await this.#besides?.();
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
