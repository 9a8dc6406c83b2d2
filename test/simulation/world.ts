import { MailroomError } from '../../src/core/errors.ts';
import type { MailEventRecord } from '../../src/core/mail/event.ts';
import type { Protocol } from '../../src/core/mail/protocol.ts';
import type { MailState } from '../../src/core/mail/state.ts';
import { MemoryDisk } from '../../src/store/memory-disk.ts';
import { scriptedAgents } from './agents.ts';
import { Archive } from './archive.ts';
import { Controller } from './controller.ts';
import { Crash, Faults, type Chaos } from './faults.ts';
import type { Random } from './random.ts';
import type { Script } from './scripted-runner.ts';
import { Timeline } from './timeline.ts';

/** More microtasks than the loop ever needs from one thing that happens to the next. */
const microtasks = 24;

/** A project on a virtual disk, with virtual time and scripted agents; everything from one seed. */
export class World {
  readonly random: Random;
  readonly protocol: Protocol;
  readonly chaos: Chaos;
  readonly timeline = new Timeline();
  readonly disk: MemoryDisk;
  readonly faults: Faults;
  readonly archive: Archive;
  /** Everybody behaves, and nothing fails any more. */
  calm = false;
  crashes = 0;
  /** Controllers that found the project taken. */
  refused = 0;
  /** What no controller may do. */
  readonly problems: string[] = [];
  /** Keys of invocations that passed the launch gate, over all controllers. */
  readonly launches: string[] = [];
  readonly #script: Script;
  #ids = 0;
  /** Who has the lock, and who acts now; null: a person or an agent does. */
  #holder: Controller | null = null;
  #acting: Controller | null = null;

  constructor(protocol: Protocol, random: Random, chaos: Chaos, script: Script | null = null) {
    this.protocol = protocol;
    this.random = random;
    this.chaos = chaos;
    this.disk = new MemoryDisk(() => this.timeline.now);
    this.faults = new Faults(this.disk, random, chaos, (by) => this.timeline.pass(by));
    this.faults.changing = () => this.#checkHolder();
    this.archive = new Archive(this.disk);
    this.#script = script ?? this.#scripted();
  }

  get now(): number {
    return this.timeline.now;
  }

  /** The controller that has the project; null: none runs. */
  get controller(): Controller | null {
    return this.#holder;
  }

  get state(): MailState {
    if (!this.#holder) throw new Error('no controller runs');
    return this.#holder.host.state;
  }

  /** Everything that was ever recorded and is durable. */
  records(): MailEventRecord[] {
    this.faults.disarm();
    return this.archive.all();
  }

  newId = (): string => {
    this.#ids += 1;
    const time = Math.floor(this.now).toString(16).padStart(12, '0');
    const count = this.#ids.toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${count}`;
  };

  /** Starts a controller, as often as it takes: recovery may be killed as well. */
  async start(): Promise<void> {
    for (let tries = 0; this.#holder === null; tries += 1) {
      if (tries > 50) throw new Error('the controller does not come up');
      // Whoever starts it again waits a little, and in the end somebody has looked after the disk.
      this.timeline.pass(tries * 100);
      this.#boot(tries > 40);
      await this.settle();
    }
  }

  #boot(calm: boolean): void {
    this.faults.arm(this.calm || calm);
    try {
      this.#holder = new Controller({
        disk: this.disk,
        timeline: this.timeline,
        random: this.random,
        protocol: this.protocol,
        script: this.#script,
        newId: this.newId,
        acts: (controller) => this.#acts(controller),
        gone: (controller, error) => this.#gone(controller, error),
      });
    } catch (error) {
      this.#excused(error);
      return this.#crashed();
    }
    this.#acting = this.#holder;
    this.#holder.run();
  }

  /** A second controller wants the project; the lock lets it have it only when nobody has. */
  rival(): void {
    if (this.#holder) this.refused += 1;
    else this.#boot(false);
  }

  /** The lock is lost: the controller that had it must leave everything alone, whoever comes next. */
  loseLock(): void {
    const before = this.#holder;
    if (!before) return;
    this.launches.push(...before.runner.launches.splice(0));
    this.#holder = null;
    before.loseLock();
  }

  /** One thing happens. Returns false when nothing ever will. */
  async step(): Promise<boolean> {
    if (!this.#holder) await this.start();
    this.faults.disarm();
    this.#acting = null;
    const happened = this.timeline.step();
    await this.settle();
    return happened;
  }

  /** Lets what was begun come to where it waits. */
  async settle(): Promise<void> {
    for (let count = 0; count < microtasks; count += 1) await Promise.resolve();
    // Who was killed while it worked does not live until its promises have said so.
    if (this.faults.killed) this.#acting?.kill();
    this.faults.disarm();
    this.#acting = null;
  }

  #acts(controller: Controller): void {
    this.#acting = controller;
    // What happens to one that has lost its lock must not touch its successor.
    this.faults.arm(this.calm || (this.#holder !== null && controller !== this.#holder));
  }

  #checkHolder(): void {
    if (this.#acting && this.#holder && this.#acting !== this.#holder)
      this.problems.push('a controller without the lock has changed something');
  }

  #gone(controller: Controller, error: Error | null): void {
    this.#excused(error);
    this.launches.push(...controller.runner.launches.splice(0));
    if (this.#holder === controller) this.#holder = null;
    else if (this.#holder) return;
    if (error) this.#crashed();
  }

  /** The process is no more, and perhaps the machine went with it. */
  #crashed(): void {
    this.crashes += 1;
    this.faults.killed = false;
    this.faults.disarm();
    const lose = this.random.chance(this.chaos.powerLoss);
    this.disk.crash(lose ? { lose: 'unsynced', random: this.random.next } : {});
  }

  /** Anything but a crash, a disk that fails, or a lost lock is a defect. */
  #excused(error: unknown): void {
    if (error === null || error instanceof Crash) return;
    if (error instanceof MailroomError && (error.code === 'E_DISK' || error.code === 'E_LOCKED')) return;
    this.problems.push(
      error instanceof Error ? (error.stack ?? error.message) : 'something unknown was thrown',
    );
  }

  #scripted(): Script {
    return scriptedAgents({
      disk: this.disk,
      protocol: this.protocol,
      random: this.random,
      timeline: this.timeline,
      state: () => this.state,
      calm: () => this.calm,
      hint: () => this.hint(),
    });
  }

  /** Something changed: the watcher says so at once, late, twice or not at all. */
  hint(): void {
    const times = !this.calm && this.random.chance(this.chaos.lostHint) ? 0 : this.random.chance(0.1) ? 2 : 1;
    for (let time = 0; time < times; time += 1)
      this.timeline.later(this.random.below(50), () => this.#holder?.hint());
  }

  allLaunches(): string[] {
    return [...this.launches, ...(this.#holder?.runner.launches ?? [])];
  }
}
