import { Control } from '../../../../src/host/control.ts';
import { unmasked } from '../../../../src/kernel/mask.ts';
import type { Happening, RunEvent } from '../../../../src/workflow/machine/event.ts';
import type { Workflow } from '../../../../src/workflow/model.ts';
import { RunHost } from '../../../../src/workflow/host/run-host.ts';
import type { Disk } from '../../../../src/disk/disk.ts';
import { park, readParked } from '../../../../src/host/parked.ts';
import { RunOutbox } from '../../../../src/workflow/files/run-outbox.ts';
import { makeContextFolder, takeContext } from '../../../../src/workflow/files/context-holder.ts';
import { RunFiles, type OpenRoot } from '../../../../src/workflow/files/run-files.ts';
import { createRun, readRun, runControlFolder } from '../../../../src/workflow/files/run-folders.ts';
import { Life, type Witness } from '../life.ts';
import type { Neighbours } from '../neighbours.ts';
import type { Timeline } from '../timeline.ts';
import type { WorkFloor } from './floor.ts';
import { simulatedProvider } from './workers.ts';
import type { StepRunner } from '../../../../src/host/runner/runner.ts';
import type { StepGit } from '../../../../src/workflow/host/ports.ts';
import { runJournal } from '../../../support/run-journal.ts';

/** The environment of the host of a run. */
export interface Environment {
  readonly project: Disk;
  readonly open: OpenRoot;
  readonly timeline: Timeline;
  readonly floor: WorkFloor;
  readonly git: StepGit;
  readonly workflow: Workflow;
  readonly run: string;
  /** Absolute. */
  readonly workspace: string;
  readonly neighbours: Neighbours;
  readonly startedBy: 'person' | 'up';
  /** What a person gives to `retry` at the start; null: nothing. */
  readonly command: Happening | null;
  /** Called with what has become durable. */
  watch(events: readonly RunEvent[]): void;
}

/** The real host of a run, its real files and the real loop, put together as the program does. */
export class RunProcess extends Life {
  readonly host: RunHost;
  readonly #environment: Environment;

  /** Throws what the disk throws: a start may fail, or be killed. */
  constructor(environment: Environment, witness: Witness) {
    const { project, open, timeline, run, workspace, workflow, floor } = environment;
    super(timeline, witness);
    this.#environment = environment;
    const context = makeContextFolder(open, workspace, workflow);
    takeContext(project, open, context, run, workflow);
    const known = readRun(project, run);
    const card = {
      run,
      workflow: workflow.name,
      workspace,
      source: null,
      person: null,
      startedAt: timeline.now,
    };
    const stored = known ?? createRun(project, { ...card, startedBy: environment.startedBy }, workflow);
    floor.sweep();
    this.host = new RunHost(this.#ports(), stored.definition, {
      slots: Infinity,
      shared: environment.neighbours.join(() => this.hint()),
      watch: (events) => environment.watch(events),
    });
    this.live(this.host, true);
    if (known === null) this.host.begin(givenOf(run, workflow));
    else this.host.resume(environment.startedBy, environment.command === null ? [] : [environment.command]);
  }

  #ports(): ConstructorParameters<typeof RunHost>[0] {
    const { project, open, timeline, run, workspace, workflow } = this.#environment;
    const files = new RunFiles({
      project,
      open,
      run: { run, definition: workflow, workspace },
      mask: unmasked,
    });
    return {
      clock: { now: () => timeline.now, elapsed: () => timeline.elapsed },
      journal: runJournal(project, run),
      files,
      control: new Control(project, runControlFolder(run)),
      runner: this.#runner(),
      mail: new RunOutbox(project, run),
      providers: new Map(['claude', 'codex'].map((name) => [name, simulatedProvider(name)])),
      parking: { list: () => readParked(project), park: (name, until) => park(project, name, until) },
      project: project.root,
      changed: () => Promise.resolve([]),
      branch: () => 'none',
      git: this.#environment.git,
      uncommittedPatch: () => Promise.resolve(Buffer.from('difference')),
      mask: unmasked,
      report: (act) => this.told(act),
      variables: () => ({}),
    };
  }

  #runner(): StepRunner {
    const { floor } = this.#environment;
    return {
      start: (job) => {
        const tell = (act: () => void) => void this.later(0, () => this.told(act));
        floor.start(job, {
          ended: (exit) => tell(() => this.host.workers.ended(job.key, exit)),
          lost: (problem) => tell(() => this.host.held(job.key, problem)),
        });
      },
      stop: (key) => floor.stop(key),
      sweep: () => Promise.resolve(),
    };
  }

  protected override async finish(): Promise<void> {
    this.host.flush();
    await this.host.finished();
  }

  protected takeSnapshot(): void {
    this.host.flush();
    this.host.ledger.snapshot(null);
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
    currency: null,
    checkpoint: null,
  };
}
