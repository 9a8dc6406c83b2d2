import * as z from 'zod';
import { capabilities } from '../../../kernel/capabilities.ts';
import { errorCodes, type ErrorCode } from '../../../kernel/errors.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import { name } from '../../../yaml/schema.ts';
import { problemOf, type Read } from '../../../letters/letters.ts';
import { assigned } from './worker.ts';

/*
 * What the controller and a worker exchange about a turn, inside signed documents.
 */

const text = z.string({ error: 'a string' });
const count = z.number({ error: 'a number' }).min(0, { error: 'at least 0' });
const whole = z.int({ error: 'a whole number' }).min(0, { error: 'at least 0' });
const budget = z.object({ usd: count.nullable(), tokens: count.nullable() });
/** What cannot be true loses no work: who counts it says so (see `credibleOutcome`). */
const figure = z
  .number()
  .nullable()
  .catch(({ input }) => (typeof input === 'number' ? input : NaN));
/** What an agent is said to have used. */
const reported = z.object({
  usd: figure,
  tokens: figure,
  more: z.boolean().exactOptional().catch(true),
});
const commit = z.string().regex(/^[\da-f]{40}(?:[\da-f]{24})?$/, { error: 'the id of a commit' });
/** It becomes the name of a file or folder. */
const word = z.string().regex(/^[\w-]{1,100}$/, { error: 'an id of letters, digits, `_` and `-`' });
const fileName = z.string().regex(/^(?!\.{1,2}$)[^/\0]{1,255}$/, { error: 'the name of a file' });
const folder = z.enum(['workspace', 'project'], { error: 'workspace or project' });

const absolute = z.string().regex(/^\/(?!.*\/\.{1,2}(?:\/|$))[^\0]+$/, { error: 'an absolute path' });

/** What a worker runs instead of an agent: a script or a command of a workflow. */
const program = z.object({
  argv: z.array(text).min(1),
  stdin: text,
  /** Files that it finds in its folder. */
  files: z.record(fileName, text),
  /** Null: they were not declared, so it has all. */
  capabilities: z.array(z.enum(capabilities)).nullable(),
});

/** What it runs: of an `AgentJob`, all that travels. Paths are those of the controller. */
const job = z.object({
  /** Of its agent; empty: it has none. */
  provider: z.union([name, z.literal('')]),
  program: program.exactOptional(),
  invocation: z.object({
    thread: word,
    turn: word,
    attempt: whole,
    round: whole,
    prompt: text,
    capabilities: z.array(z.enum(capabilities)),
    network: z.boolean(),
    maxSteps: count.nullable(),
    maxCommandTime: count.nullable(),
    model: text.nullable(),
    variant: text.nullable(),
    workspace: absolute,
    project: absolute,
    budget: budget.nullable(),
    /** The prompt names the staging folder; the worker has its own. */
    paths: z.object({ folder: absolute, outbox: text }),
    /** Whether it gets Mailroom's tools: those of the worker. */
    tools: z.coerce.boolean(),
    mcp: z.object({ own: z.array(text) }).nullable(),
    mayConfigure: z.boolean(),
    env: z.record(z.string(), text),
  }),
  totalMs: count.nullable(),
  idleMs: count.nullable(),
  graceMs: count.nullable().exactOptional(),
  /** The folders whose changes are reported. */
  watched: z.array(absolute).default([]),
  /** Variables of the worker's own environment that it is given. */
  inherit: z.array(text).default([]),
});

/** A turn, or a step of a workflow, that a worker is to run. */
const remoteTurn = z.object({
  /** Of the program that added it. */
  version: text,
  /** The queue that it was added to; see `JobName`. */
  queue: text,
  /** Its checkout and its branch are named after it. */
  role: z.string().regex(/^[\w.+#-]{1,200}$/, { error: 'the name of a checkout' }),
  /** What its worker must have. */
  labels: z.array(text),
  /** Variables of the worker's own environment that must be there. */
  secrets: z.array(text),
  /** The commit with the content of its checkout. */
  begin: commit,
  /** That of the files that it finds besides; null: none. */
  carried: commit.nullable(),
  /** As `AgentJob` has them. */
  files: z
    .object({
      base: absolute.nullable(),
      carries: z.array(absolute).max(1_000),
      brings: z.array(absolute).max(1_000),
      values: z.array(absolute).max(1_000),
    })
    .nullable(),
  messages: z.array(z.object({ name: fileName, text })),
  job,
});

export interface RemoteTurn extends Readonly<z.output<typeof remoteTurn>> {}

const codes = Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]];
const reason = z.object({ code: z.enum(codes, { error: 'a code of an error' }), text });

const outcome = z.discriminatedUnion('is', [
  z.object({
    is: z.literal('done'),
    text,
    usage: reported,
    model: text.nullable(),
    denials: z.array(text),
    warnings: z.array(text).default([]),
  }),
  z.object({
    is: z.literal('later'),
    class: z.enum(['RETRYABLE_TRANSIENT', 'RETRYABLE_RATE_LIMIT']),
    reason,
    until: count.nullable(),
    usage: reported,
  }),
  z.object({ is: z.literal('never'), reason, usage: reported }),
]);

const exit = z.object({
  code: z.int().nullable(),
  signal: text.nullable(),
  ended: z.enum([
    'exited',
    'lingered',
    'total-timeout',
    'idle-timeout',
    'output-limit',
    'output-failed',
    'over-budget',
    'command-timeout',
    'stopped',
    'spawn-failed',
  ]),
  error: text.nullable(),
  stdout: text,
  stderr: text,
  durationMs: count,
});

const content = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), text }),
  z.object({ ok: z.literal(false), problem: text }),
]);

/** How a turn ended on a worker. */
const remoteEnd = z.object({
  worker: assigned,
  outcome,
  exit,
  staged: z.array(z.object({ name: fileName, content })).max(1_001),
  changed: z.array(
    z.object({
      folder,
      changes: z.union([z.object({ paths: z.array(text), untracked: z.array(text) }), text]),
    }),
  ),
  /** What its checkout contained in the end; null: it did not run, or could not be sent. */
  work: z.object({ commit, head: commit }).nullable(),
  /** What it brings besides; null: nothing. */
  files: commit.nullable(),
});

export interface RemoteEnd extends Readonly<z.output<typeof remoteEnd>> {}

/** Reads what a worker gets; of what a controller has, it takes what travels. */
export const readRemoteTurn = (given: object): Read<RemoteTurn> => read(remoteTurn, given);
export const readRemoteEnd = (given: JsonObject): Read<RemoteEnd> => read(remoteEnd, given);

function read<T>(schema: z.ZodType<T>, given: object): Read<T> {
  const result = schema.safeParse(given);
  return result.success ? { ok: true, value: result.data } : { ok: false, problem: problemOf(result.error) };
}
