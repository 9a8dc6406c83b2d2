import type { AgentJob } from '../../../../src/host/runner/runner.ts';
import type { Disk } from '../../../../src/disk/disk.ts';
import { QueueRunner } from '../../../../src/extensions/workers/controller/queue-runner.ts';
import { queuedFolder, QueuedNotes } from '../../../../src/extensions/workers/controller/queued-notes.ts';
import { turnIn } from '../../../../src/extensions/workers/remote-turn.ts';
import { isJsonObject, type Json } from '../../../../src/kernel/json.ts';
import { roleBranch } from '../../../../src/kernel/work.ts';
import type { Protocol } from '../../../../src/mail/format/protocol.ts';
import type { AtInvocation, MailEvent } from '../../../../src/mail/machine/event.ts';
import type { HeldJob, JobQueue, JobSource } from '../../../../src/extensions/workers/queue/channel.ts';
import { controllerKeys } from '../credentials.ts';
import type { MemoryDisk, Operation } from '../../../support/memory-disk.ts';
import { MemoryQueue } from '../memory-queue.ts';
import type { Random } from '../../../worlds/simulation/random.ts';
import type { Timeline } from '../../../worlds/simulation/timeline.ts';
import type { Script } from '../../../worlds/simulation/mail/scripted-runner.ts';
import { Fatal } from './fatal.ts';
import { Network } from './network.ts';
import type { Asker, Away, AwayWorld } from '../../../worlds/simulation/mail/away.ts';
import { ControllerTravel, type Shared } from './virtual-travel.ts';
import { WorkerHost, type WorkerWorld } from './worker-host.ts';

/** In milliseconds. */
const lease = 10_000;
/** Between two unprompted looks of each side, in milliseconds. */
const every = 2_000;

export const openAway = (world: AwayWorld): Hosts => new Hosts(world);

/** The worker hosts of a world, the queue, and the repository that they share with the controller. */
export class Hosts implements Away, WorkerWorld {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly protocol: Protocol;
  readonly shared: Shared;
  /** How often the agent of a turn was started, and its turn put back, by `turn/attempt/round`. */
  readonly starts = new Map<string, number>();
  readonly putBacks = new Map<string, number>();
  /** Which life of a worker has a job. */
  readonly #holders = new Map<string, Asker>();
  readonly #queue: MemoryQueue;
  readonly #workers: readonly WorkerHost[];
  /** Something has happened that may cost a lease: slow disks hold up everything here. */
  #isStrained: boolean;
  /** Every job that was ever added, as an intruder can keep it. */
  readonly #kept: Parameters<JobQueue['add']>[] = [];
  /** The jobs in the queue. */
  readonly #jobs = new Set<string>();

  readonly #disk: MemoryDisk;
  /** What the repository of the controller has of the work of other hosts. */
  readonly #known = new Set<string>();

