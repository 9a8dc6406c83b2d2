import type { NostrEvent } from '../../letters/nostr-event.ts';
import type { Checked } from '../../kernel/diagnostic.ts';
import type { Json } from '../../kernel/json.ts';
import type { Path, RunEvent } from '../../workflow/machine/event.ts';
import type { OwnWorkspace, Workflow } from '../../workflow/model.ts';
import type { PlanData } from '../../workflow/machine/plan.ts';
import type { Rules } from '../../workflow/machine/rules.ts';
import type { RunState } from '../../workflow/machine/state.ts';
import type { Holder } from '../project/project.ts';
import type { WorkflowStatus } from './run-status.ts';
import type { RunControlFile } from '../../workflow/host/commands.ts';
import type { Budget } from '../../kernel/cost.ts';

/** Workflows and their runs, as the commands see them. */
export interface WorkflowServices {
  /** The definitions in workflows/, as paths from the project, sorted. */
  list(): readonly string[];
  /** The ids and names of the workflows of the project. */
  names(): Promise<readonly string[]>;
  /** Whether a word is the id or name of a workflow of the project. */
  isWorkflow(word: string): Promise<boolean>;
  /**
   * Reads a definition by its file (from `cwd`), or by the id or name of one in workflows/. Throws `E_TARGET`, and `E_USAGE`
   * for a file of overrides that is not there.
   */
  read(reference: string, cwd: string, given?: ReadOptions): Promise<FoundWorkflow>;
  /** Lets a running `up` start these as they are now. Returns the paths of those that have changed. */
  confirm(found: readonly FoundWorkflow[]): readonly string[];
  /** What a file (from `cwd`) asks for that is a request for a run of the language nip; null: it is none. Throws `E_FORBIDDEN`. */
  asked(reference: string, cwd: string): Promise<AskedWorkflow | null>;
  /** Writes files that are not there yet, by their path from the project. Returns the paths of those that it wrote. */
  writeMissing(files: readonly { readonly path: string; readonly text: string }[]): readonly string[];
  /** What a plan has to know besides the definition. */
  planning(): Promise<Omit<PlanData, 'budget'>>;
  /**
   * Takes note of the files of a folder (absolute), some and what belongs to tools left out; each call of what it returns
   * lists those that differ since then, by name. `within`: only these folders of it.
   */
  watchFiles(folder: string, leaveOut: string, within?: readonly string[]): () => readonly FileChange[];
  /** What git has to know of the folder that a workflow with a workspace (absolute) of its own shows its runs in. */
  records(workspace: string, home: OwnWorkspace): RecordsFolder;
  /** The runs that are not over, newest first, and the triggers. `holder`: who holds the project; null: nobody. */
  status(holder: Holder | null): Promise<WorkflowStatus>;
  /** The runs of the project, newest first. */
  runs(): readonly RunCard[];
  /** One run by its id or the end of it. Throws `E_TARGET`. */
  run(reference: string): StoredRun;
  /** The same, where a word may mean something else: null. */
  find(word: string): StoredRun | null;
  begin(options: BeginOptions): Promise<RunController>;
  /** Goes on with a run that nobody is running. Throws `E_LOCKED` when somebody is. */
  resume(run: StoredRun, options: ResumeOptions): Promise<RunController>;
  /** Cancels a run that nobody is running, as the command says; it is over then. Throws `E_LOCKED` when somebody is. */
  cancel(run: StoredRun, command: RunControlFile): Promise<void>;
  /** Leaves a command for the host of a run. */
  request(run: string, document: RunControlFile): void;
  /** The verdict of a command; undefined: not taken yet. */
  verdict(run: string, id: string): { readonly refusal: string | null } | undefined;
  /** Waits for something to change in the folder of a run, at most so many milliseconds. */
  changed(run: string, milliseconds: number): Promise<void>;
}

export interface ReadOptions {
  /** What is known of the run that begins now: the names in its `context`, and its only step. */
  readonly starting?: { readonly context: ReadonlySet<string>; readonly only: string | null };
  /** Files (from the same folder as the reference) that change a workflow of the language swdl. */
  readonly overrides?: readonly string[];
}

export interface FoundWorkflow {
  /** Absolute path of the file. */
  readonly file: string;
  /** The same as people know it: from the project, or as it was given. */
  readonly path: string;
  readonly text: string;
  readonly checked: Checked<Workflow>;
  /** Changes with every text that makes it: its own, its sub-workflows, and what it reads in workflows/. */
  readonly fingerprint: string;
}

/** Where runs are shown, as far as git is concerned. */
export interface RecordsFolder {
  /** Nothing was shown there yet, and .gitignore does not list it. */
  readonly isFirst: boolean;
  /** The lines that .gitignore lacks. */
  readonly lines: readonly string[];
  /** Adds them. */
  ignore(): void;
}

export interface FileChange {
  readonly path: string;
  readonly what: 'changed' | 'added' | 'removed';
}

/** What one process of a run printed. */
export interface StepLog {
  readonly path: Path;
  /** `build/1.1/stdout`: step, iteration and attempt, stream. */
  readonly name: string;
  /** What is there from a byte on, and where that ends. */
  read(from: number): { readonly text: string; readonly end: number };
}

/** What is known of a run without its journal. */
export interface RunCard {
  readonly run: string;
  /** The name of its workflow. */
  readonly workflow: string;
  /** Absolute. */
  readonly workspace: string;
  /** The file that it was started from; null: it has none. */
  readonly source: string | null;
  readonly startedBy: 'person' | 'up';
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** A run that lies on the disk. */
export interface StoredRun {
  readonly run: string;
  readonly card: RunCard;
  readonly definition: Workflow;
  readonly workspace: string;
  /** Absolute. */
  readonly folder: string;
  /** The fold of its journal now. Throws `E_JOURNAL`. */
  state(): RunState;
  /** What its steps printed. */
  logs(): readonly StepLog[];
  /** Whether a process has it under its lock. */
  alive(): Promise<boolean>;
}

/** A run that somebody asks for by a signed event. */
export interface AskedWorkflow {
  readonly workflow: FoundWorkflow;
  readonly definition: Workflow;
  readonly parameters: Readonly<Record<string, Json>>;
  readonly budget: Budget;
  readonly request: NostrEvent;
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
  /** The event that asks for it; missing: nobody else does. */
  readonly request?: NostrEvent;
  /** The folder to record agents into, absolute; null: none. */
  readonly record: string | null;
  /** The folder of a recording that answers in the place of all providers, absolute; null: none does. */
  readonly replay: string | null;
  readonly watch: RunWatcher;
}

export interface ResumeOptions {
  readonly watch: RunWatcher;
  /** A command of the person who resumes, taken up first. */
  readonly command: RunControlFile | null;
  /** The edited definition that is adopted; null: that of the start. */
  readonly definition: Workflow | null;
}

/** Called with what has become durable, after each look. */
export type RunWatcher = (events: readonly RunEvent[], state: RunState) => void;

export interface RunController {
  readonly run: string;
  readonly state: RunState;
  readonly rules: Rules;
  /** What the start has to say: a journal cut off at its end. */
  readonly notes: readonly string[];
  /** What is wrong now and will be tried again. */
  readonly problems: () => readonly string[];
  /** How many events of the run some relay of the project has not answered yet. */
  readonly unsent: () => number;
  /** Runs until the run is over or it is told to end. */
  follow(): Promise<void>;
  end(how: 'stop' | 'drain'): void;
}
