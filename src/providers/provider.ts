import type { Content } from '../kernel/content.ts';
import type { RoleName, ThreadId } from '../kernel/ids.ts';
import type { AskedCall, DecidedCalls } from '../kernel/asked-call.ts';
import type { Capability } from '../kernel/capabilities.ts';
import type { Calls, Session, Budget, Usage } from '../kernel/cost.ts';
import type { McpAccess } from '../kernel/mcp.ts';
import type { ProgramHome } from './program-home.ts';
import type { Reading } from './reading.ts';
import type { Edits } from '../kernel/edits.ts';
import type { Reason } from '../kernel/errors.ts';
import type { RepositorySettings } from './agent-settings.ts';

/** A file in a staging folder after a turn. */
export interface StagedFile {
  readonly name: string;
  readonly content: Content;
}

export interface TurnPaths {
  readonly folder: string;
  readonly prompt: string;
  readonly outbox: string;
  readonly messages: readonly string[];
  readonly stdout: string;
  readonly stderr: string;
}

/** What a provider needs to make one invocation. Pure data. */
export interface Invocation {
  readonly role: RoleName;
  readonly thread: ThreadId;
  readonly turn: string;
  readonly attempt: number;
  readonly round: number;
  readonly prompt: string;
  readonly capabilities: readonly Capability[];
  /**
   * Files and folders that it must deliver, and can write whatever its permissions; absolute. Empty
   * for a turn of a role.
   */
  readonly owed: readonly string[];
  /** Whether it has network access. */
  readonly network: boolean;
  /** The maximum number of steps, each one answer of its model; null: unlimited. */
  readonly maxSteps: number | null;
  /** The maximum duration of one of its commands in milliseconds; null: the program's own limit. */
  readonly maxCommandTime: number | null;
  readonly model: string | null;
  /** The variant of the model, or its effort, as the program names it; null: its default. */
  readonly variant: string | null;
  /** Working directory, absolute. */
  readonly workspace: string;
  /** The project's folder, absolute. */
  readonly project: string;
  /** Conversation to resume, or null for a new one. */
  readonly session: Session | null;
  /** A fingerprint of the standing orders, which the conversation then has; missing: none. */
  readonly orders?: string;
  readonly budget: Budget | null;
  readonly paths: TurnPaths;
  /** Null: it has no tools from Mailroom. */
  readonly tools: TurnTools | null;
  /**
   * MCP servers that the agent can use besides those tools; null: none, not even the user's own.
   */
  readonly mcp: McpAccess | null;
  /** False: a sandbox prevents it from writing the files that configure agents in the workspace. */
  readonly mayConfigure: boolean;
  /** What a person has allowed and refused; null: no person is asked. */
  readonly asking: DecidedCalls | null;
  /** The role's variables, added to the allowlisted environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** The program that serves a turn's tools by the Model Context Protocol, and its location. */
export interface TurnTools {
  readonly command: readonly string[];
  /** The files and folders of the program; absolute. */
  readonly readable: readonly string[];
}

/** A process to start. Argv only; the prompt goes to standard input, which is then closed. */
export interface CommandLine {
  readonly argv: readonly string[];
  /** Added to the allowlisted environment of the host. */
  readonly env: Readonly<Record<string, string>>;
  /** Names (or `PREFIX_*`) of host variables that it inherits besides the usual ones. */
  readonly inherit: readonly string[];
  readonly stdin: string;
  /** Files to write into the turn's folder before the start, by name. */
  readonly files: Readonly<Record<string, string>>;
  /**
   * Folders besides workspace and staging that the program must be able to write, e.g. its own
   * configuration.
   */
  readonly writable: readonly string[];
  /**
   * Missing: it reads settings from arguments and variables, and the user's own from their usual
   * place.
   */
  readonly home?: ProgramHome;
  /** Missing: it depends on no file. */
  readonly reading?: Reading;
  /**
   * The user's own settings of the program, absolute, inside writable paths: a sandbox makes them
   * read-only. Missing: none.
   */
  readonly settings?: readonly string[];
  /** Further programs that it starts, whose packages a sandbox shows too. Missing: none. */
  readonly programs?: readonly string[];
  /**
   * Names in a workspace from which the program runs what a repository configures: a sandbox hides
   * them, and without one Mailroom refuses the program.
   */
  readonly shuns?: readonly string[];
  /**
   * Receives standard output as it arrives; true once the budget or the number of steps is
   * exceeded, so that the program must be ended. Missing: the program reports this only at its end,
   * or has no limit.
   */
  readonly overspent?: (output: string) => boolean;
  /**
   * Also receives standard output as it arrives, and returns the agent's running commands, under
   * names that are used once. One that takes longer than `limitMs` ends the program. Missing:
   * commands are unlimited, or the program enforces the limit.
   */
  readonly commands?: {
    readonly limitMs: number;
    readonly running: (output: string) => ReadonlySet<string>;
  };
  /** Missing: only its exit shows that the program has finished. */
  readonly finish?: Finish;
}

/** How a program that has printed its final event is recognised, although it still runs. */
export interface Finish {
  /** How long it may take to exit after that, in milliseconds; then it is ended as `lingered`. */
  readonly graceMs: number;
  /**
   * Receives standard output as it arrives; true after the final event, until the program works
   * again.
   */
  readonly isFinal: (output: string) => boolean;
}

/**
 * How a process ended and its output. In an agent's report only strong secrets are masked so far:
 * see `maskReport`. `lingered`: it had printed its final event, did not exit, and was ended; that
 * counts as exit code 0.
 */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly ended:
    | 'exited'
    | 'lingered'
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
  /** Its changes in the workspace, if they are recorded; null: unknown. */
  readonly edits: Edits | null;
}

