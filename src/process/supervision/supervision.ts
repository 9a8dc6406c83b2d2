import { StringDecoder } from 'node:string_decoder';
import { bytesInWords } from '../../kernel/bytes.ts';
import { launcherIsLost } from '../../kernel/passing.ts';
import { withResolver } from '../../kernel/with-resolver.ts';
import type { Capture, CaptureEvents } from '../output/capture.ts';
import type { Launched } from '../../kernel/launched.ts';
import { watchCommands, watchFinish, watchLimits, type FinishWatch, type LimitWatch } from './limits.ts';
import { Output } from '../output/output.ts';
import { settledWithin } from '../pipes.ts';
import { readProcess } from '../proc.ts';
import { describeSpawnError, whyNotStart, type Refusal } from '../refusal.ts';
import type { StartEvents, End } from '../starting/here.ts';
import { type Started, start } from '../starting/start.ts';
import { after } from '../time-watch.ts';
import { ProcessTree } from './tree.ts';
import type { EndReason, ProcessResult, ProcessSpec, SuperviseHooks } from '../types.ts';
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { wrap } from '../sandbox/containment.ts';
import { ownProgram, usablePath } from '../sandbox/own-programs.ts';

const GRACE_MS = 3000;
/**
 * How long after KILL the leader may take to disappear; one that hangs in the kernel may never do
 * so.
 */
const GIVE_UP_MS = 5000;
/** Pause between checks for output; a program that prints gets streams. */
const FIRST_LISTEN_MS = 10;
const LAST_LISTEN_MS = 160;
const streamNames = { stdout: 'standard output', stderr: 'standard error' };
/** How long the pipes may stay open after the leader's end. */
const PIPE_WAIT_MS = 200;

interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** One spawned process until all that it started has ended. */
export class Supervision {
  readonly exited: Promise<ProcessResult>;
  readonly #spec: ProcessSpec;
  readonly #launching: Started;
  /** Null: it has not started, or never will. */
  #tree: ProcessTree | null = null;
  readonly #outputs: readonly Output[];
  readonly #startedAt = Date.now();
  readonly #started = performance.now();
  #limits: LimitWatch | null = null;
  readonly #commands: ReturnType<typeof watchCommands> | null;
  readonly #finishing: FinishWatch | null;
  #reason: EndReason | null = null;
  #error: string | null = null;
  readonly #leader = withResolver<Exit>();
  /** Its pid, once it exists; with a barrier: once it waits there. */
  readonly #reached = withResolver<number>();
  #leaderIsGone = false;
  #timer: { stop(): void } | null = null;
  #listenTimer: NodeJS.Timeout | undefined;
  #ready: Promise<Launched | null> | null = null;

  /**
   * Starts it. `captures`: open, for standard output and standard error. Throws if its input or its
   * outputs cannot be opened.
   */
  constructor(spec: ProcessSpec, hooks: SuperviseHooks, captures: readonly Capture[]) {
    this.#spec = spec;
    this.#launching = launch(spec, this.#startEvents(spec));
    this.#commands = spec.commands ? watchCommands(spec.commands, () => this.#late('command-timeout')) : null;
    this.#finishing = spec.finish ? watchFinish(spec.finish, () => this.end('lingered')) : null;
    const names = ['stdout', 'stderr'] as const;
    this.#outputs = captures.map((capture, index) => {
      capture.listen(this.#captureEvents(names[index] ?? 'stderr', hooks));
      return new Output(this.#launching.outputs[index] ?? null, capture);
    });
    this.#listen(FIRST_LISTEN_MS);
    this.exited = this.#leader.promise.then((exit) => this.#finish(exit));
    if (!spec.launchBarrier) this.release();
  }

