import { MailroomError, type ErrorCode } from '../../../src/kernel/errors.ts';
import type { MemoryDisk } from '../../support/memory-disk.ts';
import { Crash, Faults, type Chaos } from './faults.ts';
import type { Life } from './life.ts';
import type { Random } from './random.ts';
import type { Timeline } from './timeline.ts';

/** More microtasks than the loop ever needs from one thing that happens to the next. */
const microtasks = 30;

/** A virtual disk and virtual time in which hosts live, are killed and are started again; everything from one seed. */
export abstract class VirtualWorld<Host extends Life> {
  readonly random: Random;
  readonly chaos: Chaos;
  readonly timeline: Timeline;
  readonly disk: MemoryDisk;
  readonly faults: Faults;
  /** Everybody behaves, and nothing fails any more. */
  calm = false;
  crashes = 0;
  /** What no host may do. */
  readonly problems: string[] = [];
  /** Who acts now; null: a person or an agent does. */
  protected acting: Host | null = null;
  /** What may end a host besides a crash. */
  readonly #excuses: readonly ErrorCode[];

  constructor(
    { random, chaos, timeline, disk }: Pick<VirtualWorld<Host>, 'random' | 'chaos' | 'timeline' | 'disk'>,
    excuses: readonly ErrorCode[],
  ) {
    this.random = random;
    this.chaos = chaos;
    this.timeline = timeline;
    this.disk = disk;
    this.#excuses = excuses;
    this.faults = new Faults(disk, random, chaos, (by) => timeline.pass(by));
  }

  /** Starts a host as often as `alive` says that there is none: a start may be killed, too. */
  protected async untilUp(alive: () => boolean, boot: (calm: boolean) => void): Promise<void> {
    for (let tries = 0; !alive(); tries += 1) {
      if (tries > 50) throw new Error('the host does not come up');
      // Whoever starts it again waits a little, and in the end somebody has looked after the disk.
      this.timeline.pass(tries * 100);
      boot(tries > 40);
      await this.settle();
    }
  }

  /** A host begins, under faults unless it is `calm`. Null: it did not come to life. */
  protected born(calm: boolean, make: () => Host): Host | null {
    this.faults.arm(this.calm || calm);
    try {
      return make();
    } catch (error) {
      this.excuse(error);
      this.crashed();
      return null;
    }
  }

  /** One thing happens. False: nothing ever will. */
  async step(): Promise<boolean> {
    this.faults.disarm();
    this.acting = null;
    const happened = this.timeline.step();
    await this.settle();
    return happened;
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
