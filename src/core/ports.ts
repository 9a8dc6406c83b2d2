import type { Changed } from './mail/rules/rights.ts';
import type { Control, LeftFile } from './control.ts';
import type { Edits } from './edits.ts';
import type { Launched, MailEventRecord, Reason, Session, Usage } from './mail/event.ts';
import type { MessageId, RoleName, ThreadId } from './mail/message.ts';
import type { Budget, Capability, Gate } from './mail/protocol.ts';
import type { StepAnswer } from './mail/step-answer.ts';
import type { RepositorySettings } from './agent-settings.ts';
import type { McpAccess } from './mcp.ts';
import type { ProgramHome } from './program-home.ts';
import type { Reading } from './reading.ts';

export interface Clock {
  /** The wall clock, in milliseconds since 1970. Somebody may set it, forward or back. */
  now(): number;
  /** Milliseconds since some instant, which nobody can set; where it is missing the wall clock stands in. */
  elapsed?(): number;
}

/* ---------------------------------------------------------------- the journal */

/**
 * The truth: an append-only list of records numbered from 1. Every method is synchronous; a failed or short write or a
 * failed sync throws `MailroomError('E_DISK')`, after which the journal refuses further appends.
 */
export interface Journal {
  /** The newest snapshot (null: none) and every whole record after it. Throws `E_JOURNAL` on damage or a gap. */
  read(): { snapshot: { n: number; state: unknown } | null; records: MailEventRecord[]; cut: string | null };
  /** Appends records after the last one; they are true once `sync` has returned. Returns the number of the last. */
  append(events: readonly MailEventRecord['event'][]): number;
  /** Makes everything appended durable. */
  sync(): void;
  /** Replaces all records up to `n` by a state; keeps segments that hold records after `keepAfter`. */
  snapshot(n: number, state: unknown, keepAfter: number): void;
  close(): void;
}

/* ---------------------------------------------------------------- the mailboxes */

export type Box = 'inbox' | 'outbox';

/** A file that lies in a mailbox and whose name the caller does not expect there. */
export interface Dropped {
  readonly role: RoleName;
  readonly box: Box;
  readonly name: string;
}

/** What an accepted file turned out to be. */
export type Content =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

export interface Accepted {
  readonly id: MessageId;
  readonly role: RoleName;
  readonly box: Box;
  /** The name that it was dropped under, where it is still known. */
  readonly name: string | null;
  readonly content: Content;
}

/** A place in a role's folder. `processed`, `sent` and `failed` are filed by month. */
export type Folder = 'inbox' | 'processed' | 'sent' | 'failed' | 'withdrawn';

/**
 * The mail folders of a project. Synchronous; what cannot be read or written throws `E_DISK`, so that "cannot read" never
 * looks like "empty". Nothing here is synced: it can all be drawn again from the journal.
 */
export interface Mailboxes {
  /** Makes the folders of these roles. Returns the roles whose inbox was not there. */
  prepare(roles: readonly RoleName[]): RoleName[];
  /** The `.md` names in a role's box, sorted. Null: the folder is gone. */
  list(role: RoleName, box: Box): string[] | null;
  /**
   * Whether a dropped file is complete: not empty, unchanged for 10 ms, its front matter closed. `wait`: look again at
   * that instant. `refuse`: it stayed empty or unclosed for 2 s.
   */
  settled(
    file: Dropped,
    now: number,
  ): { is: 'complete' } | { is: 'wait'; until: number } | { is: 'refuse'; problem: string } | { is: 'gone' };
  /** Takes a dropped file in, under a name that carries its new id, by one rename. False: it was gone. */
  accept(file: Dropped, id: MessageId): boolean;
  /** Everything that was taken in and not yet released, oldest id first; reads each (only a regular file within the limit). */
  accepting(): Accepted[];
  /** Forgets a taken-in file, once the journal has it. */
  release(id: MessageId): void;
  /** Moves a taken-in file that could not be read as text (a folder, a link, something binary) to `failed` as it is. */
  keep(id: MessageId, role: RoleName, month: string, name: string): void;
  /** The text of a file in a folder, in any month; null when it is not there. */
  read(role: RoleName, folder: Folder, name: string): string | null;
  /** True when a file of this name lies in that folder of the role (in any month). */
  holds(role: RoleName, folder: Folder, name: string): boolean;
  /** Puts a whole file there (temporary and rename); `month` is ignored for the inbox. */
  put(role: RoleName, folder: Folder, month: string, name: string, text: string): void;
  /** Moves inbox/name to a folder; puts `text` there when the inbox does not have it. */
  file(role: RoleName, folder: Folder, month: string, name: string, text: string): void;
  /** Removes failed/name, with the reason beside it, if it is there: the message was put back into the inbox. */
  unfail(role: RoleName, month: string, name: string): void;
  /** Removes inbox/name or outbox/name if it is there. */
  remove(role: RoleName, box: Box, name: string): void;
}

