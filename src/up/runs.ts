import type { AskedWorkflow, RunController, RunWatcher } from '../project/definition/contracts.ts';
import { MailroomError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import { dueRollback } from '../workflow/machine/rollback.ts';
import { compile } from '../workflow/machine/rules.ts';
import type { RunState } from '../workflow/machine/state.ts';
import { describeOneOfRuns, type RunChange } from '../workflow/runs/changes.ts';
import { readParameters } from '../workflow/runs/parameters.ts';
import type { OwnRuns } from '../workflow/host/up-work.ts';
import type { RunningOutput } from '../host/latest-output.ts';
import type { SharedSlots } from '../host/slots.ts';
import type { Disk } from '../disk/disk.ts';
import { contextFolderOf, readContextHolder } from '../workflow/files/context-holder.ts';
import { readRun, type StoredRun } from '../workflow/files/run-folders.ts';
import { dueHook, openHooks } from '../workflow/machine/hooks.ts';
import { summaryFile } from '../workflow/reserved.ts';
import { openRoot } from '../disk/roots.ts';
import { answererOfStart, expectConfirmed } from '../project/definition/confirmed.ts';
import type { Settings } from '../project/definition/definition.ts';
import type { Origin, RunSettings } from '../workflow/runs/compose.ts';
import { stepsOutput } from '../mail/controller/output.ts';
import { beginRun, resumeRun } from '../workflow/runs/begin.ts';
import { runState } from '../workflow/host/run-state.ts';
import { readWorkflow } from '../project/definition/workflows.ts';

/**
 * Whether nothing is left to do: a host may have died during the rollback of the workspace, in a
 * hook, or before it showed how the run ended.
 */
function isThrough(disk: Disk, state: RunState, stored: StoredRun): boolean {
  const rules = compile(stored.definition);
  if (state.endedAt === null || dueRollback(state, rules) !== null) return false;
  return dueHook(state, rules) === null && openHooks(state).length === 0 && isShown(disk, state, stored);
}

/** Whether the status in the context folder is the final one, which is written last. */
function isShown(disk: Disk, { status }: RunState, stored: StoredRun): boolean {
  const folder = contextFolderOf(disk, openRoot, stored);
  const isTaken = readContextHolder(disk, folder)?.run !== stored.run;
  if (stored.definition.contextDir !== null && isTaken) return true;
  const shown = openRoot(folder)?.read(summaryFile, Number.MAX_SAFE_INTEGER)?.toString() ?? '';
  return shown.includes(`\n  "status": "${status}",\n`);
}

/** Receives the changes of these runs. */
export type OnRun = (change: RunChange) => void;

/** Runs in the process of `up`. */
export class UpRuns implements OwnRuns {
  readonly #disk: Disk;
  readonly #settings: Settings & RunSettings;
  readonly #slots: SharedSlots;
  readonly #wake: () => void;
  readonly #watch: RunWatcher;
  readonly #going = new Map<string, RunController | null>();
  #ending: 'stop' | 'drain' | null = null;
  /** Ends the waits for other runs. */
  readonly #ended = new AbortController();

  constructor(
    disk: Disk,
    settings: Settings & RunSettings,
    slots: SharedSlots,
    { wake, onRun }: { readonly wake: () => void; readonly onRun: OnRun },
  ) {
    this.#disk = disk;
    this.#settings = settings;
    this.#slots = slots;
    this.#wake = wake;
    this.#watch = (events, state) => {
      for (const change of events.map((event) => describeOneOfRuns(event, state)))
        if (change !== null) onRun(change);
    };
  }

  get count(): number {
    return this.#going.size;
  }

  /** Current problems of runs that will be retried. */
  get problems(): string[] {
    return [...this.#going.values()].flatMap((run) => run?.problems() ?? []);
  }

  latest(most: number): RunningOutput[] {
    return [...this.#going.values()].flatMap((run) => (run === null ? [] : stepsOutput(run, most)));
  }

  end(how: 'stop' | 'drain'): void {
    this.#ending = how;
    this.#ended.abort();
    for (const run of this.#going.values()) run?.end(how);
  }

  /**
   * Starts or continues a run of a workflow (its file, relative to the project), and follows it.
   * True: it has ended.
   */
  async run(file: string, id: string, trigger: JsonObject): Promise<boolean> {
    const stored = readRun(this.#disk, id);
    if (stored !== null && isThrough(this.#disk, runState(this.#disk, id), stored)) return true;
    return this.#follow(id, () => (stored === null ? this.#begin(file, id, trigger) : this.#resume(stored)));
  }

  async #follow(id: string, start: () => Promise<RunController>): Promise<boolean> {
    this.#going.set(id, null);
    try {
      const run = await start();
      this.#going.set(id, run);
      if (this.#ending !== null) run.end(this.#ending);
      await run.follow();
      return run.state.endedAt !== null;
    } finally {
      this.#going.delete(id);
      this.#wake();
    }
  }

  /** Resolves when a run requested by an event has begun; it is followed in the background. */
  ask(asked: AskedWorkflow, id: string): Promise<void> {
    const rest = { context: {}, workspace: this.#disk.root, only: null, record: null, replay: null };
    const given = { ...asked, ...rest, watch: this.#watch };
    return new Promise((resolve, reject) => {
      const begin = async () => {
        const run = await beginRun(this.#disk, this.#settings, given, this.#origin(id, null));
        resolve();
        return run;
      };
      // Later errors are in its journal.
      this.#follow(id, begin).catch(reject);
    });
  }

  async #begin(file: string, run: string, trigger: JsonObject): Promise<RunController> {
    const workflow = await readWorkflow(this.#disk, this.#settings, `${this.#disk.root}/${file}`);
    await expectConfirmed(this.#disk, workflow);
    const { checked } = workflow;
    if (!checked.ok)
      throw new MailroomError('E_WORKFLOW', `it has problems; \`mailroom validate ${file}\` shows them`);
    const definition = checked.value;
    const person = answererOfStart(this.#disk, run);
    const given = {
      workflow,
      definition,
      parameters: readParameters(definition.parameters, []),
      context: {},
      workspace: this.#disk.root,
      budget: definition.budget,
      only: null,
      record: null,
      replay: null,
      watch: this.#watch,
      ...(person !== null && { person }),
    };
    return beginRun(this.#disk, this.#settings, given, this.#origin(run, trigger));
  }

  #resume(stored: NonNullable<ReturnType<typeof readRun>>): Promise<RunController> {
    const options = { watch: this.#watch, command: null };
    return resumeRun(this.#disk, this.#settings, stored, options, this.#origin(stored.run, null));
  }

  #origin(run: string, trigger: JsonObject | null): Origin {
    return { run, by: 'up', trigger, slots: this.#slots, signal: this.#ended.signal };
  }
}
