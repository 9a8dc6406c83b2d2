import type { RunChange } from './runs/changes.ts';
import type { Config } from '../config/config.ts';
import type { Checked } from '../kernel/diagnostic.ts';
import type { Protocol } from '../mail/format/protocol.ts';
import type { MailState } from '../mail/machine/state.ts';
import type { Project } from './project/project.ts';
import type { NipServices } from './nip/documents.ts';
import type { WorkflowServices } from './runs/services.ts';
import type { Idle } from '../host/idle.ts';

/** What is known before the command line is read: enough for `--help` and `--version`. */
export interface Start {
  /** What the program was called by. */
  readonly name: 'mailroom' | 'orchestrate';
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where the program was called. */
  readonly cwd: string;
  /** Called once, before a command does its work: what it needs is loaded only then. */
  readonly services: () => Promise<Services>;
}

/** What the composition root gives to the commands. Everything that touches the world goes through here. */
export interface Services {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where the program was called. */
  readonly cwd: string;
  /** The project that `from` lies in, or null. `$MAILROOM_PROJECT` wins, unless a person named the folder. */
  findProject(from: string, named: boolean): string | null;
  /** The file of a workflow that is named by its path, absolute; null: no file lies there. */
  workflowFile(reference: string): string | null;
  openProject(root: string): ProjectServices;
  /** The text of a file that the caller named, by its absolute path, wherever it lies; null: there is no such file. */
  readText(path: string): string | null;
  /** Writes a new project; existing files are kept. Returns the paths that were written. */
  scaffold(root: string, template: string, options: { provider: string | null }): ScaffoldResult;
  templates(): string[];
  /** `probes`: each agent CLI that is here answers once, which costs a few tokens. */
  doctor(root: string | null, options: { readonly probes: boolean }): Promise<readonly Finding[]>;
}

export interface ScaffoldResult {
  readonly written: readonly string[];
  readonly kept: readonly string[];
  readonly provider: string;
}

/** One line of `doctor`. */
export interface Finding {
  readonly topic: string;
  readonly state: 'ok' | 'warning' | 'problem' | 'info';
  readonly text: string;
}

export interface Definition {
  readonly protocol: Protocol;
  readonly config: Config;
  /** Names the protocol as it was read. */
  readonly hash: string;
}

/** One project with everything that commands may do with it. */
export interface ProjectServices extends Project {
  /** Reads mailroom.yaml and protocols/: all that is wrong with them, or what they say. */
  definition(): Promise<Checked<Definition>>;
  readonly workflows: WorkflowServices;
  /** Workflows of the language nip by their ids. */
  nip(): Promise<NipServices>;
  /** Of threads in git worktrees of their own. Throws `E_REFUSED` with what git says; nothing is lost then. */
  readonly worktrees: {
    list(): Promise<readonly WorktreeStatus[]>;
    merge(thread: string, subject: string): Promise<void>;
    remove(thread: string, subject: string): Promise<void>;
  };
  /**
   * Starts the controller, with the recording in the folder `replay` (absolute) in the place of every provider
   * but people. Throws `E_LOCKED` when another one holds the project.
   */
  controller(options: ControllerOptions, replay?: string | null): Promise<Controller>;
}

/** A thread's checkout and branch. */
export interface WorktreeStatus {
  readonly thread: string;
  readonly branch: string;
  /** Relative to the project; null: only the branch is left. */
  readonly path: string | null;
  /** Files whose changes are in no commit yet; null: git cannot tell. */
  readonly uncommitted: number | null;
  /** Commits that are not in what is checked out in the project; null: git cannot tell. */
  readonly unmerged: number | null;
}

export interface ControllerOptions {
  readonly untilIdle: boolean;
  /** Folder to record turns and steps into, absolute; null: none. */
  readonly record: string | null;
  /** Whether workflows are started by their triggers, and runs that were are gone on with. */
  readonly triggers: boolean;
  /** Called after every look. */
  readonly onChange: (state: MailState) => void;
  /** Called with what becomes of the runs that triggers have started; missing: nobody wants to know. */
  readonly onRun?: (change: RunChange) => void;
}

export interface Controller {
  readonly state: MailState;
  readonly definition: Definition;
  /** What the start has to say: a journal cut off at its end, a trail that is off, an edited protocol. */
  readonly notes: readonly string[];
  /** What is wrong now and will be tried again: folders that cannot be read or drawn, a trail that cannot be written. */
  readonly problems: () => readonly string[];
  /**
   * Runs until it is told to end; resolves to why nothing more happens, whether anything failed meanwhile, and what the
   * disk still refused.
   */
  run(): Promise<{ readonly idle: Idle; readonly failures: number; readonly problem: string | null }>;
  end(how: 'stop' | 'drain'): void;
}