/* ---------------------------------------------------------------- control from outside */

export type { Control, LeftFile };

/* ---------------------------------------------------------------- runs of workflows */

/** Between the mail and the runs of workflows, whose steps roles may do. */
export interface RunMail {
  /** What runs have put into `.mailroom/incoming/`, oldest first. */
  readonly incoming: Control;
  /** Puts an answer into the inbox of its run, by one rename; nothing where there is no such run (any more). */
  answer(answer: StepAnswer): void;
  /** Shows the runs which of their steps wait for others than the role that does them. */
  waits(steps: ReadonlyMap<string, readonly MessageId[]>): void;
}

/* ---------------------------------------------------------------- turn folders */

/** What lies in a staging folder after a turn. */
export interface StagedFile {
  readonly name: string;
  readonly content: Content;
}

export interface TurnFolders {
  /**
   * Makes `.mailroom/turns/<turn>/<attempt>/` with prompt, read-only copies of the messages and an empty staging folder
   * (`keepStaging`: a further round of the same attempt keeps what lies there). Returns absolute paths.
   */
  open(
    turn: string,
    attempt: number,
    round: number,
    prompt: (outbox: string) => string,
    messages: readonly { name: string; text: string }[],
    keepStaging: boolean,
  ): TurnPaths;
  /** Copies the staging folder aside and reads the copy: what is written later is not seen. */
  collect(turn: string, attempt: number, round: number): StagedFile[];
  /** Puts a file into the staging folder (mail that a role wrote into its own outbox during its turn). */
  stage(turn: string, attempt: number, name: string, from: { role: RoleName; name: string }): boolean;
  /** Mail that lies in mail folders of a checkout below `.mailroom/worktrees/`, where nobody looks for it. */
  strays(worktree: string): string[];
  /** Writes the result for people. */
  result(turn: string, attempt: number, round: number, document: unknown): void;
}

export interface TurnPaths {
  readonly folder: string;
  readonly prompt: string;
  readonly outbox: string;
  readonly messages: readonly string[];
  readonly stdout: string;
  readonly stderr: string;
}

/* ---------------------------------------------------------------- providers */

