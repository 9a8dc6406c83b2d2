import type { Content } from '../kernel/content.ts';
import type { RoleName, ThreadId } from '../kernel/ids.ts';
import type { Capability } from '../kernel/capabilities.ts';
import type { Session, Budget, Usage } from '../kernel/cost.ts';
import type { McpAccess } from '../kernel/mcp.ts';
import type { ProgramHome } from './program-home.ts';
import type { Reading } from './reading.ts';
import type { Edits } from '../kernel/edits.ts';
import type { Reason } from '../kernel/errors.ts';
import type { RepositorySettings } from './agent-settings.ts';

/** What lies in a staging folder after a turn. */
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
   * Receives standard output as it comes; true once more than the invocation's budget is spent or more steps were taken than
   * it may, and then it is to be ended. Missing: the program tells that only at its end, or has no limit.
   */
  readonly overspent?: (output: string) => boolean;
  /**
   * Receives standard output as it comes, too, and says which commands of the agent run now, by names that are used once. One
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
  readonly broaderThanRequested: readonly string[];
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
  readonly notEnforced: readonly AgentBound[];
  /** Whether its agents can be given MCP servers by name; else why not, in words. */
  readonly mcp: true | string;
  /** Missing: nothing of a repository configures its agents. */
  readonly obeys?: RepositorySettings;
  start(invocation: Invocation): CommandLine;
  /** `now` is for limits that say "resets in …"; `previous` is the session that was resumed (usage is a difference). */
  read(exit: Exit, invocation: Invocation, now: number): Outcome;
  /** What the agent said, of an output that may begin in the middle: readable text. Missing: the output is that text. */
  readonly said?: (stdout: string) => string;
}
