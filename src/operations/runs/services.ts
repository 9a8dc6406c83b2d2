import type { TextFile } from '../project/project-files.ts';
import type { Identity } from '../../languages/shared/identity.ts';
import type { Confirmable } from '../project/confirmed.ts';
import type { DescribedChange } from '../project/changed-by.ts';
import type { Effective } from '../../languages/shared/workflow-language.ts';
import type { Artifact } from '../../languages/shared/artifacts.ts';
import type { PromptContext } from '../../languages/shared/prompt-contexts.ts';
import type { JournalReader } from '../../disk/journal-reader.ts';
import type { Moment } from '../../kernel/times.ts';
import type { NostrEvent } from '../../letters/nostr-event.ts';
import type { Capability } from '../../kernel/capabilities.ts';
import type { Checked } from '../../kernel/diagnostic.ts';
import type { Json } from '../../kernel/json.ts';
import type { ParsedParts } from '../../yaml/parts.ts';
import type { StepPath, RunEvent } from '../../workflow/machine/event.ts';
import type { OwnWorkspace, Workflow } from '../../workflow/model.ts';
import type { PlanData } from '../../workflow/machine/plan.ts';
import type { Rules } from '../../workflow/machine/rules.ts';
import type { Slots } from '../../workflow/machine/decide/context.ts';
import type { RunState } from '../../workflow/machine/state.ts';
import type { Holder } from '../project/project.ts';
import type { WorkflowStatus } from './run-status.ts';
import type { RunControlFile } from '../../workflow/host/commands.ts';
import type { HostedRun } from '../../workflow/host/hosted-runs.ts';
import type { Budget } from '../../kernel/cost.ts';

/** Workflows and their runs, for the commands. */
export interface WorkflowServices {
  /** The definitions in workflows/, as paths relative to the project, sorted. */
  list(): readonly string[];
  /** The ids and names of the workflows of the project. */
  names(): Promise<readonly string[]>;
  /** Whether a word is the id or name of a workflow of the project. */
  isWorkflow(word: string): Promise<boolean>;
  /**
   * The file of a definition, which is not read, by a path (from `cwd`), or by the id or name of
   * one in workflows/. Throws `E_TARGET`.
   */
  locate(reference: string, cwd: string): Promise<WorkflowPlace>;
  /**
   * Reads and checks a definition, by the same words. Throws `E_TARGET`, and `E_USAGE` for a
   * missing file of overrides.
   */
  read(reference: string, cwd: string, given?: ReadOptions): Promise<FoundWorkflow>;
  /** The same for an unsaved definition, in the place of this file (absolute). */
  check(text: string, file: string, given?: Pick<ReadOptions, 'starting'>): Promise<FoundWorkflow>;
  /** What was read of the texts of definitions: a change of one mostly leaves the rest of it. */
  parts(): Promise<ParsedParts>;
  /** The names, tags and colours of the definitions in workflows/, without checking them. */
  identities(): Promise<readonly Identity[]>;
  /**
   * A definition with the files of the project that change it; its value is null while its text
   * cannot be read.
   */
  effective(found: Pick<FoundWorkflow, 'text' | 'path'>): Promise<Effective>;
  /**
   * Replaces the text of a definition (by its path in the project), or with `before` null creates
   * its file. False: the file has another text now, or exists already, and nothing is written.
   */
  write(path: string, before: string | null, text: string): boolean;
  /** What stages can name: agents, skills, modules, memories. */
  artifacts(): Promise<readonly Artifact[]>;
  /** The workflow of one task for one agent. Throws `E_USAGE` for an unknown agent. */
  oneShot(task: OneShot): Promise<FoundWorkflow>;
  /**
   * Lets a running `up` use these in their current form. Returns those that have changed, with who
   * changed them.
   */
  confirm(
    found: readonly Confirmable[],
  ): Promise<readonly { readonly path: string; readonly change: DescribedChange }[]>;
  /** The descriptions of roles, `agents/<role>/role.md`. Throws `E_FILE` for an unreadable one. */
  roleTexts(): readonly Confirmable[];
  /** The one at a path from `cwd`; null: the path is that of no role. Throws `E_FILE`. */
  roleText(reference: string, cwd: string): Confirmable | null;
  /**
   * The workflow of a run that a trigger with `by: person` asks for; null: no trigger asks for it.
   */
  askedStart(run: string): string | null;
  /** Answers such a run in the name of a person. False: no trigger asks for it any more. */
  answerStart(run: string, said: 'yes' | 'no', by: string): boolean;
  /**
   * The run that a request file (from `cwd`) of the language nip asks for; null: it is not a
   * request. Throws `E_FORBIDDEN`.
   */
  asked(reference: string, cwd: string): Promise<AskedWorkflow | null>;
  /**
   * Writes missing files, by their relative path in the project. Returns the paths that it wrote.
   */
  writeMissing(files: readonly { readonly path: string; readonly text: string }[]): readonly string[];
  /** What a plan needs besides the definition. */
  planning(): Promise<Omit<PlanData, 'budget'>>;
  /**
   * Records the files of a folder (absolute), without some and those of tools; each call of the
   * returned function lists those that differ since then, by name. `within`: only these subfolders.
   */
  watchFiles(folder: string, leaveOut: string, within?: readonly string[]): () => readonly FileChange[];
  /** The git state of the records folder of a workflow with its own workspace (absolute). */
  records(workspace: string, home: OwnWorkspace): RecordsFolder;
  /**
   * The runs that have not ended, newest first, and the triggers. `holder`: of the project; null:
   * none.
   */
  status(holder: Holder | null): Promise<WorkflowStatus>;
  /** The runs of the project, newest first. */
  runs(): readonly RunCard[];
  /** One run by its id, or by its beginning or end. Throws `E_TARGET`. */
  run(reference: string): StoredRun;
  /** The same for a word that may mean something else: null. */
  find(word: string): StoredRun | null;
  /** The providers that rest at a usage limit, and until when; milliseconds since 1970. */
  parked(): ReadonlyMap<string, number>;
  /** Reads the journal of a run. */
  journal(run: string): JournalReader<RunEvent>;
  /** The run that a word means, and that waits for another one; null: there is none. */
  waiting(word: string): HostedRun | null;
  begin(options: BeginOptions): Promise<RunController>;
  /** Continues a run without a host. Throws `E_LOCKED` when a process hosts it. */
  resume(run: StoredRun, options: ResumeOptions): Promise<RunController>;
  /**
   * Cancels a run without a host, as the command says; it has ended on return. Throws `E_LOCKED`
   * when a process hosts it.
   */
  cancel(run: StoredRun, command: RunControlFile): Promise<void>;
  /** Sends a command to the host of a run. */
  request(run: string, document: RunControlFile): void;
  /** Takes a command back that no host has read. */
  withdraw(run: string, id: string): void;
  /** The verdict on a command; undefined: not read yet. */
  verdict(run: string, id: string): { readonly refusal: string | null } | undefined;
  /** Waits for a change in the folder of a run, at most this many milliseconds. */
  changed(run: string, milliseconds: number): Promise<void>;
}

