import type { StepKind } from '../kernel/step-queues.ts';
import type { WorkerOrder } from '../letters/worker.ts';
import type { WorkerStatus } from './workers/list.ts';
import type { RunChange } from './runs/changes.ts';
import type { Config } from '../config/config.ts';
import type { Checked, Diagnostic } from '../kernel/diagnostic.ts';
import type { Protocol } from '../mail/format/protocol.ts';
import type { MailState } from '../mail/machine/state.ts';
import type { Project } from './project/project.ts';
import type { NipServices } from './nip/documents.ts';
import type { WorkflowServices } from './runs/services.ts';
import type { ApiServices } from './api/services.ts';
import type { Prunable, PruneContext, PrunedKind } from './project/prune.ts';
import type { UnsavedTexts } from '../disk/unsaved.ts';
import type { RunningOutput } from '../host/latest-output.ts';
import type { Completion } from '../editing/cursor.ts';
import type { Renamed } from '../editing/rename.ts';
import type { Failures, Idle } from '../host/idle.ts';

/** What is available before the command line is read: enough for `--help` and `--version`. */
export interface Start {
  /** The name by which the program was called. */
  readonly name: 'mailroom' | 'orchestrate';
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The working folder of the call. */
  readonly cwd: string;
  /** Called once, before a command does its work, which loads its dependencies only then. */
  readonly services: () => Promise<Services>;
}

/** What the composition root gives to the commands: every effect goes through this. */
export interface Services {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The working folder of the call. */
  readonly cwd: string;
  /**
   * The project that contains `from`, or null. `$MAILROOM_PROJECT` wins, unless a person named the
   * folder.
   */
  findProject(from: string, named: boolean): string | null;
  /** The file of a workflow named by its path, absolute; null: there is no file. */
  workflowFile(reference: string): string | null;
  openProject(root: string): ProjectServices;
  /**
   * The project around a file (absolute) as an editor shows it; outside of one, the folder of the
   * file.
   */
  openEdited(file: string, unsaved: UnsavedTexts): Promise<Edited>;
  /**
   * Calls back with each pressed character, without Enter, until the returned function is called.
   * Ctrl-C and Ctrl-Z work as ever. A background job of a shell gets none.
   */
  onKey(act: (key: string) => void): () => void;
  /**
   * The text of a file that the caller named, by its absolute path, anywhere; null: it does not
   * exist.
   */
  readText(path: string): string | null;
  /** The files of a project's protocol; empty: it has none, and a template can bring one. */
  protocolFiles(root: string): readonly string[];
  /** Adds what a project lacks besides its protocol: lines of .gitignore, schemas, folders. */
  complete(root: string): Promise<readonly string[]>;
  /**
   * Lets the caller edit text in the program of `$VISUAL` or `$EDITOR`. Null: neither is set, or
   * it cannot be started. Throws `E_CANCELLED` when the editor ends with an error.
   */
  edit(text: string): Promise<string | null>;
  /**
   * Writes a new project, keeping existing files. `template`: a name of `templates`, a folder, or a
   * git URL. Throws `E_USAGE` for one that cannot be read.
   */
  scaffold(root: string, template: string, options: { provider: string | null }): Promise<ScaffoldResult>;
  /** The templates that come with the program, the default first. */
  templates(): Promise<readonly OwnTemplate[]>;
  /** The person's projects, absolute, for `status --all`. */
  readonly projects: {
    /** The file of the list; null: there is no folder for it. */
    readonly file: string | null;
    list(): readonly string[];
    add(root: string): void;
    drop(roots: readonly string[]): void;
  };
  /** Whether the program of an agent provider can be started. */
  installed(provider: string): boolean;
  /** `probes`: each installed agent CLI answers once, which costs a few tokens. */
  doctor(root: string | null, options: { readonly probes: boolean }): Promise<readonly Finding[]>;
}

/** A template by its name, with one line about it. */
export interface OwnTemplate {
  readonly name: string;
  readonly about: string;
  /** Null: it has errors. */
  readonly protocol: () => Promise<Protocol | null>;
}

export interface ScaffoldResult {
  readonly written: readonly string[];
  readonly kept: readonly string[];
  /** What a template has and a project must not get from it, with the reason. */
  readonly left_out: readonly { readonly path: string; readonly why: string }[];
  /** The provider of the roles; null: as the template, which is not ours, has it. */
  readonly provider: string | null;
}

/** One line of `doctor`. */
export interface Finding {
  readonly topic: string;
  readonly state: 'ok' | 'warning' | 'problem' | 'info';
  readonly text: string;
}

/** The files of a folder as an editor shows them, unsaved texts included. Writes nothing. */
export interface Edited {
  /** All problems of one file (absolute), by the checks of `validate` and `check`. */
  diagnose(file: string, text: string): Promise<readonly Diagnostic[]>;
  /** What may stand at an offset. */
  complete(file: string, text: string, offset: number): Promise<readonly Completion[]>;
  /** What is known of a key or a step at an offset, as Markdown; null: nothing. */
  hover(file: string, text: string, offset: number): Promise<string | null>;
  /** Where the name at an offset is defined; null: nowhere. */
  define(file: string, text: string, offset: number): Promise<Defined | null>;
  /** Renames what is named at an offset, in this file. */
  rename(file: string, text: string, offset: number, name: string): Renamed;
  /** Reads the settings again at the next question: a file that they depend on may have changed. */
  refresh(): void;
}

