import { MailroomError } from '../../src/core/errors.ts';
import type { Protocol } from '../../src/core/mail/protocol.ts';
import { noTrail } from '../../src/engine/trail/none.ts';
import { Loop, type Ending } from '../../src/engine/loop.ts';
import { MailHost } from '../../src/engine/mail-host.ts';
import { DiskControl } from '../../src/store/control.ts';
import { DiskJournal } from '../../src/store/journal.ts';
import { DiskMailboxes } from '../../src/store/mailboxes.ts';
import type { MemoryDisk } from '../../src/store/memory-disk.ts';
import { park, readParked } from '../../src/store/parked.ts';
import { DiskTurnFolders } from '../../src/store/turn-folders.ts';
import { Crash } from './faults.ts';
import type { Random } from './random.ts';
import { ScriptedRunner, type Script } from './scripted-runner.ts';
import type { Timeline } from './timeline.ts';

/** Where a controller lives. */
export interface Surroundings {
  readonly disk: MemoryDisk;
  readonly timeline: Timeline;
  readonly random: Random;
  readonly protocol: Protocol;
  readonly script: Script;
  newId(): string;
  /** Called before this controller does anything. */
  acts(controller: Controller): void;
  /** Called when it was killed, and when it has ended by itself; `error`: why. */
  gone(controller: Controller, error: Error | null): void;
}

/** The real host and the real loop, put together as the program does, with agents that are none. */
export class Controller {
  readonly host: MailHost;
  readonly runner: ScriptedRunner;
  readonly #loop: Loop;
  readonly #around: Surroundings;
  /** False once it was killed: what it began comes to nothing. */
  #alive = true;

  /** Throws what the disk throws: a start may fail, or be killed. */
  constructor(around: Surroundings) {
    const { disk, timeline, random, protocol, script } = around;
    this.#around = around;
    this.runner = new ScriptedRunner((after, act) => this.#later(after, act), script, random);
    const now = () => timeline.now;
    this.host = new MailHost(
      {
        clock: { now, elapsed: () => timeline.elapsed },
        journal: new DiskJournal(disk, { segmentBytes: 16 * 1024 }),
        mailboxes: new DiskMailboxes(disk),
        control: new DiskControl(disk),
        folders: new DiskTurnFolders(disk),
        runner: this.runner,
        trail: noTrail,
        providers: new Map(),
        newId: () => around.newId(),
        roleText: () => '',
        project: disk.root,
        parking: {
          list: () => readParked(disk),
          park: (provider, until) => park(disk, provider, until),
        },
        notify: () => {},
        trailAt: null,
      },
      { protocol, protocolHash: 'one', version: 'test' },
    );
    this.runner.events = {
      ready: (...told) => this.#told(() => this.host.turns.ready(...told)),
      ended: (...told) => this.#told(() => this.host.turns.ended(...told)),
      gated: (...told) => this.#told(() => this.host.turns.gated(...told)),
    };
    this.host.start();
    const timer = (at: number, onTime: () => void) => this.#later(at - timeline.now, onTime, 'timer');
    const watch = () => ({ close: () => Promise.resolve() });
    this.#loop = new Loop(this.host, { watch, timer, now, trail: noTrail }, { untilIdle: false });
  }

  /** Begins to work. Afterwards let the promises settle. */
  run(): void {
    this.#loop.run().then(
      () => this.#gone(null),
      (error: unknown) => this.#gone(error instanceof Error ? error : new Error(String(error))),
    );
  }

  #later(after: number, act: () => void, kind: 'work' | 'timer' = 'work'): { cancel(): void } {
    return this.#around.timeline.later(
      after,
      () => {
        if (!this.#alive) return;
        this.#around.acts(this);
        act();
      },
      kind,
    );
  }

  /** What the runner reports, as the program passes it on. */
  #told(act: () => void): void {
    try {
      act();
    } catch (error) {
      if (error instanceof Crash) return this.#gone(error);
      this.#loop.fail(error instanceof Error ? error : new Error(String(error)));
    }
    this.#loop.told();
  }

  /** Something may have changed. */
  hint(): void {
    this.#later(0, () => this.#loop.hint());
  }

  /** Somebody stops it on purpose. */
  end(how: Ending): void {
    this.#later(0, () => this.#loop.end(how));
  }

  /** The lock is lost. */
  loseLock(): void {
    this.#around.acts(this);
    this.#loop.fail(new MailroomError('E_LOCKED', 'the lock of the project was lost'));
  }

  /** Takes a snapshot, as the loop does when the journal has grown long. */
  snapshot(): void {
    this.#around.acts(this);
    try {
      this.host.snapshot(null);
    } catch (error) {
      this.#gone(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** It dies here, with everything that it ran. */
  kill(): void {
    this.#gone(new Crash('killed'));
  }

  #gone(error: Error | null): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#around.gone(this, error);
  }
}
