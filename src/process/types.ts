import type { Capability } from '../kernel/capabilities.ts';
import type { Exit } from '../providers/provider.ts';

/**
 * What holds a process and everything that it starts.
 * - `bubblewrap`: a PID namespace with a file system that shows only the system's programs and the given folders.
 * - `namespace`: a PID namespace of its own; `user` makes a user namespace first, for hosts without the privilege.
 * - `group`: a session and process group; what leaves it is found by its mark.
 */
export type Containment =
  | {
      readonly kind: 'bubblewrap';
      /** Folders and files that may be written; absolute. */
      readonly writable: readonly string[];
      /** Folders and files that may be read, besides the system's programs and libraries; absolute. */
      readonly readable: readonly string[];
      /**
       * What may only be read although it lies in something that may be written; absolute. Where nothing is there yet, an empty
       * folder keeps the place: see `openPlaces`. Missing: none.
       */
      readonly held?: readonly string[];
      /** Files in these that are not to be read after all; they are there. Missing: none. */
      readonly hidden?: readonly string[];
      /** Folders that are there and look empty. Missing: none. */
      readonly emptied?: readonly string[];
      readonly network: boolean;
      /** True for a program that makes a sandbox of its own inside. */
      readonly nests: boolean;
    }
  | { readonly kind: 'namespace'; readonly user: boolean; readonly network: boolean }
  | { readonly kind: 'group' };

/** What a process may touch. Only a sandbox holds it to that; no network is also held to by a namespace. */
export interface AccessRequest {
  /** The provider whose program it is; null: a command, a script or a hook of the project's author. */
  readonly provider: string | null;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute, as all paths here. */
  readonly workspace: string;
  /** Null: nothing was said of its rights, so it has all. */
  readonly capabilities: readonly Capability[] | null;
  readonly network: boolean;
  /** Folders besides the workspace that it may write whatever its rights. */
  readonly writable: readonly string[];
  /** Files and folders in the workspace that it has to hand over, and may write whatever its rights. */
  readonly owed: readonly string[];
  /** What it may only read, although it lies in something that it may write. */
  readonly guarded: readonly string[];
  /** Of an agent CLI; missing: it is none. */
  readonly agent?: AgentAccess;
}

/** What an agent CLI must not write, or not even see, since it decides what agents run and may do. */
export interface AgentAccess {
  /** The person's own settings; absolute. */
  readonly settings: readonly string[];
  /** Names in the workspace, and in the folders above it, that are hidden. */
  readonly shuns: readonly string[];
  /** True: it may write what configures agents in the workspace. */
  readonly mayConfigure: boolean;
}

export interface ProcessLimits {
  /** From the start (behind a gate: from its release); null: unlimited. */
  readonly totalMs: number | null;
  /** Without any output; null: unlimited. */
  readonly idleMs: number | null;
  /** Kept of each of the two outputs; what comes after is dropped and ends the process. */
  readonly outputBytes: number;
}

export interface ProcessSpec {
  /** Program and arguments; no shell is involved. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The complete environment; `MAILROOM_MARK` is added. */
  readonly env: Readonly<Record<string, string>>;
  /** All that the program can read from standard input. */
  readonly stdin: string;
  /** Names the process and all that it starts, by the variable `MAILROOM_MARK`. */
  readonly mark: string;
  readonly containment: Containment;
  /** True: the program starts only after `release()`, and never once this host is gone. */
  readonly launchBarrier: boolean;
  readonly limits: ProcessLimits;
  /** Receives standard output as it comes; true ends the process as `over-budget`. */
  readonly overspent?: (output: string) => boolean;
  /** Is told the same, and says what the program runs; one that takes longer ends it as `command-timeout`. */
  readonly commands?: {
    readonly limitMs: number;
    readonly running: (output: string) => ReadonlySet<string>;
  };
  /** What of each output is kept in memory; missing: nothing. */
  readonly keeps?: Ends;
  /** Masked in everything that is written; the same list for every process, where they are the same. */
  readonly secrets: readonly string[];
  readonly stdoutFile: string;
  readonly stderrFile: string;
  /** Between TERM and KILL; 3000 when left out. */
  readonly graceMs?: number;
}

/**
 * `output-failed`: the output could not be written to its file, so the process was ended; `over-budget`: it had used more
 * than it may.
 */
export type EndReason = Exit['ended'];

export interface ProcessResult {
  /**
   * The program's exit code, or null when a signal ended it. In a namespace or sandbox a signal is seen from outside as
   * 128 + its number, which cannot be told from an exit code.
   */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly reason: EndReason;
  readonly error: string | null;
  /** The last 64 KB of each output, masked. */
  readonly stdoutTail: string;
  readonly stderrTail: string;
  /** What was to be kept of each. */
  readonly stdout: string;
  readonly stderr: string;
  /** Milliseconds since 1970; null when nothing was started. */
  readonly startedAt: number | null;
  /** From the spawn to the end of the program, by the monotonic clock. */
  readonly durationMs: number;
  /** Processes that outlived KILL; empty but for a broken kernel or disk. */
  readonly survivors: readonly number[];
}

export interface Launch {
  readonly pid: number;
  /** Together with the pid it names a process for ever; made of the system's boot and the process's start. */
  readonly startTime: string;
  readonly mark: string;
}

export interface SuperviseHooks {
  /** Gets the masked output as it comes, within the output limit. */
  output?(stream: 'stdout' | 'stderr', chunk: Buffer): void;
}

export interface Supervised {
  /** Resolves when the process exists (behind a gate: when it waits there); null when it ended before. Never rejects. */
  readonly ready: Promise<Launch | null>;
  /** Resolves once the program and all that it started are gone and the files are closed. Never rejects. */
  readonly exited: Promise<ProcessResult>;
  /** Opens the launch gate; may be called before it is reached. Without a gate it does nothing. */
  release(): void;
  /** Ends everything: TERM, the grace time, KILL. Any number of calls is one. */
  stop(): void;
}

/** How many bytes of an output are kept in memory: of its beginning, and of its end. */
export interface Ends {
  readonly head: number;
  readonly tail: number;
  /** Standard output as it came; else all that is kept is masked. */
  readonly raw?: true;
}