/** A part of a file (absolute), by offsets in its text. */
export interface Defined {
  readonly file: string;
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

export interface Definition {
  readonly protocol: Protocol;
  readonly config: Config;
  /** The hash of the protocol as it was read. */
  readonly hash: () => string;
}

/** One project with all its operations for commands. */
export interface ProjectServices extends Project {
  /** Reads mailroom.yaml and protocols/: all their problems, or their content. */
  definition(): Promise<Checked<Definition>>;
  readonly workflows: WorkflowServices;
  /**
   * Makes the folders of the roles, and the schemas for editors. Returns what was missing; a disk
   * that
   * refuses is left alone.
   */
  prepare(protocol: Protocol): readonly string[];
  /** Its files as an editor shows them. */
  editor(): Promise<Pick<Edited, 'complete' | 'hover'>>;
  /** Workflows of the language nip by their ids. */
  nip(): Promise<NipServices>;
  /** Worktrees of threads and roles. Throws `E_REFUSED` with git's message, and loses nothing. */
  readonly worktrees: {
    list(): Promise<readonly WorktreeStatus[]>;
    merge(owner: WorktreeOwner, subject: string, options: { readonly rules: boolean }): Promise<void>;
    remove(owner: WorktreeOwner, subject: string): Promise<void>;
  };
  readonly pruning: Pruning;
  /**
   * Makes this process the server of the project's API. `owner`: the name of the first key. Throws
   * `E_LOCKED` while another one serves it, `E_TRACKED` and `E_FILE`.
   */
  api(owner: string): Promise<ApiServices>;
  /** The same for answers inside this process, without a server. Throws `E_FILE`. */
  closedApi(): Promise<ApiServices>;
  /**
   * Serves the API in another process, as `mailroom serve` does, until `end` or the end of this
   * process. `port` null: the usual one. Throws `E_REFUSED` where it does not start, and has said
   * why.
   */
  serve(port: string | null): Promise<{ readonly address: string; end(): Promise<void> }>;
  /**
   * Starts the controller, with the recording in the folder `replay` (absolute) in place of every
   * provider but people. Throws `E_LOCKED` when another one holds the project.
   */
  controller(options: ControllerOptions, replay?: string | null): Promise<Controller>;
  /**
   * Makes this process a worker in the project's folder. Throws `E_USAGE` for what it lacks to
   * reach the queue, and `E_LOCKED` while another host has the project.
   */
  worker(request: WorkerRequest): Promise<WorkerHost>;
  /** The workers of the project. Both throw `E_USAGE` and `E_WORKER`. */
  readonly workers: {
    list(): Promise<readonly WorkerStatus[]>;
    /** Orders the workers of a host, or one by its id. Throws `E_TARGET`. */
    order(order: WorkerOrder, target: string): Promise<readonly WorkerStatus[]>;
    /** A key for a worker of this name. Throws `E_USAGE`. */
    invite(name: string): Promise<string>;
  };
}

/** What is old in a project and not needed any more. */
export interface Pruning {
  /** Old turns, runs and checkouts of threads. */
  list(kinds: readonly PrunedKind[], scope: PruneScope): Promise<readonly Prunable[]>;
  /** Removes one of them. Returns why it could not; null: it is gone. */
  remove(item: Prunable, scope: PruneScope): Promise<string | null>;
}

type PruneScope = Omit<PruneContext, 'worktrees'>;

interface WorktreeOwner {
  readonly thread: string;
  /** Null: all roles of the thread share it. */
  readonly role: string | null;
}

/** The checkout and branch of a thread, or of a role in one. */
export interface WorktreeStatus extends WorktreeOwner {
  readonly branch: string;
  /** Relative to the project; null: only the branch is left. */
  readonly path: string | null;
  /** The number of files with uncommitted changes; null: git cannot determine it. */
  readonly uncommitted: number | null;
  /**
   * The number of commits that the project's checkout does not have; null: git cannot determine it.
   */
  readonly unmerged: number | null;
}

export interface ControllerOptions {
  readonly untilIdle: boolean;
  /** Folder to record turns and steps into, absolute; null: none. */
  readonly record: string | null;
  /** Whether triggers start workflows, and their earlier runs continue. */
  readonly triggers: boolean;
  /** Called after every look. */
  readonly onChange: (state: MailState) => void;
  /** Receives the changes of runs that triggers have started; absent: they are not reported. */
  readonly onRun?: (change: RunChange) => void;
}

/** A worker, which runs turns of other hosts' controllers. */
export interface WorkerHost {
  /** Runs turns until it has ended. */
  run(): Promise<void>;
  /** `drain`: running turns finish first; `stop`: they are left to other workers, uncounted. */
  end(how: 'drain' | 'stop'): void;
}

interface WorkerRequest {
  /** The address of the queue; null: as the settings say. */
  readonly queue: string | null;
  readonly roles: readonly string[];
  /** The kinds of steps of workflows that it runs. */
  readonly steps: readonly StepKind[];
  readonly labels: readonly string[];
  /** Whose usage limits its agents have. */
  readonly login: string;
  readonly slots: number;
  /** Receives one line for each thing that happens. */
  readonly say: (text: string) => void;
}

export interface Controller {
  readonly state: MailState;
  readonly definition: Definition;
  /** Notes at the start: a journal cut off at its end, a trail that is off, an edited protocol. */
  readonly notes: readonly string[];
  /**
   * Current problems that will be retried: folders that cannot be read or projected, a trail that
   * cannot be written.
   */
  readonly problems: () => readonly string[];
  /** What works again after a problem. */
  readonly recoveries: () => readonly string[];
  /** The running turns, and the running steps of its runs, each with at most this many lines. */
  readonly latest: (most: number) => readonly RunningOutput[];
  /**
   * Runs until it is stopped; resolves to why it is idle, what failed, and the last disk error.
   */
  run(): Promise<{ readonly idle: Idle; readonly failures: Failures; readonly problem: string | null }>;
  end(how: 'stop' | 'drain'): void;
}
