import { MailroomError, type ErrorCode } from '../../../src/kernel/errors.ts';
import type { MemoryDisk } from '../../support/memory-disk.ts';
import { Crash, Faults, type Chaos } from './faults.ts';
import type { Life, Witness } from './life.ts';
import type { Random } from './random.ts';
import type { Timeline } from './timeline.ts';

/** More microtasks than the loop ever needs from one thing that happens to the next. */
const microtasks = 30;

/** Milliseconds that a sync under way takes at most. */
export const longestSync = 50;

/** In milliseconds. */
export const day = 86_400_000;

/** A virtual disk and virtual time in which hosts live, are killed and are started again; everything from one seed. */
export abstract class VirtualWorld<Process extends Life> {
  readonly random: Random;
  readonly chaos: Chaos;
  readonly timeline: Timeline;
  readonly disk: MemoryDisk;
  readonly faults: Faults;
  /** Everybody behaves, and nothing fails any more. */
  calm = false;
  crashes = 0;
  /** How often the process that started all others was lost. */
  lost = 0;
  /** What no host may do. */
  readonly problems: string[] = [];
  #process: Process | null = null;
  /** Who acts now; null: a person or an agent does. */
  protected acting: Process | null = null;
  /** What may end a host besides a crash. */
  readonly #excuses: readonly ErrorCode[];

  constructor(
    { random, chaos, timeline, disk }: Pick<VirtualWorld<Process>, 'random' | 'chaos' | 'timeline' | 'disk'>,
    excuses: readonly ErrorCode[],
  ) {
    this.random = random;
    this.chaos = chaos;
    this.timeline = timeline;
    this.disk = disk;
    this.#excuses = excuses;
    this.faults = new Faults(disk, random, chaos, (by) => timeline.pass(by));
    disk.beside = (act) => this.#beside(act);
  }

  /** The host that works here now; null: none does. */
  get process(): Process | null {
    return this.#process;
  }

  /** Puts a host together. Throws what the disk throws: a start may fail, or be killed. */
  protected abstract create(witness: Witness): Process;
  /** One that was killed, or has ended by itself. */
  protected abstract gone(process: Process, error: Error | null): void;

  /** Nobody works here any more. */
  protected leave(): void {
    this.#process = null;
  }

  /** Starts a host as often as `alive` says that there is none: a start may be killed, too. */
  protected async untilUp(alive: () => boolean): Promise<void> {
    for (let tries = 0; !alive(); tries += 1) {
      if (tries > 50) throw new Error('the host does not come up');
      // Whoever starts it again waits a little, and in the end somebody has looked after the disk.
      this.timeline.pass(tries * 100);
      this.boot(tries > 40);
      await this.settle();
    }
  }

  /** A host begins, under faults unless it is `calm`; it may not come to life. */
  protected boot(calm: boolean): void {
    this.faults.arm(this.calm || calm);
    let process: Process | null = null;
    const witness: Witness = {
      acts: () => this.#acts(process),
      gone: (error) => {
        if (process) this.gone(process, error);
      },
    };
    try {
      process = this.create(witness);
    } catch (error) {
      this.excuse(error);
      this.crashed();
      return;
    }
    this.#process = process;
    this.acting = process;
    process.run();
  }

  /** What a host lets the system do goes on while the host does other things. */
  #beside(act: () => void): void {
    const { acting } = this;
    this.timeline.later(this.random.below(this.random.pick([1, 3, longestSync])), () => {
      this.#acts(acting);
      act();
    });
  }

  #acts(process: Process | null): void {
    this.acting = process;
    // What happens to one that has lost its lock must not touch its successor.
    this.faults.arm(this.calm || (this.#process !== null && process !== this.#process));
  }

  /** One thing happens. False: nothing ever will. */
  async step(): Promise<boolean> {
    this.faults.disarm();
    this.acting = null;
    const happened = this.timeline.step();
    await this.settle();
    return happened;
  }

  /** Now and then the disk gets full for a while, or somebody sets the clock. */
  strain(): void {
    const { random, chaos, faults, timeline } = this;
    if (random.chance(chaos.full)) {
      faults.fill(random.below(20_000));
      timeline.later(random.below(10_000), () => faults.fill(Infinity), 'outside');
    }
    if (random.chance(chaos.clock)) this.#setClock();
  }

  /** By seconds or by days. */
  #setClock(): void {
    const by = 1 + this.random.below(this.random.pick([100, 10_000, 3_600_000, 40 * day]));
    if (this.random.chance(0.5)) this.timeline.set(-by);
    else if (this.mayAdvance) this.timeline.set(by);
  }

  /** Whether somebody may set the clock forward now. */
  protected get mayAdvance(): boolean {
    return true;
  }

  /** Lets what was begun come to where it waits. */
  async settle(): Promise<void> {
    for (let count = 0; count < microtasks; count += 1) await Promise.resolve();
    // Who was killed while it worked does not live until its promises have said so.
    if (this.faults.killed) this.acting?.kill();
    // One that had ended, and was still writing, is no more either.
    if (this.faults.killed) this.crashed();
    this.faults.disarm();
    this.acting = null;
  }

  /** The process of a host is no more, and perhaps the machine went with it. Returns whether power was lost. */
  protected crashed(): boolean {
    this.crashes += 1;
    this.faults.killed = false;
    this.faults.disarm();
    const lose = this.random.chance(this.chaos.powerLoss);
    this.disk.crash(lose ? { lose: 'unsynced', random: this.random.next } : {});
    return lose;
  }

  /** Anything but a crash or what may happen to a host is a defect. */
  protected excuse(error: unknown): void {
    if (error === null || error instanceof Crash) return;
    if (error instanceof MailroomError && this.#excuses.includes(error.code)) return;
    this.problems.push(
      error instanceof Error ? (error.stack ?? error.message) : 'something unknown was thrown',
    );
  }
}
