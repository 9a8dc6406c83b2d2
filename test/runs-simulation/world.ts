import { MailroomError } from '../../src/core/errors.ts';
import type { Happening, RunEvent } from '../../src/core/workflow/event.ts';
import type { Workflow } from '../../src/core/workflow/model.ts';
import type { RunState } from '../../src/core/workflow/state.ts';
import type { RunRecord } from '../../src/core/workflow/ports.ts';
import { MemoryDisk } from '../../src/store/memory-disk.ts';
import { listJournal, segmentName } from '../../src/store/journal-files.ts';
import { placeOf, runFolder } from '../../src/store/runs/layout.ts';
import type { OpenRoot } from '../../src/store/runs/run-files.ts';
import { runReader } from '../../src/store/runs/run-folders.ts';
import { FolderDisk } from '../runs/folder-disk.ts';
import { Crash, Faults, type Chaos } from '../simulation/faults.ts';
import type { Random } from '../simulation/random.ts';
import { Timeline } from '../simulation/timeline.ts';
import { artifact } from './definitions.ts';
import { Finished } from './finished.ts';
import { WorkFloor } from './floor.ts';
import { RunProcess } from './run-process.ts';

/** More microtasks than the loop ever needs from one thing that happens to the next. */
const microtasks = 30;

/** One run of a workflow on a virtual disk, with virtual time and workers that are no processes; everything from one seed. */
export class RunWorld {
  readonly run = '018f0000-0000-7000-8000-000000000001';
  readonly random: Random;
  readonly workflow: Workflow;
  readonly chaos: Chaos;
  readonly timeline = new Timeline();
  readonly disk = new MemoryDisk(() => this.timeline.now, '/world');
  readonly project = new FolderDisk(this.disk, 'project');
  readonly faults: Faults;
  readonly floor: WorkFloor;
  readonly problems: string[] = [];
  /** Everybody behaves, and nothing fails any more. */
  calm = false;
  crashes = 0;
  /** The host ended by itself; the next start is a person's wish. */
  over = false;
  /** That the journal is cut off somewhere while nobody goes on with the run. */
  readonly cuts: number;
  readonly #slots: number;
  readonly #startedBy: 'person' | 'up';
  readonly #finished = new Finished();
  /** Records that a snapshot has replaced. */
  readonly #kept = new Map<number, RunRecord>();
  #host: RunProcess | null = null;
  #acting: RunProcess | null = null;
  #ids = 0;

  constructor(workflow: Workflow, random: Random, chaos: Chaos) {
    this.workflow = workflow;
    this.random = random;
    this.chaos = chaos;
    this.disk.plant('project', '', 'folder');
    this.faults = new Faults(this.disk, random, chaos, (by) => this.timeline.pass(by));
    this.floor = new WorkFloor({
      disk: this.disk,
      timeline: this.timeline,
      random,
      calm: () => this.calm,
      finished: (path) => this.#finished.has(path),
    });
    this.cuts = random.pick([0, 0, 0, 0.3]);
    this.#slots = random.pick([1, 2, 4, 16]);
    this.#startedBy = random.pick(['person', 'up']);
  }

  get host(): RunProcess | null {
    return this.#host;
  }

  get state(): RunState | null {
    return this.#host?.host.state ?? null;
  }

  newId(): string {
    this.#ids += 1;
    return `018f0000-0000-7000-9000-${String(this.#ids).padStart(12, '0')}`;
  }

  /** A folder of the world as a root of its own. */
  readonly open: OpenRoot = (path) => {
    const folder = path.slice(this.disk.root.length + 1);
    return this.disk.look(folder)?.kind === 'folder' ? new FolderDisk(this.disk, folder) : null;
  };

  /** Starts a host, as often as it takes: a start may be killed as well. */
  async start(command: Happening | null = null): Promise<void> {
    this.over = false;
    for (let tries = 0; this.#host === null; tries += 1) {
      if (tries > 50) throw new Error('the host does not come up');
      // Whoever starts it again waits a little, and in the end somebody has looked after the disk.
      this.timeline.pass(tries * 100);
      this.#boot(tries > 40, command);
      await this.settle();
      if (this.over) return;
    }
  }

