import type { RunChange } from './runs/changes.ts';
import type { Config } from '../config/config.ts';
import type { Checked } from '../kernel/diagnostic.ts';
import type { Protocol } from '../mail/format/protocol.ts';
import type { MailState } from '../mail/machine/state.ts';
import type { Holder } from './project/project.ts';
import type { NipServices } from './nip/documents.ts';
import type { WorkflowServices } from './runs/services.ts';
import type { RoleName } from '../kernel/ids.ts';
import type { Idle } from '../host/idle.ts';
import type { Folder } from '../mail/format/boxes.ts';

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

/** One project, as far as its files go. Synchronous where it only reads. */
export interface ProjectServices {
  readonly root: string;
  /** Reads mailroom.yaml and protocols/: all that is wrong with them, or what they say. */
  definition(): Promise<Checked<Definition>>;
  /** Names the protocol as it lies on disk now, without reading what it says. */
  hash(): string;
  /** The fold of the journal, as another process sees it; null: there is no journal yet. Throws `E_JOURNAL`. */
  state(): MailState | null;
  /** Who holds the project now; null: nobody. */
  holder(): Holder | null;
  /** The mail that lies in a folder of a role, in all months: file name, path from the project, text. */
  mail(role: RoleName, folder: Folder | 'outbox'): readonly { name: string; path: string; text: string }[];
  /** The names of the messages in a box, without a look at what they hold. */
  names(role: RoleName, box: 'inbox' | 'outbox'): readonly string[];
  roles(): RoleName[];
  /** Drops a message file into a role's box, whole (by one rename). Returns its path from the project. */
  drop(role: RoleName, box: 'inbox' | 'outbox', name: string, text: string): string;
  /** Writes a message into the staging folder of the turn that we are called from. */
  stage(folder: string, name: string, text: string): string;
  /** Leaves a command for the controller. */
  request(document: { readonly id: string; readonly [key: string]: unknown }): void;
  /** The verdict of a command; undefined: not taken yet. Looks at the journal's end. */
  verdict(id: string): { readonly refusal: string | null } | undefined;
  readonly workflows: WorkflowServices;
  /** Workflows of the language nip by their ids. */
  nip(): Promise<NipServices>;
  /** Of threads in git worktrees of their own. Throws `E_REFUSED` with what git says; nothing is lost then. */
  readonly worktrees: {
    list(): Promise<readonly WorktreeStatus[]>;
    merge(thread: string, subject: string): Promise<void>;
    remove(thread: string, subject: string): Promise<void>;
  };
  files: {
    read(path: string): string | null;
    exists(path: string): boolean;
  };
  newId(): string;
  /** Waits for something to change in the project, at most so many milliseconds. */
  changed(milliseconds: number): Promise<void>;
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