/** What a provider needs to know to make one invocation. Pure data. */
export interface Invocation {
  readonly role: RoleName;
  readonly thread: ThreadId;
  readonly turn: string;
  readonly attempt: number;
  readonly round: number;
  readonly prompt: string;
  readonly capabilities: readonly Capability[];
  /** Files and folders that it has to hand over, and may write whatever its rights; absolute. Empty for a turn of a role. */
  readonly owed: readonly string[];
  /** Whether it has a network. */
  readonly network: boolean;
  /** How many steps it may take, each an answer of its model; null: as many as it wants. */
  readonly maxSteps: number | null;
  /** Milliseconds that one of its commands may take; null: as long as its program lets it. */
  readonly maxCommandTime: number | null;
  readonly model: string | null;
  /** Working directory, absolute. */
  readonly workspace: string;
  /** The project, absolute. */
  readonly project: string;
  /** Conversation to resume, or null for a new one. */
  readonly session: Session | null;
  readonly budget: Budget | null;
  readonly paths: TurnPaths;
  /** Missing: nobody serves tools for it. */
  readonly tools?: TurnTools;
  /** MCP servers that the agent may use besides those tools; missing: none, the person's own included. */
  readonly mcp?: McpAccess;
  /** True: it may write what configures agents in the workspace; missing: a sandbox keeps it from that. */
  readonly mayConfigure?: true;
  /** Variables of the role, added to the allowlisted environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** The program that serves the tools of turns by the Model Context Protocol, and where it lies. */
export interface TurnTools {
  readonly command: readonly string[];
  /** Files and folders that it is made of; absolute. */
  readonly readable: readonly string[];
}

/** A process to start. Argv only; the prompt goes to standard input, which is then closed. */
export interface CommandLine {
  readonly argv: readonly string[];
  /** Added to the allowlisted environment of the host. */
  readonly env: Readonly<Record<string, string>>;
  /** Names (or `PREFIX_*`) that are taken over from the host's environment besides the usual ones. */
  readonly inherit: readonly string[];
  readonly stdin: string;
  /** Files to write into the turn's folder first, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** Folders besides workspace and staging that the program must be able to write, e.g. its own configuration. */
  readonly writable: readonly string[];
  /** Missing: it takes its settings from arguments and variables, and the person's own from where they are. */
  readonly home?: ProgramHome;
  /** Missing: it depends on no file. */
  readonly reading?: Reading;
  /** The person's own settings of the program, absolute, among what is writable: a sandbox lets it only read them. Missing: none. */
  readonly settings?: readonly string[];
  /** Names in a workspace from which the program runs what a repository wants: a sandbox hides them, elsewhere it is refused. */
  readonly shuns?: readonly string[];
  /**
   * Is told standard output as it comes; true once more than the invocation's budget is spent or more steps were taken than
   * it may, and then it is to be ended. Missing: the program tells that only at its end, or has no limit.
   */
  readonly overspent?: (output: string) => boolean;
  /**
   * Is told standard output as it comes, too, and says which commands of the agent run now, by names that are used once. One
   * that takes longer than `limitMs` ends the program. Missing: nothing bounds them, or the program does it itself.
   */
  readonly commands?: {
    readonly limitMs: number;
    readonly running: (output: string) => ReadonlySet<string>;
  };
}

/** How a process ended and what it wrote. Of the report of an agent only strong secrets are masked yet: see `maskReport`. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly ended:
    | 'exited'
    | 'total-timeout'
    | 'idle-timeout'
    | 'output-limit'
    | 'output-failed'
    | 'over-budget'
    | 'command-timeout'
    | 'stopped'
    | 'spawn-failed';
  readonly error: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
  /** What it changed in its workspace, where that is recorded; null: nobody can tell. */
  readonly edits?: Edits | null;
}

/** Whoever is outside answers done, later or never; nonsense is "later". */
export type Outcome =
  | {
      readonly is: 'done';
      readonly text: string;
      readonly session: Session | null;
      readonly usage: Usage;
      readonly model: string | null;
      /** Tools that were refused to the agent. */
      readonly denials: readonly string[];
    }
  | {
      readonly is: 'later';
      readonly class: 'RETRYABLE_TRANSIENT' | 'RETRYABLE_RATE_LIMIT';
      readonly reason: Reason;
      /** For a rate limit: when it ends, if the program said so; milliseconds since 1970. */
      readonly until: number | null;
      readonly usage: Usage;
      /** The conversation that was resumed, with what it has come to; missing or null: none, or its program counts each run anew. */
      readonly session?: Session | null;
    }
  | {
      readonly is: 'never';
      readonly reason: Reason;
      readonly usage: Usage;
      /** The same. */
      readonly session?: Session | null;
    };

/** Whether a provider can hold a role to exactly these rights, or only to wider ones. */
export interface Restriction {
  readonly exact: boolean;
  /** Rights that the agent has although the role does not, with the reason, in words. */
  readonly widened: readonly string[];
}

