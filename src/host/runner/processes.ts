import { closeSync, constants, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HostFault } from '../../kernel/contained.ts';
import type { Changed, Edits, FolderChanges } from '../../kernel/edits.ts';
import type { Launched } from '../../kernel/launched.ts';
import { asHostFault, isPassing, launcherIsLost } from '../../kernel/passing.ts';
import { writeBytes } from '../../disk/real-appender.ts';
import { watchEdits } from '../../git/edits.ts';
import { watchFolder, type FolderWatch } from '../../git/folder-changes.ts';
import { packObjects } from '../../git/pack-objects.ts';
import { cautiously } from '../../process/plain-file.ts';
import { agentReach, refuseShunned } from '../../process/sandbox/agent-settings.ts';
import { environments } from '../../process/sandbox/environment.ts';
import { onceRepaired } from '../host-waits.ts';
import { removeDeadPlaces } from '../../process/sandbox/held-places.ts';
import { withProgramHome } from '../../process/sandbox/program-home.ts';
import { completed } from '../../process/sandbox/reading.ts';
import { openPlaces } from '../../process/sandbox/sandbox-places.ts';
import { supervise } from '../../process/supervision/supervise.ts';
import { openLauncher } from '../../process/starting/launcher.ts';
import { sweepMarked } from '../../process/sweep.ts';
import { inTemporary, removeDeadTemporaries } from '../../process/temporaries.ts';
import type { AccessRequest, Containment, Ends, ProcessResult, Supervised } from '../../process/types.ts';
import type { ProcessJob } from './runner.ts';

export interface ProcessOptions {
  /** Masked in everything that is written. */
  readonly secrets: readonly string[];
  readonly project: string;
  /** The prefix of every process's mark on this host. */
  readonly mark: string;
  /** True: no earlier host used that prefix, so none can have left a process. */
  readonly isFirst?: boolean;
  /** The containment of a process with this access. */
  contain(reach: AccessRequest): Containment;
  /** Throws where the machine cannot start an agent now; absent: that fails its attempt. */
  readonly checkHost?: () => void;
  /** Folders, absolute, where edits of agents are not recorded; absent: no edits are recorded. */
  readonly editsBut?: readonly string[];
}

interface Contained {
  readonly env: Readonly<Record<string, string>>;
  readonly containment: Containment;
}

/**
 * Called when a process exists and waits at its launch barrier, until `release`. Without it the
 * process does not wait.
 */
type OnReady = (process: Launched) => void;

const MB = 1024 * 1024;

/** No folder is watched. */
const none: ReadonlyMap<string, FolderWatch> = new Map();

/**
 * The output size at which the process is ended, and how much of it is kept in memory, in bytes.
 */
const outputs: Readonly<Record<ProcessJob['kind'], { readonly bytes: number; readonly keeps?: Ends }>> = {
  agent: { bytes: 32 * MB, keeps: { head: 32 * MB, tail: 0, raw: true } },
  program: { bytes: 1024 * MB, keeps: { head: 256 * 1024, tail: 64 * 1024 } },
  check: { bytes: 32 * MB, keeps: { head: MB, tail: MB } },
};

/**
 * After so many lost launchers in a row the process of a key has failed: it may end its parent
 * itself. Each follows a rest, so that somebody who ends launchers fails no work by it.
 */
const mostLost = 10;

/**
 * Runs real processes, each with its containment, environment and folders, until it and its
 * children have ended.
 */
export class Processes {
  readonly #options: ProcessOptions;
  /** By key; null: it has not begun. */
  readonly #running = new Map<string, Supervised | null>();
  readonly #stopped = new Set<string>();
  /** How often the process of a key has lost its launcher, one time after the other. */
  readonly #lost = new Map<string, number>();
  readonly #environment = environments();

  constructor(options: ProcessOptions) {
    this.#options = options;
    openLauncher();
  }

