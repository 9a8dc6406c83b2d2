import type { Happening, RunEvent } from '../../src/core/workflow/event.ts';
import type { Workflow } from '../../src/core/workflow/model.ts';
import type { StepRunner } from '../../src/core/workflow/ports.ts';
import { noTrail } from '../../src/engine/trail/none.ts';
import { Loop, type Ending } from '../../src/engine/loop.ts';
import { RunHost } from '../../src/engine/runs/run-host.ts';
import { DiskControl } from '../../src/store/control.ts';
import type { Disk } from '../../src/store/disk.ts';
import { park, readParked } from '../../src/store/parked.ts';
import { DiskCorrespondence } from '../../src/store/runs/correspondence.ts';
import { makeContextFolder, takeContext } from '../../src/store/runs/context-holder.ts';
import { DiskRunFiles, type OpenRoot } from '../../src/store/runs/run-files.ts';
import { createRun, readRun, runControlFolder, runJournal } from '../../src/store/runs/run-folders.ts';
import { Crash } from '../simulation/faults.ts';
import type { Timeline } from '../simulation/timeline.ts';
import type { WorkFloor } from './floor.ts';
import { simulatedProvider } from './workers.ts';

/** Where the host of a run lives. */
export interface Surroundings {
  readonly project: Disk;
  readonly open: OpenRoot;
  readonly timeline: Timeline;
  readonly floor: WorkFloor;
  readonly workflow: Workflow;
  readonly run: string;
  /** Absolute. */
  readonly workspace: string;
  readonly slots: number;
  readonly startedBy: 'person' | 'up';
  /** What a person gives to `retry` at the start; null: nothing. */
  readonly command: Happening | null;
  /** Called with what has become durable. */
  watch(events: readonly RunEvent[]): void;
  /** Called before this host does anything. */
  acts(host: RunProcess): void;
  /** Called when it was killed, and when it has ended by itself; `error`: why. */
  gone(host: RunProcess, error: Error | null): void;
}

/** The real host of a run, its real files and the real loop, put together as the program does. */
export class RunProcess {
  readonly host: RunHost;
  readonly #loop: Loop;
  readonly #around: Surroundings;
  #alive = true;

  /** Throws what the disk throws: a start may fail, or be killed. */
  constructor(around: Surroundings) {
    const { project, open, timeline, run, workspace, workflow, floor } = around;
    this.#around = around;
    const context = makeContextFolder(open, workspace, workflow);
    takeContext(project, open, context, run, workflow);
    const known = readRun(project, run);
    const card = { run, workflow: workflow.name, workspace, source: null, startedAt: timeline.now };
    const stored = known ?? createRun(project, { ...card, startedBy: around.startedBy }, workflow);
    floor.sweep();
    this.host = new RunHost(this.#ports(), stored.definition, {
      slots: around.slots,
      watch: (events) => around.watch(events),
    });
    const now = () => timeline.now;
    const timer = (at: number, onTime: () => void) => this.#later(at - now(), onTime, 'timer');
    const watch = () => ({ close: () => Promise.resolve() });
    this.#loop = new Loop(this.host, { watch, timer, now, trail: noTrail }, { untilIdle: true });
    if (known === null) this.host.begin(givenOf(run, workflow));
    else this.host.resume(around.startedBy, around.command === null ? [] : [around.command]);
  }

  #ports(): ConstructorParameters<typeof RunHost>[0] {
    const { project, open, timeline, run, workspace, workflow } = this.#around;
    const files = new DiskRunFiles({
      project,
      open,
      run: { run, definition: workflow, workspace },
      mask: (text) => text,
    });
    return {
      clock: { now: () => timeline.now, elapsed: () => timeline.elapsed },
      journal: runJournal(project, run),
      files,
      control: new DiskControl(project, runControlFolder(run)),
      runner: this.#runner(),
      mail: new DiskCorrespondence(project, run),
      providers: new Map(['claude', 'codex'].map((name) => [name, simulatedProvider(name)])),
      parking: { list: () => readParked(project), park: (name, until) => park(project, name, until) },
      project: project.root,
      changed: () => Promise.resolve([]),
      salvage: () => Promise.resolve(Buffer.from('difference')),
      mask: (text) => text,
      told: () => this.#loop.told(),
      variables: () => ({}),
    };
  }

  #runner(): StepRunner {
    const { floor } = this.#around;
    return {
      start: (job) =>
        floor.start(job, (exit) =>
          this.#later(0, () => this.#told(() => this.host.workers.ended(job.key, exit))),
        ),
      stop: (key) => floor.stop(key),
      sweep: () => Promise.resolve(),
    };
  }

  /** Begins to work. Afterwards let the promises settle. */
  run(): void {
    const end = async (): Promise<void> => {
      await this.#loop.run();
      this.host.flush();
      await this.host.finished();
    };
    end().then(
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

  /** Takes a snapshot, as the loop does when the journal has grown long. */
  snapshot(): void {
    this.#around.acts(this);
    try {
      this.host.flush();
      this.host.snapshot();
    } catch (error) {
      this.#gone(error instanceof Error ? error : new Error(String(error)));
    }
  }

  kill(): void {
    this.#gone(new Crash('killed'));
  }

  #gone(error: Error | null): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#around.gone(this, error);
  }
}

function givenOf(run: string, { name, version, language, budget, timeout }: Workflow) {
  return {
    run,
    workflow: name,
    version,
    language,
    parameters: {},
    context: {},
    trigger: null,
    env: {},
    budget,
    timeout,
    only: null,
  };
}
