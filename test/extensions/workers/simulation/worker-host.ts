import type { AgentJob, Runner } from '../../../../src/host/runner/runner.ts';
import { park, readParked } from '../../../../src/host/parked.ts';
import { unmasked } from '../../../../src/kernel/mask.ts';
import { TurnFolders } from '../../../../src/mail/mailboxes/turn-folders.ts';
import type { Protocol } from '../../../../src/mail/format/protocol.ts';
import { Begun } from '../../../../src/extensions/workers/worker/begun.ts';
import type { HeldTurn } from '../../../../src/extensions/workers/worker/held-turn.ts';
import { Worker } from '../../../../src/extensions/workers/worker/worker.ts';
import type { JobSource } from '../../../../src/extensions/workers/queue/channel.ts';
import { workerKeys } from '../credentials.ts';
import { MemoryDisk } from '../../../support/memory-disk.ts';
import type { Random } from '../../../worlds/simulation/random.ts';
import type { Timeline } from '../../../worlds/simulation/timeline.ts';
import { ScriptedRunner, type Script } from '../../../worlds/simulation/mail/scripted-runner.ts';
import type { Asker } from '../../../worlds/simulation/mail/away.ts';
import { WorkerTravel, type Shared } from './virtual-travel.ts';

const known = new Map<string, ReturnType<typeof workerKeys>>();

/** Made once for every name, since it takes longer than most of a world. */
function keysOf(name: string): ReturnType<typeof workerKeys> {
  const keys = known.get(name) ?? workerKeys(name);
  known.set(name, keys);
  return keys;
}

/** What a worker host is part of. */
export interface WorkerWorld {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly protocol: Protocol;
  readonly shared: Shared;
  /** What agents do that write to this disk. */
  scriptOf(disk: MemoryDisk): Script;
  source(asker: Asker, labels: readonly string[], onChange: () => void): JobSource;
  /** Whether a host reaches the queue now. */
  reachesQueue(host: string): boolean;
  /** A worker has ended as it was asked to, and nothing kept it from the queue. */
  ended(asker: Asker): void;
  /** An agent begins; `edit` changes a file in the checkout of a branch. */
  began(job: AgentJob, edit: (branch: string) => void): void;
}

/** A host on which the real worker lives, dies and is started again, with agents that are none. */
export class WorkerHost {
  readonly name: string;
  readonly disk: MemoryDisk;
  readonly #world: WorkerWorld;
  readonly #labels: readonly string[];
  readonly #known = new Set<string>();
  #life: Life | null = null;
  #lives = 0;

  constructor(world: WorkerWorld, name: string, labels: readonly string[]) {
    this.#world = world;
    this.name = name;
    this.#labels = labels;
    this.disk = new MemoryDisk(() => world.timeline.now);
  }

  /** The keys of the agents that run here. */
  get running(): readonly string[] {
    return [...(this.#life?.agents ?? [])];
  }

  start(): void {
    if (this.#life !== null) return;
    const life = new Life(this.name, this.#world.timeline);
    life.isDisturbed = !this.#world.reachesQueue(this.name);
    this.#life = life;
    const worker = this.#worker(life);
    life.worker = worker;
    const over = () => {
      life.alive = false;
      if (this.#life === life) this.#life = null;
    };
    const ended = () => {
      if (life.alive && !life.isDisturbed) this.#world.ended(life);
      over();
    };
    worker.run().then(
      () => worker.close().then(ended, over),
      (error: unknown) => {
        this.#world.shared.problems.push(`${this.name} has ended: ${String(error)}`);
        over();
      },
    );
  }

  #worker(life: Life): Worker {
    const { timeline, random, shared } = this.#world;
    const turns = new Map<string, HeldTurn>();
    const travel = new WorkerTravel(shared, this.#known, life, this.disk);
    const agents = this.#world.scriptOf(this.disk);
    const script: Script = (job) => {
      this.#world.began(job, (branch) => travel.edit(branch));
      return agents(job);
    };
    const runner = new ScriptedRunner((after, act) => life.later(after, act), script, random, shared.work);
    runner.events = {
      ready: (id) => turns.get(id)?.ready(),
      assigned: () => {},
      ended: (id, outcome, exit) => {
        life.agents.delete(id);
        turns.get(id)?.ended([outcome, exit, new Map(), null]);
      },
      checked: () => {},
      landing: () => {},
    };
    const workplace = {
      root: this.disk.root,
      worker: { host: this.name, id: `${this.name}.${String((this.#lives += 1))}`, login: this.name },
      version: 'test',
      labels: this.#labels,
      travel,
      credentials: keysOf(this.name),
      begun: new Begun(),
      runner: () => counting(runner, life),
      variables: () => ({}),
      forbids: () => null,
      folders: new TurnFolders(this.disk),
      mask: () => unmasked,
      maskFile: () => {},
      parking: {
        list: () => readParked(this.disk),
        park: (provider: string, until: number) => park(this.disk, provider, until),
      },
      tools: null,
      now: () => timeline.now,
      elapsed: () => timeline.elapsed,
    };
    const roles = [...this.#world.protocol.roles.keys()];
    const limits = {
      roles,
      steps: [],
      labels: this.#labels,
      login: this.name,
      slots: 1 + random.below(2),
      say: () => {},
    };
    return new Worker(workplace, limits, turns, (onChange) =>
      this.#world.source(life, this.#labels, onChange),
    );
  }

  /** It dies, with its agents. */
  kill(): void {
    if (this.#life === null) return;
    this.#life.alive = false;
    this.#life = null;
  }

  suspend(): void {
    this.disturb();
    this.#life?.suspend();
  }

  /** Something keeps it from the queue for a while. */
  disturb(): void {
    if (this.#life !== null) this.#life.isDisturbed = true;
  }

  resume(): void {
    this.#life?.resume();
  }

  end(how: 'drain' | 'stop'): void {
    const life = this.#life;
    life?.later(0, () => life.worker?.end(how));
  }
}

/** One life of a worker: what it began comes to nothing once it is dead, and waits while it is suspended. */
class Life implements Asker {
  readonly host: string;
  alive = true;
  /** Whether anything has ever kept it from the queue. */
  isDisturbed = false;
  readonly agents = new Set<string>();
  worker: Worker | null = null;
  readonly #timeline: Timeline;
  /** What has come due since it was suspended; null: it is not. */
  #due: (() => void)[] | null = null;

  constructor(host: string, timeline: Timeline) {
    this.host = host;
    this.#timeline = timeline;
  }

  later(after: number, act: () => void): void {
    const due = () => {
      if (!this.alive) return;
      if (this.#due === null) act();
      else this.#due.push(act);
    };
    this.#timeline.later(after, due, 'timer');
  }

  suspend(): void {
    this.#due ??= [];
  }

  resume(): void {
    const due = this.#due ?? [];
    this.#due = null;
    for (const act of due) this.later(0, act);
  }
}

/** The runner of a worker, whose agents die with it. */
function counting(runner: Runner, life: Life): Runner {
  return {
    start: (job) => {
      life.agents.add(job.key);
      runner.start(job);
    },
    release: (id) => runner.release(id),
    check: (job) => runner.check(job),
    land: (job) => runner.land(job),
    stop: (id) => runner.stop(id),
    leave: (id) => runner.leave(id),
    forget: () => {},
    sweep: () => runner.sweep(),
  };
}
