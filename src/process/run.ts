import { spawn, type ChildProcess } from 'node:child_process';
import process from 'node:process';
import { settledWithin } from './pipes.ts';
import { waitsForNamedPipe } from './proc.ts';
import { describeSpawnError, whyNotStart } from './refusal.ts';
import { after } from './time-watch.ts';

interface RunOptions {
  readonly cwd: string;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string | Buffer;
  readonly timeoutMs?: number;
  /** Per output; more ends the program. */
  readonly maxOutputBytes?: number;
  /** How bytes are decoded; `latin1` keeps each byte as one character. Default `utf8`. */
  readonly encoding?: 'utf8' | 'latin1';
}

export interface RunResult {
  /** Null if a signal ended it, or it did not start. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /**
   * `named-pipe`: it opened a pipe that replaces a file, and would have waited for the other end.
   */
  readonly ended: 'exited' | 'timeout' | 'output-limit' | 'spawn-failed' | 'named-pipe';
  readonly error: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_OUTPUT_BYTES = 16 * 1024 * 1024;
const PIPE_WAIT_MS = 200;
const NAMED_PIPE_LOOK_MS = 1_000;
const NAMED_PIPE =
  'it waits for a named pipe that lies in the place of a file; `find . -type p` lists such pipes';

/**
 * Runs a short tool of the host, such as git, until it ends. Never rejects. Agents and the
 * project's own commands run by `supervise` instead.
 */
export async function run(argv: readonly string[], options: RunOptions): Promise<RunResult> {
  const refusal = whyNotStart(argv, options);
  if (refusal !== null) return { ...NOTHING, exitCode: refusal.exitCode, error: refusal.error };
  let child: ChildProcess;
  try {
    // A separate process group: Ctrl-C at a terminal must not end git in the middle of a commit.
    const stdin = options.stdin === undefined ? 'ignore' : 'pipe';
    const { cwd, env } = options;
    child = spawn(argv[0]!, argv.slice(1), { cwd, env, detached: true, stdio: [stdin, 'pipe', 'pipe'] });
  } catch (error) {
    return { ...NOTHING, error: describeSpawnError(error) };
  }
  return follow(child, options);
}

const NOTHING = {
  exitCode: null,
  signal: null,
  ended: 'spawn-failed',
  error: null,
  stdout: '',
  stderr: '',
} as const;

async function follow(child: ChildProcess, options: RunOptions): Promise<RunResult> {
  let ended: RunResult['ended'] = 'exited';
  const kill = (reason: RunResult['ended']): void => {
    if (ended !== 'exited' || child.pid === undefined) return;
    ended = reason;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The process has just ended.
    }
  };
  const limit = options.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES;
  const encoding = options.encoding ?? 'utf8';
  const stdout = collect(child, 'stdout', { limit, encoding }, () => kill('output-limit'));
  const stderr = collect(child, 'stderr', { limit, encoding: 'utf8' }, () => kill('output-limit'));
  child.stdin?.on('error', () => {});
  child.stdin?.end(options.stdin);
  const late = after(options.timeoutMs ?? DEFAULT_TIMEOUT_MS, () => kill('timeout'));
  const watch = setInterval(() => {
    if (child.pid !== undefined && waitsForNamedPipe(child.pid)) kill('named-pipe');
  }, NAMED_PIPE_LOOK_MS);
  const exit = await new Promise<{ exitCode: number | null; signal: string | null; error: string | null }>(
    (resolve) => {
      child.once('error', (error) =>
        resolve({ exitCode: null, signal: null, error: describeSpawnError(error) }),
      );
      child.once('exit', (exitCode, signal) => resolve({ exitCode, signal, error: null }));
    },
  );
  late.stop();
  clearInterval(watch);
  await settledWithin([child.stdout, child.stderr], PIPE_WAIT_MS);
  const said = { stdout: stdout(), stderr: stderr() };
  return { ...exit, ...said, ...(exit.error === null ? describe(ended) : { ended: 'spawn-failed' }) };
}

function describe(ended: RunResult['ended']): Pick<RunResult, 'ended' | 'error'> {
  return { ended, error: ended === 'named-pipe' ? NAMED_PIPE : null };
}

function collect(
  child: ChildProcess,
  name: 'stdout' | 'stderr',
  { limit, encoding }: { readonly limit: number; readonly encoding: 'utf8' | 'latin1' },
  onLimit: () => void,
): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  child[name]?.on('data', (chunk: Buffer) => {
    const room = limit - size;
    if (room > 0) chunks.push(chunk.subarray(0, room));
    size += Math.min(room, chunk.length);
    if (chunk.length > room) onLimit();
  });
  return () => Buffer.concat(chunks).toString(encoding);
}