  /**
   * Resolves when the process exists (with a barrier: when it waits there); null if it ended
   * before. Never rejects.
   */
  get ready(): Promise<Launched | null> {
    return (this.#ready ??= this.#reachedBarrier());
  }

  /** Silent and short programs need no streams. */
  #listen(pause: number): void {
    this.#listenTimer = setTimeout(() => {
      const waiting = this.#outputs.filter((output) => output.listen());
      if (waiting.length > 0) this.#listen(Math.min(2 * pause, LAST_LISTEN_MS));
    }, pause);
  }

  /** Lets the program start, unless it has started or ended. */
  release(): void {
    if (this.#limits !== null || this.#reason !== null || this.#leaderIsGone) return;
    this.#launching.open();
    this.#limits = watchLimits(this.#spec.limits, (limit) => this.#late(limit));
  }

  /** What a program has finished is not lost by a limit of its time. */
  #late(limit: EndReason): void {
    this.end(this.#finishing?.isFinished() === true ? 'lingered' : limit);
  }

  /** Begins the end. The first reason counts. */
  end(reason: EndReason): void {
    if (this.#reason !== null || this.#leaderIsGone) return;
    this.#reason = reason;
    this.#limits?.stop();
    this.#commands?.stop();
    this.#finishing?.stop();
    this.#launching.close();
    if (this.#tree !== null) this.#terminate(this.#tree);
  }

  #terminate(tree: ProcessTree): void {
    tree.terminate();
    this.#timer = after(this.#spec.graceMs ?? GRACE_MS, () => {
      tree.kill();
      const giveUp = (): void =>
        this.#leaderGone({ exitCode: null, signal: null }, 'the process outlived SIGKILL');
      this.#timer = after(GIVE_UP_MS, giveUp);
    });
  }

  #captureEvents(stream: 'stdout' | 'stderr', hooks: SuperviseHooks): CaptureEvents {
    const { overspent } = this.#spec;
    const decoder = new StringDecoder('utf8');
    return {
      activity: () => this.#limits?.touch(),
      output: (chunk) => hooks.output?.(stream, chunk),
      read: (chunk) => {
        if (stream !== 'stdout') return;
        const text = decoder.write(chunk);
        if (overspent?.(text) === true) this.end('over-budget');
        this.#commands?.output(text);
        this.#finishing?.output(text);
      },
      full: () => {
        this.#error ??= `more than ${bytesInWords(this.#spec.limits.outputBytes)} on ${streamNames[stream]}`;
        this.#endForOutput('output-limit');
      },
      failed: (error) => {
        this.#error ??= `the output cannot be written: ${error}`;
        this.#endForOutput('output-failed');
      },
    };
  }

  /** Lost output is reported even if the program has ended normally meanwhile. */
  #endForOutput(reason: 'output-limit' | 'output-failed'): void {
    if (this.#leaderIsGone) this.#reason ??= reason;
    else this.end(reason);
  }

  #leaderGone(exit: Exit, error: string | null): void {
    this.#leaderIsGone = true;
    this.#error ??= error;
    this.#leader.resolve(exit);
  }

  #startEvents({ mark, containment, launchBarrier }: ProcessSpec): StartEvents {
    let pid = 0;
    return {
      started: (leader) => {
        pid = leader.pid;
        this.#tree = new ProcessTree(leader, mark, containment.kind !== 'group');
        if (!launchBarrier) this.#reached.resolve(pid);
        if (this.#reason !== null) this.#terminate(this.#tree);
      },
      reached: () => this.#reached.resolve(pid),
      refused: (error) => this.#refused(error),
      ended: (exitCode, signal) => {
        // What has lost its launcher was ended with all that it had started.
        if (exitCode === null && signal === null)
          this.#leaderGone({ exitCode, signal: 'SIGKILL' }, launcherIsLost);
        else this.#leaderGone({ exitCode, signal }, null);
      },
    };
  }

  /** The system does not distinguish a missing program from a missing folder, so this checks. */
  #refused(error: unknown): void {
    const why: Refusal = whyNotStart(this.#spec.argv, this.#spec) ?? {
      exitCode: null,
      error: describeSpawnError(error),
    };
    this.#leaderGone({ exitCode: why.exitCode, signal: null }, why.error);
  }

  async #reachedBarrier(): Promise<Launched | null> {
    const ended = this.#leader.promise.then(() => null);
    const pid = await Promise.race([this.#reached.promise, ended]);
    if (pid === null) return null;
    return { pid, startTime: startTimeOf(pid), mark: this.#spec.mark };
  }

  async #finish(exit: Exit): Promise<ProcessResult> {
    const durationMs = performance.now() - this.#started;
    this.#timer?.stop();
    clearTimeout(this.#listenTimer);
    this.#limits?.stop();
    this.#commands?.stop();
    this.#finishing?.stop();
    this.#launching.close();
    const open = this.#outputs.map((output) => output.end());
    const [survivors] = await Promise.all([this.#endLeftovers(), settledWithin(open, PIPE_WAIT_MS)]);
    for (const output of this.#outputs) output.capture.close();
    return {
      ...exit,
      reason: this.#tree === null ? 'spawn-failed' : (this.#reason ?? 'exited'),
      error: this.#error,
      stdoutTail: this.#outputs[0]?.capture.tail() ?? '',
      stderrTail: this.#outputs[1]?.capture.tail() ?? '',
      stdout: this.#outputs[0]?.capture.text() ?? '',
      stderr: this.#outputs[1]?.capture.text() ?? '',
      startedAt: this.#tree === null ? null : this.#startedAt,
      durationMs,
      survivors,
    };
  }

  async #endLeftovers(): Promise<number[]> {
    try {
      const ended = await this.#tree?.endLeftovers(this.#spec.graceMs ?? GRACE_MS);
      return ended?.survivors.map(({ pid }) => pid) ?? [];
    } catch (error) {
      this.#error ??= `could not look for what the program left running: ${String(error)}`;
      return [];
    }
  }
}

function startTimeOf(pid: number): string {
  try {
    return readProcess(pid)?.startTime ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

/**
 * Starts the process as leader of a new session; events may come before this returns. Throws if its
 * input or its outputs cannot be opened.
 */
export function launch(spec: ProcessSpec, events: StartEvents): Started {
  const { cwd, env, mark, launchBarrier: barrier } = spec;
  const argv = wrap(spec.containment, spec.argv, barrier, cwd);
  const input = openInput(spec.stdin, spec.stdoutFile);
  return start({ file: locate(argv[0]!, env), argv, cwd, env, mark, input, byName: true, barrier }, events);
}

/**
 * The path of bash, which runs every script, found once; the system would search for it at each
 * start. It does where `PATH` is not the host's.
 */
function locate(program: string, { PATH }: ProcessSpec['env']): string {
  const isHosts = PATH === usablePath(process.env['PATH'] ?? '');
  return program === 'bash' && isHosts ? ownProgram(program) : program;
}

let count = 0;

/**
 * A file descriptor from which a program reads this text; the caller closes it. It is an unlinked
 * file, created next to `besides`, and not a pipe: Node's pipes are sockets, with which
 * `/dev/stdin` cannot be opened and bash takes itself for a remote login and runs `~/.bashrc`.
 * Throws if it cannot be written.
 */
function openInput(text: string, besides: string): End {
  if (text === '') return 'ignore';
  const file = join(dirname(besides), `.input-${process.pid}-${count++}`);
  const writer = openSync(file, 'wx', 0o600);
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += writeSync(writer, bytes, at);
    return openSync(file, 'r');
  } finally {
    closeSync(writer);
    unlinkSync(file);
  }
}