  constructor({ protocol, timeline, random, work, disk, isSlow, scriptOf, kill }: AwayWorld) {
    this.protocol = protocol;
    this.timeline = timeline;
    this.random = random;
    this.scriptOf = scriptOf;
    this.#disk = disk;
    this.#isStrained = isSlow;
    const network = new Network(random);
    this.shared = { network, work, fatal: new Fatal(), refs: new Map(), problems: [] };
    this.shared.fatal.kill = (host) => (host === 'controller' ? kill() : this.kill(host));
    this.#queue = new MemoryQueue(() => timeline.elapsed);
    this.#workers = [['linux'], ['linux', 'gpu'], ['gpu']].map(
      (labels, index) => new WorkerHost(this, `worker-${String(index)}`, labels),
    );
  }

  readonly scriptOf: (disk: WorkerHost['disk']) => Script;

  start(): void {
    for (const worker of this.#workers) worker.start();
  }

  changes(operation: Operation): void {
    this.shared.fatal.changes(operation);
  }

  /** The real runner of turns on workers. */
  turns(asker: Asker, { local, events }: Parameters<Away['turns']>[1]): QueueRunner {
    const { random, timeline } = this;
    const isResolved = () => random.chance(0.8);
    const options = {
      local,
      version: 'test',
      notes: new QueuedNotes(this.#disk, queuedFolder),
      travel: new ControllerTravel(isResolved, this.shared, this.#known, asker, this.#disk),
      credentials: controllerKeys,
      patience: lease,
      newId: () =>
        Math.floor(random.next() * 2 ** 32)
          .toString(16)
          .padStart(8, '0'),
      now: () => timeline.now,
      elapsed: () => timeline.elapsed,
    };
    return new QueueRunner(options, events, (onChange) => this.queue(asker, onChange));
  }

  /** The queue as the controller has it. */
  queue(asker: Asker, onChange: () => void): JobQueue {
    const { network, fatal } = this.shared;
    const send = <T>(act: () => Promise<T>) => network.ask(asker, act);
    /** The jobs that this controller has looked for or added. */
    const met = new Set<string>();
    const queue = this.#queue.queue({ onChange: this.#hint(asker, onChange) });
    return {
      add: (job, data, labels) =>
        fatal.around(
          asker,
          'job.publish',
          () => {
            this.#jobs.add(job.id);
            met.add(job.id);
            this.#kept.push([job, data, labels]);
            return queue.add(job, data, labels);
          },
          send,
        ),
      look: (job) => {
        const look = () => queue.look(job);
        if (met.has(job.id)) return send(look);
        met.add(job.id);
        return fatal.around(asker, 'job.adopt', look, send);
      },
      stop: (job) => network.ask(asker, () => queue.stop(job)),
      grant: (job, grant) => fatal.around(asker, 'job.grant', () => queue.grant(job, grant), send),
      remove: (job) =>
        fatal.around(
          asker,
          'job.remove',
          async () => {
            await queue.remove(job);
            if ((await queue.look(job)).is === 'missing') this.#jobs.delete(job.id);
          },
          send,
        ),
      problem: () => (network.reaches(asker.host, 'queue') ? null : 'the queue cannot be reached'),
      close: () => queue.close(),
    };
  }

  /** The queue as a worker has it. */
  source(asker: Asker, labels: readonly string[], onChange: () => void): JobSource {
    const { network, fatal } = this.shared;
    const send = <T>(act: () => Promise<T>) => network.ask(asker, act);
    const roles = [...this.protocol.roles.values()].flatMap(({ name, on }) => (on ? [name] : []));
    const source = this.#queue.source({ roles, labels, lease, onChange: this.#hint(asker, onChange) });
    return {
      take: async (except) => {
        const take = async () => {
          const held = await source.take(except);
          if (held !== null) this.#holders.set(held.id, asker);
          // The worker is asked to end while it does not know yet that it has a job.
          if (held !== null && this.random.chance(0.03)) this.#end(asker.host);
          return this.#held(asker, held);
        };
        return this.#queue.isWaiting(roles) ? fatal.around(asker, 'job.take', take, send) : send(take);
      },
      announce: (id, card) => network.ask(asker, () => source.announce(id, card)),
      order: (id) => network.ask<Json>(asker, () => source.order(id)),
      leave: (id) => network.ask(asker, () => source.leave(id)),
      problem: () => (network.reaches(asker.host, 'queue') ? null : 'the queue cannot be reached'),
      close: () => source.close(),
    };
  }

  #held(asker: Asker, held: HeldJob | null): HeldJob | null {
    if (held === null) return null;
    const { network, fatal } = this.shared;
    const send = <T>(act: () => Promise<T>) => network.ask(asker, act);
    const { role, id, data } = held;
    return {
      role,
      id,
      data,
      renew: () =>
        network.ask(asker, async () => {
          const isHeld = await held.renew();
          if (!isHeld) this.#dropped(id, asker);
          return isHeld;
        }),
      note: (about) => fatal.around(asker, 'job.claim', () => held.note(about), send),
      asked: () => network.ask(asker, () => held.asked()),
      finish: (result) => {
        const isLeft = isJsonObject(result) && result['kind'] === 'left';
        const finish = () => {
          if (isLeft) add(this.putBacks, turnIn(id));
          this.#dropped(id, asker);
          return held.finish(result);
        };
        return fatal.around(asker, isLeft ? 'job.leave' : 'job.finish', finish, send);
      },
      putBack: () =>
        network.ask(asker, () => {
          this.#dropped(id, asker);
          return held.putBack();
        }),
    };
  }

  #dropped(id: string, asker: Asker): void {
    if (this.#holders.get(id) === asker) this.#holders.delete(id);
  }

  reachesQueue(host: string): boolean {
    return this.shared.network.reaches(host, 'queue');
  }

  ended(asker: Asker): void {
    for (const [id, holder] of this.#holders)
      if (holder === asker) this.shared.problems.push(`${asker.host} has ended, and still holds ${id}`);
  }

  /** Lets a side look now and then, and soon after something has changed. */
  #hint(asker: Asker, onChange: () => void): () => void {
    const regularly = () =>
      asker.later(every, () => {
        onChange();
        regularly();
      });
    regularly();
    return () => asker.later(this.random.below(50), onChange);
  }

  began({ key, invocation: { thread, role } }: AgentJob, edit: (branch: string) => void): void {
    add(this.starts, turnIn(key));
    const edits = this.protocol.roles.get(role)?.capabilities.includes('EDIT') === true;
    if (edits && this.random.chance(0.7)) edit(roleBranch(thread, role));
  }

  /** The program of a worker host ends here; somebody starts it again. */
  kill(host: string): void {
    const worker = this.#workers.find(({ name }) => name === host);
    this.#isStrained = true;
    worker?.kill();
    this.#repaired(() => worker?.start());
  }

  /** The workers that have jobs are asked to put them back. */
  stopHolders(): void {
    for (const { host } of this.#holders.values())
      this.#workers.find(({ name }) => name === host)?.end('stop');
  }

  /** What happens to hosts and networks; afterwards somebody repairs it. */
  strain(): void {
    const { random, shared } = this;
    const { network } = shared;
    if (random.chance(0.05)) this.#replay();
    const repaired = (act: () => void) => this.#repaired(act);
    const worker = random.pick(this.#workers);
    const dice = random.next();
    this.#isStrained ||= dice < 0.025 || (dice >= 0.035 && dice < 0.06);
    if (dice < 0.015) {
      worker.kill();
      repaired(() => worker.start());
    } else if (dice < 0.025) {
      worker.suspend();
      repaired(() => worker.resume());
    } else if (dice < 0.035) {
      this.#end(worker.name);
    } else if (dice < 0.05) {
      const host = random.pick([worker.name, 'controller']);
      network.cut(host);
      if (host === worker.name) worker.disturb();
      repaired(() => network.restore(host));
    } else if (dice < 0.06) {
      const what = random.pick(['queue', 'git'] as const);
      network.down[what] = true;
      for (const each of this.#workers) each.disturb();
      repaired(() => (network.down[what] = false));
    }
  }

  /** Somebody adds a job again that is over. */
  #replay(): void {
    const over = this.#kept.filter(([{ id }]) => !this.#jobs.has(id));
    if (over.length > 0) void this.#queue.queue({ onChange: () => {} }).add(...this.random.pick(over));
  }

  #end(host: string): void {
    const worker = this.#workers.find(({ name }) => name === host);
    worker?.end(this.random.pick(['drain', 'stop']));
    this.#repaired(() => worker?.start());
  }

  #repaired(act: () => void): void {
    const { random, timeline } = this;
    timeline.later(random.below(random.pick([3_000, lease, 4 * lease])), act, 'timer');
  }

  /** Every host works, and reaches every other. */
  calm(): void {
    const { network } = this.shared;
    network.down.queue = network.down.git = false;
    for (const host of ['controller', ...this.#workers.map(({ name }) => name)]) network.restore(host);
    for (const worker of this.#workers) {
      worker.resume();
      worker.start();
    }
  }

  /** What was launched anywhere, as `turn/attempt/round`. */
  launches(): string[] {
    return [...this.starts.keys()];
  }

  /** What must hold when everything rests. */
  check(events: readonly MailEvent[], disk: Disk): string[] {
    // The next controller removes what the last one could not.
    const noted = new Set(new QueuedNotes(disk, queuedFolder).all().map(({ id }) => id));
    const twice = [...this.starts].flatMap(([turn, times]) =>
      times > 1 + (this.putBacks.get(turn) ?? 0) ? [`${turn} was started ${String(times)} times`] : [],
    );
    const survivors = this.#workers.flatMap(({ name, running }) =>
      running.map((key) => `${key} still runs on ${name}`),
    );
    const jobs = [...this.#jobs].filter((id) => !noted.has(id));
    const left = jobs.map((id) => `the job ${id} is still in the queue`);
    const lost = [...this.shared.refs.keys()].filter((ref) => !noted.has(ref.split('/')[3] ?? ''));
    const refs = lost.map((ref) => `${ref} is still in the shared repository`);
    return [...this.shared.problems, ...twice, ...survivors, ...left, ...refs, ...this.#interrupted(events)];
  }

  /**
   * Every start is in the journal with its host. The end of a controller costs no attempt of a turn that a worker has, no result is of another
   * job, and a worker that was asked to end loses no turn.
   */
  #interrupted(events: readonly MailEvent[]): string[] {
    const away = new Set<string>();
    const assigned = new Set<string>();
    const problems: string[] = [];
    let turns = 0;
    for (const event of events) {
      if (event.type === 'claimed') {
        turns += 1;
        if (this.protocol.roles.get(event.role)?.on !== undefined) away.add(`t${String(turns)}`);
      }
      if (event.type === 'assigned' && event.worker !== null) assigned.add(keyIn(event));
      if (event.type === 'returned' && away.has(event.turn) && !assigned.has(keyIn(event)))
        problems.push(`the journal does not say which worker ran ${keyIn(event)}`);
      if (event.type === 'attempt-failed' && event.reason.code === 'E_TURN' && away.has(event.turn))
        if (event.reason.text.startsWith('the controller ended'))
          problems.push(`${event.turn} failed because its controller had ended`);
      if (event.type !== 'attempt-failed' || event.reason.code !== 'E_WORKER') continue;
      const { text } = event.reason;
      const isLost = !this.#isStrained && text.includes('longer than the lease');
      if (isLost || text.includes('it answers an earlier job') || text.includes('the queue has lost'))
        problems.push(`${event.turn} failed: ${text}`);
    }
    return problems;
  }
}

function keyIn({ turn, attempt, round }: AtInvocation): string {
  return [turn, attempt, round].join('/');
}

function add(to: Map<string, number>, key: string): void {
  to.set(key, (to.get(key) ?? 0) + 1);
}
