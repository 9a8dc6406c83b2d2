import type { MemoryDisk } from '../../../support/memory-disk.ts';
import type { Random } from '../random.ts';
import type { Timeline } from '../timeline.ts';
import { firstAnswer, playOf, stopped, type Play } from './workers.ts';
import type { Exit } from '../../../../src/providers/provider.ts';
import type { ProcessJob } from '../../../../src/host/runner/runner.ts';

/** What a host learns of a process. */
interface Listener {
  ended(exit: Exit): void;
  /** In place of its end: it is lost with the process that started all of them. */
  lost(problem: string): void;
}

interface Worker {
  readonly job: ProcessJob;
  readonly path: string;
  readonly play: Play;
  /** Null: the host that started it is gone. */
  tell: Listener | null;
  stopping: boolean;
}

export interface FloorOptions {
  readonly disk: MemoryDisk;
  readonly timeline: Timeline;
  readonly random: Random;
  /** Everything goes well. */
  calm(): boolean;
  /** Whether the journal says that a step has succeeded, and nobody wants it again. */
  finished(path: string): boolean;
}

/**
 * Where the processes of all hosts run: they outlive the host that started them until the next one sweeps. Says what no host
 * may let happen here.
 */
export class WorkFloor {
  readonly #options: FloorOptions;
  readonly #workers = new Map<string, Worker>();
  /** What the last worker of each step that ended well has made; null: nothing. */
  readonly made = new Map<string, string | null>();
  readonly problems: string[] = [];
  launches = 0;
  /** Processes that a later host found, and ended. */
  orphans = 0;

  constructor(options: FloorOptions) {
    this.#options = options;
  }

  /** The paths of the steps that somebody works at, but for those who were told to stop. */
  get working(): string[] {
    return [...this.#workers.values()].filter(({ stopping }) => !stopping).map(({ path }) => path);
  }

  get size(): number {
    return this.#workers.size;
  }

  start(job: ProcessJob, tell: Listener): void {
    const { random, timeline } = this.#options;
    const path = job.command.env['MAILROOM_STEP_PATH'] ?? '';
    if (this.#workers.has(job.key)) this.problems.push(`${job.key} was started twice`);
    if (this.working.includes(path)) this.problems.push(`${path} has two workers`);
    if (this.#options.finished(path)) this.problems.push(`${path} has finished, and is started again`);
    this.launches += 1;
    const play = playOf(random, job, this.#options.calm(), timeline.now);
    const worker: Worker = { job, path, play, tell, stopping: false };
    this.#workers.set(job.key, worker);
    this.#read(worker);
    // It may die, or be stopped, before it reports anything.
    if (job.provider !== null && random.chance(0.7))
      this.#options.disk.plant(this.#inside(job.stdout), firstAnswer);
    const { makes, lasts } = play;
    const half = random.below(lasts + 1);
    const token = `${job.key} ${String(this.launches)}`;
    if (makes !== null) timeline.later(half, () => this.#put(worker, `${makes}/a.txt`, token), 'outside');
    timeline.later(lasts, () => this.#end(worker, token), 'outside');
  }

  stop(key: string): void {
    const worker = this.#workers.get(key);
    if (!worker || worker.stopping) return;
    worker.stopping = true;
    const { random, timeline } = this.#options;
    timeline.later(random.below(3_000), () => this.#leave(worker, stopped()), 'outside');
  }

  /** The process that started all others is lost: they were ended with it. */
  lose(): void {
    const lost = [...this.#workers.values()];
    this.#workers.clear();
    for (const { tell } of lost) tell?.lost('the launcher has ended');
  }

  /** A new host ends what it finds. */
  sweep(): void {
    this.orphans += this.#workers.size;
    this.#workers.clear();
  }

  /**
   * The journal was cut off, perhaps before a later iteration, or before a step ran again whose artifact was removed for
   * that: the run continues with the artifacts that exist. No artifact is then expected of a step that has none.
   */
  rewind(existing: (path: string) => string | null): void {
    for (const path of this.made.keys()) {
      const text = existing(path);
      if (text === null) this.made.delete(path);
      else this.made.set(path, text);
    }
  }

  /** The host is gone: nobody hears of its processes any more. */
  orphan(): void {
    for (const worker of this.#workers.values()) worker.tell = null;
  }

  /** The power went: nothing runs. */
  clear(): void {
    this.#workers.clear();
  }

  /** An input is there whole, or not at all. */
  #read({ path, job, play: { reads, check } }: Worker): void {
    if (reads === null || check) return;
    const [a, b] = ['a', 'b'].map((name) => this.#text(`${job.workspace}/${reads}/${name}.txt`));
    if (a !== b) this.problems.push(`${path} finds half of an input: ${String(a)} and ${String(b)}`);
  }

  #text(path: string): string | null {
    const inside = this.#inside(path);
    this.#options.disk.beforeRead = null;
    return this.#options.disk.read(inside, 10_000)?.toString() ?? null;
  }

  #put({ job, stopping }: Worker, path: string, text: string): void {
    if (!this.#workers.has(job.key) || stopping) return;
    this.#options.disk.plant(this.#inside(`${job.workspace}/${path}`), text);
  }

  #inside(path: string): string {
    return path.slice(this.#options.disk.root.length + 1);
  }

  #end(worker: Worker, token: string): void {
    const { job, path, play, stopping } = worker;
    if (!this.#workers.has(job.key) || stopping) return;
    const { makes, leaves, exit } = play;
    const isGood = exit.ended === 'exited' && exit.code === 0;
    // Who fails leaves half of it.
    if (makes !== null) this.#put(worker, `${makes}/a.txt`, token);
    if (makes !== null && isGood) this.#put(worker, `${makes}/b.txt`, token);
    for (const [file, text] of Object.entries(leaves)) this.#options.disk.plant(this.#inside(file), text);
    if (!play.check && isGood) this.made.set(path, makes === null ? null : token);
    this.#leave(worker, exit);
  }

  #leave(worker: Worker, exit: Exit): void {
    if (this.#workers.get(worker.job.key) !== worker) return;
    this.#workers.delete(worker.job.key);
    worker.tell?.ended(exit);
  }
}
