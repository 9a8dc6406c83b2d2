import type { Capability } from '../kernel/capabilities.ts';
import type { Launched } from '../kernel/launched.ts';
import type { Exit, Finish } from '../providers/provider.ts';

/**
 * What contains a process and everything that it starts.
 * - `bubblewrap`: a PID namespace with a file system that shows only the system's programs and the
 * given folders.
 * - `namespace`: a separate PID namespace; `user` makes a user namespace first, for hosts without
 * the privilege.
 * - `group`: a session and process group; processes that leave it are found by their mark.
 */
export type Containment =
  | {
      readonly kind: 'bubblewrap';
      /** Writable folders and files; absolute. */
      readonly writable: readonly string[];
      /** Readable folders and files, besides the system's programs and libraries; absolute. */
      readonly readable: readonly string[];
      /**
       * Read-only paths inside writable ones; absolute. An empty folder keeps a missing path: see
       * `openPlaces`. Default: none.
       */
      readonly held?: readonly string[];
      /** Existing files inside the others that cannot be read. Default: none. */
      readonly hidden?: readonly string[];
      /** Existing folders that look empty. Default: none. */
      readonly emptied?: readonly string[];
      readonly network: boolean;
      /** The repository, absolute, that it may add commits to. Default: none. */
      readonly commitsTo?: string;
      /** True for a program that makes a nested sandbox. */
      readonly nests: boolean;
    }
  | { readonly kind: 'namespace'; readonly user: boolean; readonly network: boolean }
  | { readonly kind: 'group' };

/**
 * What a process may access. Only a sandbox enforces it; a namespace enforces only the lack of
 * network.
 */
export interface AccessRequest {
  /** The provider of the program; null: a command, script or hook of the project's author. */
  readonly provider: string | null;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute, like all paths here. */
  readonly workspace: string;
  /** Null: no permissions were specified, so it has all. */
  readonly capabilities: readonly Capability[] | null;
  readonly network: boolean;
  /** Folders besides the workspace that are writable whatever its permissions. */
  readonly writable: readonly string[];
  /** Required output files and folders in the workspace, writable whatever its permissions. */
  readonly owed: readonly string[];
  /** Read-only paths inside writable ones. */
  readonly guarded: readonly string[];
  /** Further programs that it starts, by name or path; missing: none. */
  readonly programs?: readonly string[];
  /** For an agent CLI; missing: not an agent. */
  readonly agent?: AgentAccess;
}

/**
 * What an agent CLI must not write, or not even see, because it decides what agents run and are
 * allowed to do.
 */
export interface AgentAccess {
  /** The user's own settings; absolute. */
  readonly settings: readonly string[];
  /** Names in the workspace, and in the folders above it, that are hidden. */
  readonly shuns: readonly string[];
  /** True: it may write the files that configure agents in the workspace. */
  readonly mayConfigure: boolean;
}

interface ProcessLimits {
  /** From the start (with a barrier: from its release), in milliseconds; null: unlimited. */
  readonly totalMs: number | null;
  /** Without any output, in milliseconds; null: unlimited. */
  readonly idleMs: number | null;
  /** Limit for each of the two outputs; more is dropped and ends the process. */
  readonly outputBytes: number;
}

export interface ProcessSpec {
  /** Program and arguments; not run by a shell. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The complete environment; `MAILROOM_MARK` is added. */
  readonly env: Readonly<Record<string, string>>;
  /** The complete standard input of the program. */
  readonly stdin: string;
  /** Identifies the process and its descendants by the variable `MAILROOM_MARK`. */
  readonly mark: string;
  readonly containment: Containment;
  /** True: the program starts only after `release()`, and never once this host is gone. */
  readonly launchBarrier: boolean;
  readonly limits: ProcessLimits;
  /** Receives standard output as it arrives; true ends the process as `over-budget`. */
  readonly overspent?: (output: string) => boolean;
  /**
   * Receives the same output and returns the running commands; one that takes longer than its limit
   * ends the process as `command-timeout`.
   */
  readonly commands?: {
    readonly limitMs: number;
    readonly running: (output: string) => ReadonlySet<string>;
  };
  /**
   * Receives the same output; a process that has printed its final event ends as `lingered` if it
   * does not exit in time, or reaches another time limit first.
   */
  readonly finish?: Finish;
  /** What to keep of each output in memory; missing: nothing. */
  readonly keeps?: Ends;
  /** Masked in all written output; use the same array for processes with the same secrets. */
  readonly secrets: readonly string[];
  readonly stdoutFile: string;
  readonly stderrFile: string;
  /** Milliseconds between TERM and KILL; default 3000. */
  readonly graceMs?: number;
}

/**
 * `output-failed`: the output could not be written to its file, so the process was ended;
 * `over-budget`: it exceeded its budget.
 */
export type EndReason = Exit['ended'];

export interface ProcessResult {
  /**
   * The program's exit code, or null if a signal ended it. In a namespace or sandbox a signal
   * appears as 128 + its number, which cannot be distinguished from an exit code.
   */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly reason: EndReason;
  readonly error: string | null;
  /** The last 64 KB of each output, masked. */
  readonly stdoutTail: string;
  readonly stderrTail: string;
  /** The kept part of each output. */
  readonly stdout: string;
  readonly stderr: string;
  /** Milliseconds since 1970; null if no process started. */
  readonly startedAt: number | null;
  /** Milliseconds from the spawn to the end of the program, by the monotonic clock. */
  readonly durationMs: number;
  /** Processes that survived KILL; empty except with a broken kernel or disk. */
  readonly survivors: readonly number[];
}

export interface SuperviseHooks {
  /** Receives the masked output as it arrives, within the output limit. */
  output?(stream: 'stdout' | 'stderr', chunk: Buffer): void;
}

export interface Supervised {
  /**
   * Resolves when the process exists (with a barrier: when it waits there); null if it ended
   * before. Never rejects.
   */
  readonly ready: Promise<Launched | null>;
  /**
   * Resolves once the program and its descendants have ended and the files are closed. Never
   * rejects.
   */
  readonly exited: Promise<ProcessResult>;
  /**
   * Opens the launch barrier; also before the process reaches it. Without a barrier it does
   * nothing.
   */
  release(): void;
  /** Ends all processes: TERM, the grace time, KILL. Repeated calls have no further effect. */
  stop(): void;
}

/** How many bytes of an output stay in memory: of its beginning and of its end. */
export interface Ends {
  readonly head: number;
  readonly tail: number;
  /** Keep standard output unmasked; otherwise all kept output is masked. */
  readonly raw?: true;
}
