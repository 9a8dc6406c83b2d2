import { MailroomError } from '../../../../src/kernel/errors.ts';
import type { Protocol } from '../../../../src/mail/format/protocol.ts';
import { queuedJobs } from '../../../../src/mail/host/workspaces.ts';
import { MailHost } from '../../../../src/mail/host/mail-host.ts';
import { Journal } from '../../../../src/disk/journal.ts';
import type { MemoryDisk } from '../../../support/memory-disk.ts';
import { park, readParked } from '../../../../src/host/parked.ts';
import { mailPorts } from '../../../support/mail-ports.ts';
import { Life, type Witness } from '../life.ts';
import type { Neighbours } from '../neighbours.ts';
import type { Random } from '../random.ts';
import type { Asker, Away } from './away.ts';
import { ScriptedRunner, type Script } from './scripted-runner.ts';
import type { TurnsAway } from '../../../../src/project/definition/hooks.ts';
import type { Runner, RunnerEvents } from '../../../../src/host/runner/runner.ts';
import type { Timeline } from '../timeline.ts';
import type { VirtualWork } from './virtual-work.ts';
import type { MailEvent } from '../../../../src/mail/machine/event.ts';

/** The environment of a controller. */
export interface Environment {
  readonly disk: MemoryDisk;
  readonly timeline: Timeline;
  readonly random: Random;
  readonly protocol: Protocol;
  readonly script: Script;
  /** What git has; it outlives controllers. */
  readonly work: VirtualWork;
  /** The providers whose programs are not installed now. */
  readonly uninstalled: ReadonlySet<string>;
  readonly neighbours: Neighbours;
  /** Where turns run that do not run here; null: all do. */
  readonly away: Away | null;
  newId(): string;
}

/** The real host and the real loop, put together as the program does, with agents that are none. */
export class Controller extends Life {
  readonly host: MailHost;
  readonly runner: ScriptedRunner;
  #remote: TurnsAway | null = null;
  #isLost = false;

  /** Throws what the disk throws: a start may fail, or be killed. */
  constructor(environment: Environment, witness: Witness) {
    const { disk, timeline, random, protocol, script, work } = environment;
    super(timeline, witness);
    this.runner = new ScriptedRunner((after, act) => this.later(after, act), script, random, work);
    const events: RunnerEvents = {
      ready: (...told) => this.told(() => this.host.turns.ready(...told)),
      ended: (...told) => this.told(() => this.host.turns.ended(...told)),
      checked: (...told) => this.told(() => this.host.turns.checked(...told)),
      held: (...told) => this.told(() => this.host.turns.held(...told)),
      assigned: (...told) => this.told(() => this.host.turns.assigned(...told)),
      landing: (...told) => this.told(() => this.host.turns.landings.reported(...told)),
    };
    this.runner.events = events;
    this.host = new MailHost(
      mailPorts(disk, {
        clock: { now: () => timeline.now, elapsed: () => timeline.elapsed },
        journal: new Journal<MailEvent>(disk, { segmentBytes: 16 * 1024 }),
        runner: this.#reaching(environment, events),
        newId: () => environment.newId(),
        missingProviders: () => environment.uninstalled,
        parking: {
          list: () => readParked(disk),
          park: (provider, until) => park(disk, provider, until),
        },
      }),
      {
        protocol,
        protocolHash: 'one',
        version: 'test',
        slots: environment.neighbours.join(() => this.hint()),
      },
    );
    this.#remote?.clean(queuedJobs(this.host.state));
    this.host.start();
    this.live(this.host, false);
  }

  /** The real runner of turns on workers, where there are any. */
  #reaching({ away }: Environment, events: RunnerEvents): Runner {
    if (away === null) return this.runner;
    const isAlive = () => this.alive && !this.#isLost;
    const asker: Asker = {
      host: 'controller',
      get alive() {
        return isAlive();
      },
      later: (after, act) => void this.later(after, () => isAlive() && act(), 'timer'),
    };
    this.#remote = away.turns(asker, { local: this.runner, events });
    return this.#remote;
  }

  /** The lock is lost. */
  loseLock(): void {
    this.#isLost = true;
    this.fail(new MailroomError('E_LOCKED', 'the lock of the project was lost'));
    void this.#remote?.close();
  }

  protected takeSnapshot(): void {
    this.host.ledger.snapshot(null);
  }
}
