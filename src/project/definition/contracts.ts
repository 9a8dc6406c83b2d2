import type { HeldWork } from '../../kernel/why.ts';
import type { TextFile } from './project-files.ts';
import type { PromptContext } from '../../languages/shared/prompt-contexts.ts';
import type { Moment } from '../../kernel/times.ts';
import type { RunCard } from '../../letters/letters.ts';
import type { Capability } from '../../kernel/capabilities.ts';
import type { Checked } from '../../kernel/diagnostic.ts';
import type { Json } from '../../kernel/json.ts';
import type { StepPath, RunEvent } from '../../workflow/machine/event.ts';
import type { Workflow } from '../../workflow/model.ts';
import type { Rules } from '../../workflow/machine/rules.ts';
import type { Slots } from '../../workflow/machine/decide/context.ts';
import type { RunState } from '../../workflow/machine/state.ts';
import type { StepLog } from '../../workflow/files/logs.ts';
import type { RunControlFile } from '../../workflow/host/commands.ts';
import type { Budget } from '../../kernel/cost.ts';

export type { StepLog };

export interface ReadOptions {
  /** The run that begins now: the names in its `context`, and its only step. */
  readonly starting?: { readonly context: ReadonlySet<string>; readonly only: string | null } | null;
  /** Files (from the same folder as the reference) that change a workflow of the language swdl. */
  readonly overrides?: readonly string[];
}

/** One task for one agent, without a workflow file. */
export interface OneShot {
  /** A provider of the project. */
  readonly agent: string;
  readonly text: string;
  /** Null: the provider's default. */
  readonly model: string | null;
  /** Null: the project's default, else all that a step may have. */
  readonly capabilities: readonly Capability[] | null;
  /** Milliseconds; null: an hour. */
  readonly timeout: number | null;
}

/** The file of a workflow. */
export interface WorkflowPlace {
  /** Absolute path of the file. */
  readonly file: string;
  /** The same for people: relative to the project, or as given. */
  readonly path: string;
}

export interface FoundWorkflow extends WorkflowPlace {
  readonly text: string;
  readonly checked: Checked<Workflow>;
  /**
   * What its prompts have besides instructions and inputs, as the files are now; also where it has
   * errors.
   */
  readonly promptContexts: () => readonly PromptContext[];
  /**
   * Changes with every text that defines it: its own, its sub-workflows, and the files that they
   * name. Names those files.
   */
  readonly fingerprint: () => string;
  /** Those texts, by their paths as people read them. */
  readonly parts: () => readonly TextFile[];
}

/** The records folder of runs, with respect to git. */
export interface RecordsFolder {
  /** It is still empty, and .gitignore does not list it. */
  readonly isFirst: boolean;
  /** The lines that .gitignore lacks. */
  readonly lines: readonly string[];
  /** Adds these lines. */
  ignore(): void;
}

export interface FileChange {
  readonly path: string;
  readonly what: 'changed' | 'added' | 'removed';
}

/** A run on disk. */
export interface StoredRun {
  readonly run: string;
  readonly card: RunCard;
  readonly definition: Workflow;
  /** Of the file that defines it; null: no file does. */
  readonly text: string | null;
  readonly workspace: string;
  /** Absolute. */
  readonly folder: string;
  /**
   * The fold of its journal, up to a moment of the past if one is given. That of now changes with
   * the next call. Throws `E_JOURNAL`, and `E_TARGET` where the journal does not hold the moment.
   */
  state(moment?: Moment | null): RunState;
  /** What its journal keeps of its past. Throws `E_JOURNAL`. */
  history(): RunHistory;
  /** The output of its steps. */
  logs(): readonly StepLog[];
  /** Whether a process has locked it. */
  alive(): Promise<boolean>;
  /** The files of a step's artifact; null: it has none of this name. Throws `E_PATH`. */
  artifact(step: StepPath, name: string): ArtifactFiles | null;
  /** The commands that its process has not read. */
  pending(): readonly RunControlFile[];
}

/** The files of an artifact, read only. */
export interface ArtifactFiles {
  /** By their paths in the artifact, with their sizes in bytes. */
  readonly files: ReadonlyMap<string, number>;
  /**
   * At most `most` bytes of one of them, from byte `from`; null: it is gone. Throws `E_PATH` where
   * a link has appeared on the way to it.
   */
  readonly read: (path: string, from: number, most: number) => Buffer | null;
}

/** The events that a run's journal keeps, and the state before them. */
export interface RunHistory {
  readonly before: RunState;
  readonly events: readonly RunEvent[];
  /** False: its beginning is not kept. */
  readonly complete: boolean;
}

/** What requests a run, and is kept with it. */
export interface RunRequest {
  /** Keeps it as the first event of the run. */
  announce(run: string): void;
  /**
   * Keeps it as followed: not before its run has begun, so that a request whose run never began is
   * followed again.
   */
  begun(): void;
}

/** A run requested by a signed event. */
export interface AskedWorkflow {
  readonly workflow: FoundWorkflow;
  readonly definition: Workflow;
  readonly parameters: Readonly<Record<string, Json>>;
  readonly budget: Budget;
  readonly request: RunRequest;
}

export interface BeginOptions {
  readonly workflow: FoundWorkflow;
  readonly definition: Workflow;
  readonly parameters: Readonly<Record<string, Json>>;
  readonly context: Readonly<Record<string, Json>>;
  /** Absolute. */
  readonly workspace: string;
  readonly budget: Budget;
  readonly only: string | null;
  /** Who starts it, by name; absent: unknown. */
  readonly person?: string;
  /** Its id, a uuid v7; absent: a new one. */
  readonly run?: string;
  /** The event that requests it; absent: none. */
  readonly request?: RunRequest | undefined;
  /** The folder to record agents into, absolute; null: none. */
  readonly record: string | null;
  /** The folder of a recording that answers in place of all providers, absolute; null: none. */
  readonly replay: string | null;
  readonly watch: RunWatcher;
  /**
   * Receives the reason when the run must wait for another one; absent: it does not wait, and
   * `begin` throws `E_LOCKED`.
   */
  readonly waits?: (reason: string) => void;
}

export interface ResumeOptions {
  readonly watch: RunWatcher;
  /** A command of the resuming person, followed first. */
  readonly command: RunControlFile | null;
  /** The edited definition to adopt, with the text of its file; absent: that of the start. */
  readonly edited?: { readonly workflow: Workflow; readonly text: string } | null;
  /** Receives the reason when the run must wait for another one; absent: it is not reported. */
  readonly waits?: (reason: string) => void;
}

/** Receives durable events, after each look. */
export type RunWatcher = (events: readonly RunEvent[], state: RunState) => void;

export interface RunController {
  readonly run: string;
  readonly state: RunState;
  readonly rules: Rules;
  /** What the process of the run can run for it at once. */
  readonly slots: () => Slots;
  /** Notes at the start: a journal cut off at its end. */
  readonly notes: readonly string[];
  /** Current problems that will be retried. */
  readonly problems: () => readonly string[];
  /** The steps that wait until this machine can do what they need. */
  readonly held: () => readonly HeldWork[];
  /** The last lines that the running process of a step has printed, the newest last. */
  readonly latest: (path: StepPath, most: number) => readonly string[];
  /** What of the run was not sent everywhere, and what sends it; null: nothing. */
  readonly unsent: () => string | null;
  /** Why the trace of the run was not sent; null: it was sent, or was not to be. */
  readonly unreported: () => string | null;
  /** Runs until the run has ended or it is stopped. */
  follow(): Promise<void>;
  end(how: 'stop' | 'drain'): void;
}