  /** Runs the work of a key, which can be stopped until it is done. */
  async during<T>(key: string, work: () => Promise<T>): Promise<T> {
    this.#running.set(key, null);
    try {
      return await work();
    } finally {
      this.#running.delete(key);
      this.#stopped.delete(key);
    }
  }

  /** Lets the process of a key pass its launch barrier. */
  release(key: string): void {
    this.#running.get(key)?.release();
  }

  /**
   * Ends the process of a key with everything that it started; one that has not begun never begins.
   */
  stop(key: string): void {
    if (!this.#running.has(key)) return;
    this.#stopped.add(key);
    this.#running.get(key)?.stop();
  }

  /** What follows the end of a process, again while a fault of the machine prevents it. */
  after<T>(key: string, act: () => Promise<T>, unread: (key: string, problem: string) => void): Promise<T> {
    const isStopped = () => this.isStopped(key);
    return onceRepaired(act, { unread: (problem) => unread(key, problem), isStopped });
  }

  /** Whether the work of a key is not done yet. */
  has(key: string): boolean {
    return this.#running.has(key);
  }

  /** Whether a key is to end, or is unknown. */
  isStopped(key: string): boolean {
    return this.#stopped.has(key) || !this.#running.has(key);
  }

  /**
   * Ends processes that earlier hosts with this mark left running, and removes their leftover
   * files.
   */
  async sweep(): Promise<void> {
    if (this.#options.isFirst !== true) await sweepMarked(this.#options.mark);
    removeDeadTemporaries();
    removeDeadPlaces(this.#options.project);
  }

  /**
   * Runs a process to its end. Throws the reason if it could not start: a `HostFault` where that is
   * the machine's.
   */
  async run(job: ProcessJob, onReady?: OnReady) {
    try {
      return await this.#ran(job, onReady);
    } catch (error) {
      throw asHostFault(error);
    }
  }

  async #ran(job: ProcessJob, onReady?: OnReady) {
    const { editsBut, project } = this.#options;
    // Most jobs watch no folder: they start at once, before the next work of their host.
    const watches = job.watched.length === 0 ? none : await this.#watch(job.watched);
    const isRecorded = job.kind === 'agent' && editsBut !== undefined;
    const edits = isRecorded ? await watchEdits(job.workspace, project, editsBut) : null;
    const result =
      job.kind === 'agent'
        ? await inTemporary((temporary) => this.#toEnd(job, temporary, onReady))
        : await this.#toEnd(job, null, onReady);
    return {
      result,
      /** What an agent changed in its workspace; null: not requested. */
      edits: async (): Promise<Edits | null> => (edits === null ? null : edits()),
      /** What changed in the watched folders. */
      changed: () => changesIn(watches),
    };
  }

  async #watch(folders: readonly string[]): Promise<Map<string, FolderWatch>> {
    const watches = new Map<string, FolderWatch>();
    for (const folder of folders) watches.set(folder, await watchFolder(folder, this.#options.project));
    return watches;
  }

  /** `temporary`: an agent's folder, used as its home where its program needs one. */
  async #toEnd(given: ProcessJob, temporary: string | null, onReady?: OnReady): Promise<ProcessResult> {
    const { key } = given;
    const job = { ...given, command: completed(given.command) };
    const contained = this.#contain(job, temporary);
    const { containment } = contained;
    if (containment.kind === 'bubblewrap' && containment.commitsTo !== undefined)
      await packObjects(containment.commitsTo);
    if (this.#stopped.has(key)) throw new Error('it was stopped before it began');
    writeFiles(job.folder, job.command.files);
    const supervised = this.#supervise(job, contained, onReady !== undefined);
    this.#running.set(key, supervised);
    const waiting = onReady ? await supervised.ready : null;
    if (waiting !== null) onReady?.(waiting);
    const result = await supervised.exited;
    // An attempt that is on record as launched ends as one; anything else starts again.
    const isLost = this.#losesLauncher(key, result) && onReady === undefined;
    const fault = isLost ? launcherIsLost : faultOf(result, containment);
    if (fault !== null) throw new HostFault('E_DISK', `no process can be started: ${fault}`);
    return result;
  }

  /**
   * Whether it is the machine's fault that the launcher is gone: what ends it again and again is
   * not.
   */
  #losesLauncher(key: string, { error }: ProcessResult): boolean {
    const times = error === launcherIsLost ? (this.#lost.get(key) ?? 0) + 1 : 0;
    if (times === 0 || times === mostLost) this.#lost.delete(key);
    else this.#lost.set(key, times);
    return times > 0 && times < mostLost;
  }

  #contain(job: ProcessJob, temporary: string | null): Contained {
    const { command, workspace, provider, capabilities, owed, kind } = job;
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
      writable: [...job.writable, ...(temporary === null ? [] : [temporary]), ...command.writable],
      owed,
      guarded: job.guarded,
      programs: command.programs ?? [],
      ...(kind === 'agent' && { agent: agentReach(command, job.mayConfigure) }),
    });
    if (containment.kind !== 'bubblewrap') refuseShunned(provider ?? '', command, { workspace, env });
    return { env, containment };
  }

  #supervise(job: ProcessJob, { env, containment }: Contained, barrier: boolean): Supervised {
    const { command, workspace, owed, kind } = job;
    const { project } = this.#options;
    const places = openPlaces(containment, { project, kept: command.writable, owed });
    const { bytes: outputBytes, keeps } = outputs[kind];
    const supervised = supervise({
      argv: command.argv,
      cwd: workspace,
      env,
      stdin: command.stdin,
      ...(command.overspent && { overspent: command.overspent }),
      ...(command.commands && { commands: command.commands }),
      ...(command.finish && { finish: command.finish }),
      mark: `${this.#options.mark}${job.key}`,
      containment,
      launchBarrier: barrier,
      limits: { totalMs: job.totalMs, idleMs: job.idleMs ?? null, outputBytes },
      ...(keeps && { keeps }),
      ...(job.graceMs != null && { graceMs: job.graceMs }),
      secrets: this.#options.secrets,
      stdoutFile: job.stdout,
      stderrFile: job.stderr,
    });
    void supervised.exited.then(() => places.close());
    return supervised;
  }
}

