import type { HeldWork } from '../kernel/why.ts';
import type { RunChange } from './runs/changes.ts';
import type { Config } from '../config/config.ts';
import type { Diagnostic } from '../kernel/diagnostic.ts';
import type { Protocol } from '../mail/format/protocol.ts';
import type { MailState } from '../mail/machine/state.ts';
import type { RunningOutput } from '../host/latest-output.ts';
import type { Completion } from '../editing/cursor.ts';
import type { Renamed } from '../editing/rename.ts';
import type { HolderNote } from '../host/holder.ts';
import type { Failures, Idle } from '../host/idle.ts';

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

/** The holder of a project; `since`: milliseconds since 1970. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly since: number;
  /**
   * False: it is a run that moves the mail for its roles, and starts no workflow by its triggers.
   */
  readonly triggers: boolean;
  /** Current problems that will be retried. */
  readonly problems: readonly string[];
  /** The turns that wait until this machine can do what they need. */
  readonly held: readonly HeldWork[];
  /** Who uses its slots for agents; null: one is free. */
  readonly slots: Required<HolderNote>['slots'];
}

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
  /** The turns that wait until this machine can do what they need. */
  readonly held: () => readonly HeldWork[];
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