/** The result of an outside actor: done, later or never; an invalid answer is "later". */
export type Outcome =
  | {
      readonly is: 'done';
      readonly text: string;
      readonly session: Session | null;
      readonly usage: Usage;
      readonly model: string | null;
      /** Tool uses that were refused. */
      readonly denials: readonly string[];
      /** For people: what is wrong with its report. Missing: nothing. */
      readonly warnings?: readonly string[];
      /** What a person must allow before the conversation continues. Missing: it is complete. */
      readonly asks?: readonly AskedCall[];
    }
  | {
      readonly is: 'later';
      readonly class: 'RETRYABLE_TRANSIENT' | 'RETRYABLE_RATE_LIMIT';
      readonly reason: Reason;
      /** The end of a rate limit, if the program reported it; milliseconds since 1970. */
      readonly until: number | null;
      readonly usage: Usage;
      /**
       * The resumed conversation with its new total; null: none, or the program counts
       * each run separately.
       */
      readonly session: Session | null;
    }
  | {
      readonly is: 'never';
      readonly reason: Reason;
      readonly usage: Usage;
      /** As for "later": the resumed conversation with its new total. */
      readonly session: Session | null;
    };

/** Whether a provider can restrict a role to exactly these permissions, or only to broader ones. */
export interface Restriction {
  readonly exact: boolean;
  /** Permissions that the agent has although the role does not, each with the reason in words. */
  readonly broaderThanRequested: readonly string[];
}

/** Bounds of a step's agent besides time, as written in a workflow. */
export type AgentBound = 'max_steps' | 'max_command_time' | 'variant';

/**
 * One kind of agent. Both directions are pure: a turn becomes a command line, its output becomes an
 * outcome.
 */
export interface Provider {
  readonly name: string;
  /** True when the provider can resume a conversation. */
  readonly sessions: boolean;
  /** `sandboxed`: its agents certainly run in a sandbox; only some providers depend on it. */
  restrict(capabilities: readonly Capability[], sandboxed?: boolean): Restriction;
  /**
   * The bounds that are not enforced for its agents: the program has no switch for them and does
   * not report progress.
   */
  readonly notEnforced: readonly AgentBound[];
  /** Whether its agents can be given MCP servers by name; otherwise the reason why not. */
  readonly mcp: true | string;
  /** False: nor can they have the tools of Mailroom, for the same reason. Missing: they can. */
  readonly tools?: false;
  /**
   * Its agents can ask a person for permission, or why a person may never be asked. Missing: they
   * cannot.
   */
  readonly asks?: true | string;
  /** Missing: no settings of a repository configure its agents. */
  readonly obeys?: RepositorySettings;
  /**
   * How long its agents may be silent, in milliseconds, unless their role says otherwise: they wait
   * silently at a usage limit. Missing: unlimited.
   */
  readonly idleMs?: number;
  start(invocation: Invocation): CommandLine;
  /**
   * `now` is for limits such as "resets in …"; `previous` is the resumed session (usage is a
   * difference).
   */
  read(exit: Exit, invocation: Invocation, now: number): Outcome;
  /**
   * The agent's texts in an output that may begin in the middle. Missing: the output is that text.
   */
  readonly said?: (stdout: string) => string;
  /**
   * The calls of the model that a whole output reports, none of them if it reports only their sum.
   * Missing: it always does.
   */
  readonly calls?: (stdout: string) => Calls;
}