export interface ReadOptions {
  /** The run that begins now: the names in its `context`, and its only step. */
  readonly starting?: { readonly context: ReadonlySet<string>; readonly only: string | null };
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

/** One output of one process of a run. */
interface StepLog {
  readonly path: StepPath;
  /** `build/1.1/stdout`: step, iteration and attempt, stream. */
  readonly name: string;
  /** The content from a byte on, and the offset where it ends. */
  read(from: number): { readonly text: string; readonly end: number };
}

/** The facts of a run without its journal. */
export interface RunCard {
  readonly run: string;
  /** The name of its workflow. */
  readonly workflow: string;
  /** Absolute. */
  readonly workspace: string;
  /** The file that it was started from; null: none. */
  readonly source: string | null;
  readonly startedBy: 'person' | 'up';
  /** The name of that person, or of who let `up` start it; null: unknown, or none. */
  readonly person: string | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
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
   * The fold of its journal, up to a moment of the past if one is given. Throws `E_JOURNAL`, and
   * `E_TARGET` where the journal does not hold the moment.
   */
  state(moment?: Moment | null): RunState;
  /** What its journal keeps of its past. Throws `E_JOURNAL`. */
  history(): RunHistory;
  /** The output of its steps. */
  logs(): readonly StepLog[];
  /** Whether a process has locked it. */
  alive(): Promise<boolean>;
}

/** The events that a run's journal keeps, and the state before them. */
export interface RunHistory {
  readonly before: RunState;
  readonly events: readonly RunEvent[];
  /** False: its beginning is not kept. */
  readonly complete: boolean;
}

/** A run requested by a signed event. */
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
  /** Who starts it, by name; absent: unknown. */
  readonly person?: string;
  /** Its id, a uuid v7; absent: a new one. */
  readonly run?: string;
  /** The event that requests it; absent: none. */
  readonly request?: NostrEvent;
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
  /** The last lines that the running process of a step has printed, the newest last. */
  readonly latest: (path: StepPath, most: number) => readonly string[];
  /** The number of events of the run that some relay of the project has not answered. */
  readonly unsent: () => number;
  /** Why the trace of the run was not sent; null: it was sent, or was not to be. */
  readonly untraced: () => string | null;
  /** Runs until the run has ended or it is stopped. */
  follow(): Promise<void>;
  end(how: 'stop' | 'drain'): void;
}
