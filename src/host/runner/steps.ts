import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../kernel/errors.ts';
import { unmasked, type Mask } from '../../kernel/mask.ts';
import { watchEdits, type EditWatch } from '../../git/edits.ts';
import { environments } from '../../process/sandbox/environment.ts';
import { exitOf, notStarted } from '../../process/supervision/exits.ts';
import { watchFolder } from '../../git/folder-changes.ts';
import { withProgramHome } from '../../process/sandbox/program-home.ts';
import { removeDeadPlaces } from '../../process/sandbox/held-places.ts';
import { completed } from '../../process/sandbox/reading.ts';
import { maskOf } from '../../process/output/mask.ts';
import { agentReach, refuseShunned } from '../../process/sandbox/agent-settings.ts';
import { openPlaces } from '../../process/sandbox/sandbox-places.ts';
import { supervise } from '../../process/supervision/supervise.ts';
import { sweepMarked } from '../../process/supervision/sweep.ts';
import { makeTemporary, removeDeadTemporaries, removeTemporary } from '../../process/temporaries.ts';
import type { Containment, AccessRequest, Supervised } from '../../process/types.ts';
import type { Exit } from '../../providers/provider.ts';
import type { StepJob, StepRunner, StepRunnerEvents } from './runner.ts';

export interface StepRunnerOptions {
  /** Masked in all that is written. */
  readonly secrets: readonly string[];
  readonly project: string;
  /** Begins the mark of every process of this run. */
  readonly mark: string;
  /** How a process of this reach is contained. */
  contain(reach: AccessRequest): Containment;
  /** Folders, absolute, where nobody wants to know of edits of agents; missing: nobody wants to know of any. */
  readonly editsBut?: readonly string[];
}

/** Of an agent all of its output is read, to this size; more ends it. */
const agentBytes = 32 * 1024 * 1024;
/** What a program prints goes to its files; more than this ends it. */
const programBytes = 1024 * 1024 * 1024;
/** What is kept in memory of what a program printed. */
const ends = { head: 256 * 1024, tail: 64 * 1024 };

/** Runs the workers of a run as real processes. */
export class ProcessStepRunner implements StepRunner {
  readonly #options: StepRunnerOptions;
  readonly #mask: Mask;
  readonly #events: StepRunnerEvents;
  readonly #running = new Map<string, Supervised>();
  /** Asked for, and not yet begun: stopping one of them is that it never begins. */
  readonly #coming = new Set<string>();
  readonly #environment = environments();

  constructor(options: StepRunnerOptions, events: StepRunnerEvents) {
    this.#options = options;
    this.#mask = maskOf(options.secrets);
    this.#events = events;
  }

  start(job: StepJob): void {
    void this.#follow(job);
  }

  stop(key: string): void {
    this.#coming.delete(key);
    this.#running.get(key)?.stop();
  }

  async sweep(): Promise<void> {
    await sweepMarked(this.#options.mark);
    removeDeadTemporaries();
    removeDeadPlaces(this.#options.project);
  }

  async #follow(job: StepJob): Promise<void> {
    this.#coming.add(job.key);
    const [exit, changed] = await this.#worked(job);
    this.#coming.delete(job.key);
    this.#running.delete(job.key);
    this.#events.ended(job.key, exit, changed);
  }

  /** Never rejects: what goes wrong on our side is an exit too. */
  async #worked(job: StepJob): Promise<[Exit, changed: readonly string[] | string | undefined]> {
    try {
      const watch = job.watched === true ? await watchFolder(job.workspace, this.#options.project) : null;
      const edits = await this.#watchEdits(job);
      const isWanted = this.#coming.delete(job.key);
      const exit = isWanted ? await this.#run(job) : notStarted('it was stopped before it began');
      const changed = (await watch?.changes()) ?? undefined;
      return [edits === null ? exit : { ...exit, edits: await edits.edits() }, changed];
    } catch (error) {
      return [notStarted(messageOf(error)), undefined];
    }
  }

  async #watchEdits({ provider, workspace }: StepJob): Promise<EditWatch | null> {
    const { editsBut, project } = this.#options;
    const isWanted = editsBut !== undefined && provider !== null;
    return isWanted ? watchEdits(workspace, project, editsBut) : null;
  }

  async #run(given: StepJob): Promise<Exit> {
    const job = { ...given, command: completed(given.command) };
    const temporary = job.provider === null ? null : makeTemporary();
    try {
      for (const [name, text] of Object.entries(job.command.files)) {
        const path = join(job.folder, name);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, text);
      }
      const supervised = this.#supervise(job, temporary);
      this.#running.set(job.key, supervised);
      const result = await supervised.exited;
      return exitOf(result, job.provider === null ? unmasked : this.#mask);
    } finally {
      if (temporary !== null) removeTemporary(temporary);
    }
  }

  #supervise(job: StepJob, temporary: string | null): Supervised {
    const { command, workspace, folder, provider, capabilities, owed } = job;
    const set = temporary === null ? command.env : { TMPDIR: temporary, ...command.env };
    const given = this.#environment({ inherit: command.inherit, set });
    const env = temporary === null ? given : withProgramHome(command, given, { cwd: workspace, temporary });
    const containment = this.#options.contain({
      provider,
      argv: command.argv,
      env,
      workspace,
      capabilities,
      network: job.network ?? true,
      writable: [folder, ...(temporary === null ? [] : [temporary]), ...command.writable],
      owed,
      guarded: Object.keys(command.files).map((name) => join(folder, name)),
      ...(provider !== null && { agent: agentReach(command, job.mayConfigure === true) }),
    });
    if (containment.kind !== 'bubblewrap') refuseShunned(provider ?? '', command, { workspace, env });
    const { project } = this.#options;
    const places = openPlaces(containment, { project, kept: command.writable, owed });
    const supervised = supervise({
      argv: command.argv,
      cwd: workspace,
      env,
      stdin: command.stdin,
      ...(command.overspent && { overspent: command.overspent }),
      ...(command.commands && { commands: command.commands }),
      mark: `${this.#options.mark}${job.key}`,
      containment,
      launchBarrier: false,
      limits: {
        totalMs: job.totalMs,
        idleMs: null,
        outputBytes: provider === null ? programBytes : agentBytes,
      },
      keeps: provider === null ? ends : { head: agentBytes, tail: 0, raw: true },
      ...(job.graceMs === null ? {} : { graceMs: job.graceMs }),
      secrets: this.#options.secrets,
      stdoutFile: job.stdout,
      stderrFile: job.stderr,
    });
    void supervised.exited.then(() => places.close());
    return supervised;
  }
}