/** What the programs that contain another one say of themselves. */
const starters = /^(?:bwrap|setpriv|unshare): [^\n]+$/;

/** The fault of the machine for which a program did not run; null: it ran, or there is none. */
function faultOf(
  { reason, exitCode, error, stderr, stderrTail }: ProcessResult,
  { kind }: Containment,
): string | null {
  if (reason === 'spawn-failed') return error !== null && isPassing(error) ? error : null;
  const said = (stderr === '' ? stderrTail : stderr).trim();
  if (reason !== 'exited' || exitCode === 0) return null;
  // The shell that stays in a namespace starts the program.
  if (kind === 'namespace' && said === 'sh: 1: Cannot fork') return said;
  return starters.test(said) && isPassing(said) ? said : null;
}

const { O_WRONLY, O_CREAT, O_TRUNC } = constants;

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    // An earlier round of the agent may have put a link there.
    const file = openSync(path, O_WRONLY | O_CREAT | O_TRUNC | cautiously, 0o666);
    try {
      writeBytes(file, Buffer.from(text));
    } finally {
      closeSync(file);
    }
  }
}

async function changesIn(watches: ReadonlyMap<string, FolderWatch>): Promise<Changed> {
  const changed = new Map<string, FolderChanges | string>();
  for (const [folder, watch] of watches) {
    const changes = await watch();
    if (typeof changes === 'string' && isPassing(changes)) throw new HostFault('E_DISK', changes);
    if (changes !== null) changed.set(folder, changes);
  }
  return changed;
}
