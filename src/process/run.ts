import type { Readable } from 'node:stream';
import { launcherIsLost } from '../kernel/passing.ts';
import { withResolver } from '../kernel/with-resolver.ts';
import { settledWithin } from './pipes.ts';
import { waitsForNamedPipe } from './proc.ts';
import { describeSpawnError, whyNotStart } from './refusal.ts';
import type { Leader } from './starting/here.ts';
import { streamOf } from './starting/pipe-pool.ts';
import { start } from './starting/start.ts';
import { signalGroup } from './sweep.ts';
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
  try {
    return await follow(argv, options);
  } catch (error) {
    return { ...NOTHING, error: describeSpawnError(error) };
  }
}

const NOTHING = {
  exitCode: null,
  signal: null,
  ended: 'spawn-failed',
  error: null,
  stdout: '',
  stderr: '',
} as const;

async function follow(argv: readonly string[], options: RunOptions): Promise<RunResult> {
  const { cwd, env, stdin } = options;
  let ended: RunResult['ended'] = 'exited';
  let leader: Leader | null = null;
  const kill = (reason: RunResult['ended']): void => {
    if (ended !== 'exited') return;
    ended = reason;
    if (leader !== null) signalGroup(leader, 'SIGKILL');
  };
  const over = withResolver<Pick<RunResult, 'exitCode' | 'signal' | 'error'>>();
  const input = stdin === undefined ? 'ignore' : 'pipe';
  // A session of its own: Ctrl-C at a terminal must not end git in the middle of a commit.
  const program = start(
    { file: argv[0]!, argv, cwd, env, input, byName: false, mark: null, barrier: false },
    {
      started(begun) {
        leader = begun;
        if (ended !== 'exited') signalGroup(leader, 'SIGKILL');
      },
      refused: (error) => over.resolve({ exitCode: null, signal: null, error: describeSpawnError(error) }),
      ended: (exitCode, signal) =>
        over.resolve({
          exitCode,
          signal,
          error: exitCode === null && signal === null ? launcherIsLost : null,
        }),
    },
  );
  const limit = options.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES;
  const encodings = [options.encoding ?? 'utf8', 'utf8'] as const;
  const streams = program.outputs.map((source) => (source === null ? null : streamOf(source)));
  const texts = streams.map((stream, index) =>
    collect(stream, { limit, encoding: encodings[index]! }, () => kill('output-limit')),
  );
  program.input?.on('error', () => {});
  program.input?.end(stdin);
  const late = after(options.timeoutMs ?? DEFAULT_TIMEOUT_MS, () => kill('timeout'));
  const watch = setInterval(() => {
    if (leader !== null && waitsForNamedPipe(leader.pid)) kill('named-pipe');
  }, NAMED_PIPE_LOOK_MS);
  const exit = await over.promise;
  late.stop();
  clearInterval(watch);
  await settledWithin(streams, PIPE_WAIT_MS);
  const [stdout = '', stderr = ''] = texts.map((text) => text());
  return { ...exit, stdout, stderr, ...(exit.error === null ? describe(ended) : { ended: 'spawn-failed' }) };
}

function describe(ended: RunResult['ended']): Pick<RunResult, 'ended' | 'error'> {
  return { ended, error: ended === 'named-pipe' ? NAMED_PIPE : null };
}

function collect(
  stream: Readable | null,
  { limit, encoding }: { readonly limit: number; readonly encoding: 'utf8' | 'latin1' },
  onLimit: () => void,
): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream?.on('data', (chunk: Buffer) => {
    const room = limit - size;
    if (room > 0) chunks.push(chunk.subarray(0, room));
    size += Math.min(room, chunk.length);
    if (chunk.length > room) onLimit();
  });
  return () => Buffer.concat(chunks).toString(encoding);
}