/** What bounds an agent of a step besides its time, as it is written there. */
export type AgentBound = 'max_steps' | 'max_command_time';

/** One kind of agent. Both directions are pure: a turn becomes a command line, its output becomes an outcome. */
export interface Provider {
  readonly name: string;
  /** True when the provider can resume a conversation. */
  readonly sessions: boolean;
  restrict(capabilities: readonly Capability[]): Restriction;
  /** The bounds of a step that nothing holds its agent to: neither a switch of its own, nor what it tells as it goes. */
  readonly unheld: readonly AgentBound[];
  /** Whether its agents can be given MCP servers by name; else why not, in words. */
  readonly mcp: true | string;
  /** Missing: nothing of a repository configures its agents. */
  readonly obeys?: RepositorySettings;
  start(invocation: Invocation): CommandLine;
  /** `now` is for limits that say "resets in …"; `previous` is the session that was resumed (usage is a difference). */
  read(exit: Exit, invocation: Invocation, now: number): Outcome;
}

/* ---------------------------------------------------------------- running agents */

/** One invocation that should be running. `key` is unique for ever. */
export interface AgentJob {
  readonly key: string;
  readonly provider: string;
  readonly invocation: Invocation;
  /** Milliseconds left of the turn's time; null: unlimited. */
  readonly totalMs: number | null;
  readonly idleMs: number | null;
  /** Whether the workspace's tree is to be noted before the agent starts. */
  readonly noteTree: boolean;
  /** The thread whose git worktree must be there first; null: the workspace is a folder. */
  readonly worktree: ThreadId | null;
  /** Folders, absolute, of which it is to be told what changed in them meanwhile; missing: none. */
  readonly watched?: readonly string[];
}

export interface GateJob {
  readonly key: string;
  /** The provider of the role whose turn it is, and whether that has a network: its gates are held as it is. */
  readonly provider: string;
  readonly network: boolean;
  readonly gates: readonly { readonly gate: Gate; readonly message: string }[];
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
  readonly tree: string | null;
  readonly totalMs: number | null;
  /** Whose folder the output goes to. */
  readonly folder: { readonly turn: string; readonly attempt: number };
}

/** What the runner tells its host. Calls come later, never from inside `start`. */
export interface RunnerEvents {
  /** The process exists and waits behind the launch gate; `release` lets it go. */
  ready(key: string, process: Launched, tree: string | null): void;
  ended(key: string, outcome: Outcome, exit: Exit, changed?: Changed): void;
  gated(key: string, problems: string[]): void;
}

/** Starts and stops processes. */
export interface Runner {
  start(job: AgentJob): void;
  release(key: string): void;
  check(job: GateJob): void;
  /** Ends the process of that key and everything it started. The `ended` call still comes. */
  stop(key: string): void;
  /** Ends what earlier hosts of this project left running. */
  sweep(): Promise<void>;
  /** A name for the workspace's content now (a git tree), or null outside git. */
  tree(workspace: string): Promise<string | null>;
}

/* ---------------------------------------------------------------- the trail */

/** One commit: what changed in the mail folders, and what to say about it. */
export interface TrailEntry {
  /** The journal's number of the event. */
  readonly seq: number;
  readonly at: number;
  readonly subject: string;
  readonly trailers: readonly (readonly [string, string])[];
  readonly changes: readonly TrailChange[];
}

/** Paths are relative to the project. `text` null removes the file. */
export interface TrailChange {
  readonly path: string;
  readonly text: string | null;
}

export interface Trail {
  /** Queues a commit. Never throws and never blocks; order is kept. */
  record(entry: TrailEntry): void;
  /** The `Seq` of the last commit on the branch; 0 when there is none, null where there is no trail. */
  position(): Promise<number | null>;
  /** Resolves when everything recorded is committed, or cannot be. */
  settled(): Promise<void>;
  /** The last problem, for `status`; null when all is well. */
  problem(): string | null;
}
