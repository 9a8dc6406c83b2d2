import type { Happening, RunEvent } from '../../../../src/workflow/machine/event.ts';
import { sealKey } from '../../../../src/host/seal.ts';
import type { Workflow } from '../../../../src/workflow/model.ts';
import { compile, type Rules } from '../../../../src/workflow/machine/rules.ts';
import type { RunState } from '../../../../src/workflow/machine/state.ts';
import type { JournalRecord } from '../../../../src/disk/journal-lines.ts';
import { MemoryDisk } from '../../../support/memory-disk.ts';
import { listJournal, segmentName } from '../../../../src/disk/journal-files.ts';
import { placeOf } from '../../../../src/workflow/files/layout.ts';
import type { OpenRoot } from '../../../../src/workflow/files/run-files.ts';
import { runReader } from '../../../../src/workflow/files/run-folders.ts';
import { FolderDisk } from '../../../workflow/files/folder-disk.ts';
import type { Chaos } from '../faults.ts';
import type { Random } from '../random.ts';
import { Neighbours } from '../neighbours.ts';
import { Timeline } from '../timeline.ts';
import type { Witness } from '../life.ts';
import { VirtualWorld } from '../virtual-world.ts';
import { artifact } from './definitions.ts';
import { Finished } from './finished.ts';
import { WorkFloor } from './floor.ts';
import { VirtualGit } from './virtual-git.ts';
import { RunProcess } from './run-process.ts';
import { runFolder } from '../../../../src/host/run-mail.ts';

/** One run of a workflow on a virtual disk, with virtual time and workers that are no processes; everything from one seed. */
export class RunWorld extends VirtualWorld<RunProcess> {
  readonly run = '018f0000-0000-7000-8000-000000000001';
  readonly workflow: Workflow;
  readonly project: FolderDisk;
  readonly floor: WorkFloor;
  readonly git: VirtualGit;
  /** The host ended by itself; the next start is a person's wish. */
  over = false;
  /** That the journal is cut off somewhere while nobody goes on with the run. */
  readonly cuts: number;
  /** Who shares the slots for agents with its host. */
  readonly neighbours: Neighbours;
  readonly rules: Rules;
  readonly #startedBy: 'person' | 'up';
  readonly #finished = new Finished();
  /** Records that a snapshot has replaced. */
  readonly #kept = new Map<number, JournalRecord<RunEvent>>();
  /** What a person wants at the next start. */
  #command: Happening | null = null;
  #ids = 0;

  constructor(workflow: Workflow, random: Random, chaos: Chaos) {
    const timeline = new Timeline();
    const disk = new MemoryDisk(() => timeline.now, '/world');
    super({ random, chaos, timeline, disk }, ['E_DISK']);
    this.workflow = workflow;
    this.rules = compile(workflow);
    this.project = new FolderDisk(disk, 'project');
    disk.plant('project', '', 'folder');
    sealKey(this.project);
    this.git = new VirtualGit(this.disk, random);
    this.floor = new WorkFloor({
      disk: this.disk,
      timeline: this.timeline,
      random,
      calm: () => this.calm,
      finished: (path) => this.#finished.has(path),
    });
    this.cuts = random.pick([0, 0, 0, 0.3]);
    this.neighbours = new Neighbours(random.pick([1, 2, 4, 16]), random.fork());
    this.#startedBy = random.pick(['person', 'up']);
  }

  get state(): RunState | null {
    return this.process?.host.state ?? null;
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

  /** Starts a host, as often as it takes, or until the run is over. */
  async start(command: Happening | null = null): Promise<void> {
    this.over = false;
    this.#command = command;
    await this.untilUp(() => this.process !== null || this.over);
  }

  protected override boot(calm: boolean): void {
    this.#finished.restart(this.records());
    super.boot(calm);
  }

  protected create(witness: Witness): RunProcess {
    const { project, open, timeline, floor, git, workflow, run } = this;
    return new RunProcess(
      {
        project,
        open,
        timeline,
        floor,
        git,
        workflow,
        run,
        workspace: project.root,
        neighbours: this.neighbours,
        startedBy: this.#startedBy,
        command: this.#command,
        watch: (events) => this.#finished.saw(events),
      },
      witness,
    );
  }

  protected gone(host: RunProcess, error: Error | null): void {
    this.excuse(error);
    if (this.process !== host) return;
    this.leave();
    this.floor.orphan();
    if (error) return void this.crashed();
    this.over = true;
    const { state } = host.host;
    if (state.endedAt !== null && this.floor.size > 0)
      this.problems.push(`the run is over, and ${this.floor.working.join(', ')} goes on`);
  }

  protected override crashed(): boolean {
    this.leave();
    this.floor.orphan();
    const lost = super.crashed();
    if (lost) this.floor.clear();
    return lost;
  }

  loseLauncher(): void {
    this.lost += 1;
    this.floor.lose();
  }

  /** Has the host take a snapshot. */
  snapshot(): void {
    this.#keep();
    this.process?.snapshot();
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
    this.#keep();
    this.floor.rewind((step) => this.#artifactOf(step));
  }

  #artifactOf(path: string): string | null {
    const folder = `context/${placeOf(this.workflow, path).folder}/${artifact}`;
    return this.project.read(`${folder}/a.txt`, 10_000)?.toString() ?? null;
  }

  #keep(): void {
    this.faults.disarm();
    const { snapshot, records } = runReader(this.project, this.run).read();
    for (const record of records) this.#kept.set(record.n, record);
    // What was written and never synced may be gone with the power.
    const end = records.at(-1)?.n ?? snapshot?.n ?? 0;
    for (const n of this.#kept.keys()) if (n > end) this.#kept.delete(n);
  }

  /** Every record that was ever durable, as another process reads it. */
  records(): JournalRecord<RunEvent>[] {
    this.#keep();
    return [...this.#kept.values()].toSorted((a, b) => a.n - b.n);
  }

  events(): RunEvent[] {
    return this.records().map(({ event }) => event);
  }
}