  #boot(calm: boolean, command: Happening | null): void {
    this.#finished.restart(this.records());
    this.faults.arm(this.calm || calm);
    try {
      this.#host = new RunProcess({
        project: this.project,
        open: this.open,
        timeline: this.timeline,
        floor: this.floor,
        workflow: this.workflow,
        run: this.run,
        workspace: this.project.root,
        slots: this.#slots,
        startedBy: this.#startedBy,
        command,
        watch: (events) => this.#finished.saw(events),
        acts: (host) => this.#acts(host),
        gone: (host, error) => this.#gone(host, error),
      });
    } catch (error) {
      this.#excused(error);
      return this.#crashed();
    }
    this.#acting = this.#host;
    this.#host.run();
  }

  /** One thing happens. False: nothing ever will. */
  async step(): Promise<boolean> {
    this.faults.disarm();
    this.#acting = null;
    const happened = this.timeline.step();
    await this.settle();
    return happened;
  }

  /** Lets what was begun come to where it waits. */
  async settle(): Promise<void> {
    for (let count = 0; count < microtasks; count += 1) await Promise.resolve();
    if (this.faults.killed) this.#acting?.kill();
    this.faults.disarm();
    this.#acting = null;
  }

  #acts(host: RunProcess): void {
    this.#acting = host;
    this.faults.arm(this.calm);
  }

  #gone(host: RunProcess, error: Error | null): void {
    this.#excused(error);
    if (this.#host !== host) return;
    this.#host = null;
    this.floor.orphan();
    if (error) return this.#crashed();
    this.over = true;
    const { state } = host.host;
    if (state.endedAt !== null && this.floor.size > 0)
      this.problems.push(`the run is over, and ${this.floor.working.join(', ')} goes on`);
  }

  /** The process of the host is no more, and perhaps the machine went with it. */
  #crashed(): void {
    this.crashes += 1;
    this.faults.killed = false;
    this.faults.disarm();
    this.#host = null;
    this.floor.orphan();
    const lose = this.random.chance(this.chaos.powerLoss);
    if (lose) this.floor.clear();
    this.disk.crash(lose ? { lose: 'unsynced', random: this.random.next } : {});
  }

  /** Anything but a crash or a disk that fails is a defect. */
  #excused(error: unknown): void {
    if (error === null || error instanceof Crash) return;
    if (error instanceof MailroomError && error.code === 'E_DISK') return;
    this.problems.push(
      error instanceof Error ? (error.stack ?? error.message) : 'something unknown was thrown',
    );
  }

  /** Has the host take a snapshot. */
  snapshot(): void {
    this.#keep();
    this.#host?.snapshot();
  }

  /** Somebody cuts off the end of the journal, at any byte of its last segment: the run goes on from what is left. */
  cutJournal(): void {
    this.faults.disarm();
    const folder = `${runFolder(this.run)}/journal`;
    const last = listJournal(this.project, folder).segments.at(-1);
    if (last === undefined) return;
    const path = `${folder}/${segmentName(last)}`;
    const bytes = this.project.read(path, Infinity) ?? Buffer.alloc(0);
    this.disk.plant(`project/${path}`, bytes.subarray(0, this.random.below(bytes.length + 1)));
    const { snapshot, records } = runReader(this.project, this.run).read();
    const end = records.at(-1)?.n ?? snapshot?.n ?? 0;
    for (const n of this.#kept.keys()) if (n > end) this.#kept.delete(n);
    this.floor.forget((step) => this.#hasArtifact(step));
  }

  #hasArtifact(path: string): boolean {
    return this.project.look(`context/${placeOf(this.workflow, path).folder}/${artifact}`) !== null;
  }

  #keep(): RunRecord[] {
    this.faults.disarm();
    const { records } = runReader(this.project, this.run).read();
    for (const record of records) this.#kept.set(record.n, record);
    return [...records];
  }

  /** Every record that was ever durable, as another process reads it. */
  records(): RunRecord[] {
    this.#keep();
    return [...this.#kept.values()].toSorted((a, b) => a.n - b.n);
  }

  events(): RunEvent[] {
    return this.records().map(({ event }) => event);
  }
}
