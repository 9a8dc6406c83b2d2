import type { MailEventRecord } from '../../../../src/mail/machine/event.ts';
import { sealKey } from '../../../../src/host/seal.ts';
import type { Protocol } from '../../../../src/mail/format/protocol.ts';
import { emptyState, type MailState } from '../../../../src/mail/machine/state.ts';
import { MemoryDisk } from '../../../support/memory-disk.ts';
import { scriptedAgents } from './agents.ts';
import { Archive } from './archive.ts';
import { openAway, type Away } from './away.ts';
import { Controller } from './controller.ts';
import type { Witness } from '../life.ts';
import type { Chaos } from '../faults.ts';
import type { Random } from '../random.ts';
import type { Script } from './scripted-runner.ts';
import { Neighbours } from '../neighbours.ts';
import { Timeline } from '../timeline.ts';
import { VirtualWork } from './virtual-work.ts';
import { VirtualWorld } from '../virtual-world.ts';

/** A project on a virtual disk, with virtual time and scripted agents; everything from one seed. */
export class World extends VirtualWorld<Controller> {
  readonly protocol: Protocol;
  readonly archive: Archive;
  /** Controllers that found the project taken. */
  refused = 0;
  /** Keys of invocations that passed the launch barrier, over all controllers. */
  readonly launches: string[] = [];
  readonly uninstalled = new Set<string>();
  /** Who shares the slots for agents with the controller. */
  readonly neighbours: Neighbours;
  readonly work: VirtualWork;
  /** The worker hosts; null: no role works on them. */
  readonly away: Away | null;
  readonly #script: Script;
  /** Of the last controller that ran. */
  #last: MailState = emptyState();
  #ids = 0;

  constructor(protocol: Protocol, random: Random, chaos: Chaos, script: Script | null = null) {
    const timeline = new Timeline();
    const disk = new MemoryDisk(() => timeline.now);
    super({ random, chaos, timeline, disk }, ['E_DISK', 'E_LOCKED']);
    sealKey(disk);
    this.protocol = protocol;
    this.work = new VirtualWork(random.fork());
    this.neighbours = new Neighbours(protocol.concurrency, random.fork());
    this.faults.changing = (operation) => {
      this.#checkHolder();
      this.away?.changes(operation);
    };
    this.archive = new Archive(this.disk);
    this.#script = script ?? this.#scripted(disk);
    const isAway = [...protocol.roles.values()].some(({ on }) => on !== undefined);
    const { work } = this;
    const scriptOf = (on: MemoryDisk) => script ?? this.#scripted(on);
    const kill = () => this.process?.kill();
    const isSlow = chaos.slow > 0;
    this.away = isAway ? openAway!({ protocol, timeline, random, work, disk, isSlow, scriptOf, kill }) : null;
    this.away?.start();
  }

  get now(): number {
    return this.timeline.now;
  }

  get state(): MailState {
    if (!this.process) throw new Error('no controller runs');
    return this.process.host.state;
  }

  /** Everything that was ever recorded and is durable. */
  records(): MailEventRecord[] {
    this.faults.disarm();
    return this.archive.all();
  }

  newId = (): string => {
    this.#ids += 1;
    const time = Math.floor(this.now).toString(16).padStart(12, '0');
    // All ids end in the same letters: whatever takes an end for the whole mixes messages up.
    const count = this.#ids.toString(16).padStart(6, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${count}abcdef`;
  };

  /** Starts a controller, as often as it takes. */
  start(): Promise<void> {
    return this.untilUp(() => this.process !== null);
  }

  protected create(witness: Witness): Controller {
    const { disk, timeline, random, protocol, newId, uninstalled, neighbours, work, away } = this;
    work.crash();
    const script = this.#script;
    return new Controller(
      { disk, timeline, random, protocol, script, newId, uninstalled, neighbours, work, away },
      witness,
    );
  }

  /** A second controller wants the project; the lock lets it have it only when nobody has. */
  rival(): void {
    if (this.process) this.refused += 1;
    else this.boot(false);
  }

  loseLauncher(): void {
    this.lost += 1;
    this.process?.runner.lose();
  }

  /** The lock is lost: the controller that had it must leave everything alone, whoever comes next. */
  loseLock(): void {
    const before = this.process;
    if (!before) return;
    this.launches.push(...before.runner.launches.splice(0));
    this.leave();
    before.loseLock();
  }

  /** One thing happens, once a controller runs. */
  override async step(): Promise<boolean> {
    await this.start();
    return super.step();
  }

  /** Not while somebody is in the middle of writing a file. */
  protected override get mayAdvance(): boolean {
    return !this.timeline.outside;
  }

  #checkHolder(): void {
    if (this.acting && this.process && this.acting !== this.process)
      this.problems.push('a controller without the lock has changed something');
  }

  protected gone(controller: Controller, error: Error | null): void {
    this.excuse(error);
    this.#last = controller.host.state;
    this.launches.push(...controller.runner.launches.splice(0));
    if (this.process === controller) this.leave();
    else if (this.process) return;
    if (error) this.crashed();
  }

  #scripted(disk: MemoryDisk): Script {
    return scriptedAgents({
      disk,
      protocol: this.protocol,
      random: this.random,
      timeline: this.timeline,
      state: () => this.process?.host.state ?? this.#last,
      calm: () => this.calm,
      hint: () => this.hint(),
    });
  }

  /** Something changed: the watcher says so at once, late, twice or not at all. */
  hint(): void {
    const times = !this.calm && this.random.chance(this.chaos.lostHint) ? 0 : this.random.chance(0.1) ? 2 : 1;
    for (let time = 0; time < times; time += 1)
      this.timeline.later(this.random.below(50), () => this.process?.hint());
  }

  override strain(): void {
    super.strain();
    this.away?.strain();
  }

  allLaunches(): string[] {
    return [...(this.away?.launches() ?? []), ...this.launches, ...(this.process?.runner.launches ?? [])];
  }
}
