import * as z from 'zod';
import { errorCodes, type ErrorCode } from '../kernel/errors.ts';
import { readExactJson, type DocumentOf, type JsonObject } from '../kernel/json.ts';
import { name } from '../yaml/schema.ts';
import type { Target } from './target.ts';

/*
 * The trust boundary: every JSON document that another process may have written into a Mailroom
 * folder. Each is validated here, and only here, before other code uses it. Every `error` completes
 * the sentence "`key` must be …".
 */

/** A valid document, or why it is invalid, in words. */
export type Read<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** No document of Mailroom is nested so deeply, and a document becomes part of others. */
const mostLevels = 64;

const aUuid = 'the id of a message';
const aWord = 'an id of letters, digits, `_` and `-`';
const aTime = 'a time in milliseconds since 1970';
const anObject = 'a JSON object';

const uuid = z.string({ error: aUuid }).regex(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/, { error: aUuid });

/** The id of a run, a turn or a command: it becomes the name of a file or folder. */
const word = z.string({ error: aWord }).regex(/^[\w-]{1,100}$/, { error: aWord });
const time = z.int({ error: aTime }).min(0, { error: aTime }).max(8.64e15, { error: aTime });
const line = z.string({ error: 'a string' }).max(10_000, { error: 'at most 10,000 characters long' });
const text = z.string({ error: 'a string' });
const count = z.number({ error: 'a number' }).min(0, { error: 'at least 0' });
const flag = z.boolean({ error: 'true or false' });

/** `mostLevels` bounds it before any schema sees it. */
const object = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  { error: anObject },
);

/** The name of a file, without a folder. */
const fileName = z
  .string({ error: 'the name of a file' })
  .regex(/^(?!\.{1,2}$)[^/\0]{1,255}$/, { error: 'the name of a file' });

const target = z.discriminatedUnion(
  'kind',
  [
    z.object({ kind: z.literal('all') }),
    z.object({ kind: z.literal('role'), role: name }),
    z.object({ kind: z.literal('thread'), thread: word }),
    z.object({ kind: z.literal('turn'), turn: word }),
    z.object({ kind: z.literal('letter'), role: name, name: fileName }),
  ],
  { error: 'a JSON object whose `kind` is all, role, thread, turn or letter' },
);

const mailVerbs = ['pause', 'unpause', 'cancel', 'retry', 'approve', 'reject'] as const;

const words = text.nullish().transform((value) => value ?? null);

const control = z.object(
  {
    id: word,
    at: time,
    by: line,
    verb: z.enum(mailVerbs, { error: 'pause, unpause, cancel, retry, approve or reject' }),
    target,
    now: flag,
    /** The reason of `approve` or `reject`; null: none was given. */
    comment: words,
    /** What `approve` or `reject` is about; null: what waits. */
    changes: words,
  },
  { error: anObject },
);

/** A file in `.mailroom/control/`: another process's request to the controller. */
export interface ControlFile extends z.output<typeof control> {
  readonly target: Target | { readonly kind: 'letter'; readonly role: string; readonly name: string };
}

const runVerbs = ['approve', 'reject', 'cancel', 'retry', 'pause', 'unpause'] as const;

const runControl = z.object(
  {
    id: word,
    at: time,
    by: line,
    verb: z.enum(runVerbs, { error: 'approve, reject, cancel, retry, pause or unpause' }),
    /** The gate or the step; empty for a verb that concerns the run. */
    path: line,
    /** What `approve` chooses; null: `approve`. */
    choice: words,
    comment: words,
    /** What the answer to a gate carries besides, by name. */
    fields: object.nullish().transform((value) => value ?? {}),
    /** Of `retry`: replaces the definition's instructions; null: keep those. */
    instructions: words,
    /** Of `cancel`: the run that takes the place of this one; steps that run finally continue. */
    newer: word.optional(),
  },
  { error: anObject },
);

/** A file in the control folder of a run: another process's request to its host. */
export type RunControlFile = z.output<typeof runControl>;

/** `id` is derived from the run and the launch: a request that is written twice is one message. */
const notice = { id: uuid, run: word, role: name, subject: line, body: text };
const commit = z.string({ error: aWord }).regex(/^[\da-f]{40}(?:[\da-f]{24})?$/, { error: 'a commit' });
const work = { commit, branch: line };
const requestOrWithdrawal = z
  .string({ error: aWord })
  .regex(/^[\w-]{1,100}(\.withdrawal)?$/, { error: aWord });

const stepRequest = z.object({
  kind: z.literal('step'),
  ...notice,
  /** For the role and other readers of the mail: the step, its inputs, outputs and values file. */
  fields: object,
  /** Milliseconds from acceptance; null: unlimited. */
  timeout: z.int().min(1).max(8.64e14).nullable(),
  /** The work that the message is about; null: none. */
  work: z.object(work, { error: anObject }).nullable(),
});
const stepNotice = z.object({ kind: z.literal('notice'), ...notice });

/** A run's request for mail: one step for one role. */
export type StepRequest = Omit<DocumentOf<typeof stepRequest>, 'kind'>;

/** A run's notice to a role, without waiting for an answer. */
export type StepNotice = Omit<DocumentOf<typeof stepNotice>, 'kind'>;

const incoming = z.discriminatedUnion(
  'kind',
  [
    stepRequest,
    stepNotice,
    z.object({ kind: z.literal('withdrawal'), id: requestOrWithdrawal, run: word, step: uuid, by: line }),
  ],
  { error: 'a JSON object whose `kind` is step, notice or withdrawal' },
);

/**
 * A file in `.mailroom/incoming/`: a step for a role, a notice to one, or the withdrawal of a step.
 */
export type IncomingFile = z.output<typeof incoming>;

const codes = Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]];
const classes = ['RETRYABLE_TRANSIENT', 'RETRYABLE_RATE_LIMIT', 'NON_RETRYABLE', 'FATAL'] as const;

const answer = z.object(
  {
    id: uuid,
    run: word,
    outcome: z.discriminatedUnion(
      'is',
      [
        z.object({ is: z.literal('done') }),
        z.object({
          is: z.literal('failed'),
          class: z.enum(classes, { error: 'a class of errors' }),
          reason: z.object({ code: z.enum(codes, { error: 'a code of an error' }), text }),
          timedOut: flag,
        }),
      ],
      { error: 'a JSON object whose `is` is done or failed' },
    ),
    /** The final text of the turn that ended the step; empty when the step failed. */
    text,
    /** The fields of the `step-result`. */
    values: object,
    /** The work of the role; `worktree`: its checkout, relative to the project. Null: none. */
    work: z.object({ ...work, worktree: line }, { error: anObject }).nullable(),
    /** The cost of the whole thread so far. */
    usage: z.object({ usd: count.nullable(), tokens: count.nullable() }, { error: anObject }),
    /** Milliseconds since the step was accepted. */
    durationMs: count,
  },
  { error: anObject },
);

/** The mail's answer to a step. */
export type StepAnswer = DocumentOf<typeof answer>;

const waits = z.array(uuid, { error: 'a list of ids' });

const card = z.object(
  {
    run: word,
    workflow: line,
    workspace: line,
    source: line.nullable(),
    startedBy: z.enum(['person', 'up'], { error: 'person or up' }),
    person: line.nullable(),
    startedAt: time,
  },
  { error: anObject },
);

/** What is known of a run before its journal is read: `run.json`. */
export interface RunCard extends Readonly<z.output<typeof card>> {}

const start = z.object({
  run: word,
  trigger: line,
  /** When it was first requested. */
  at: time,
  /** How often it was requested before it began. */
  count,
  /** The data of the last request. */
  data: object,
});

/** A run that a trigger requests. Its id is assigned before it starts, so that it starts once. */
export type Start = DocumentOf<typeof start>;

const memory = z.object({
  /** The current run of the workflow, from the decision to start it. At most one. */
  going: start.nullable(),
  triggers: z.record(
    z.string(),
    z.object({
      /** Of cron, every and command: the next due time; null: not computed yet. */
      due: time.nullable(),
      /** Of cron: the last scheduled time that was handled. */
      taken: time.nullable(),
      /** Of files: changes that no run covers yet, and when the last change was seen. */
      changed: z.object({ at: time, files: z.array(text) }).nullable(),
      /** Of command: its last output; null: it has not succeeded yet. */
      printed: text.nullable(),
      /** The run that waits for the current one to end. */
      waiting: start.nullable(),
      /** Why its filter could not be evaluated the last time; null: it could. */
      unfiltered: text.nullable(),
      /** When the last run that it started ended. */
      ended: time.nullable(),
      /** The id of the last run that it started. */
      last: word.nullable(),
    }),
  ),
});

/** The memory of one workflow's triggers: the host writes it to disk before it acts on it. */
export type TriggersMemory = DocumentOf<typeof memory>;
export type TriggerMemory = TriggersMemory['triggers'][string];

const triggers = z.object({ workflow: line, memory }, { error: anObject });

const holder = z.object(
  {
    pid: z.int().min(1),
    host: line,
    since: time,
    triggers: flag,
    startTime: line.nullable(),
    project: z.object({ path: text, folder: text }).nullable().default(null),
    problems: z.array(line).default([]),
    held: z.array(z.object({ work: line, problem: line })).default([]),
    waits: z.object({ for: word.nullable(), cancels: flag.optional() }).nullable().default(null),
    slots: z
      .object({
        most: count,
        uses: z.array(
          z.object({
            user: word,
            agents: count,
            first: z.object({ record: line, at: time }).nullable(),
          }),
        ),
      })
      .nullable()
      .default(null),
  },
  { error: anObject },
);

/**
 * The process that holds the lock of the project or of a run. `waits`: its run waits for another
 * one, perhaps an unknown one (null) or one that it `cancels`, and has not begun, or not been
 * resumed. `held`: the turns, or
 * the steps, that wait for the machine. `slots`: who uses its slots for agents; null: one is free.
 * `project`: where it lies, and its folder as the system knows it.
 */
export interface Holder extends Readonly<z.output<typeof holder>> {}

const contextHolder = z.object({ run: word, restored: flag }, { error: anObject });
const parked = z.object({ until: time }, { error: anObject });

const overhead = z.object(
  { tokens: count, version: line, model: line.nullable(), at: time },
  { error: anObject },
);
const overheads = z.object({ agents: z.record(z.string(), overhead) }, { error: anObject });

/** By agent: what `doctor --probe` has measured that each call reads besides the prompt. */
export interface OverheadsFile extends Readonly<z.output<typeof overheads>> {}

const aKey = 'at least 32 letters, digits, `_` and `-`';
const apiKey = z.object(
  {
    name: line.min(1, { error: 'a name' }),
    access: z.enum(['read', 'write'], { error: 'read or write' }),
    key: z.string({ error: aKey }).regex(/^[\w-]{32,200}$/, { error: aKey }),
  },
  { error: anObject },
);
const apiKeys = z.object(
  { keys: z.array(apiKey, { error: 'a list' }).min(1, { error: 'a list with a key' }) },
  { error: anObject },
);

/** A key of the API. Its name is who acts, and who approves. */
export interface ApiKey extends Readonly<z.output<typeof apiKey>> {}

/** Reads JSON by a schema, whose errors complete the sentence "`key` must be …". */
export function reader<T>(schema: z.ZodType<T>): (text: string) => Read<T> {
  return (given) => {
    const json = readExactJson(given, mostLevels);
    if (!json.ok) return json;
    const read = schema.safeParse(json.value);
    if (read.success) return { ok: true, value: read.data };
    return { ok: false, problem: problemOf(read.error) };
  };
}

/** The first problem of a document, in words. */
export function problemOf({ issues }: z.ZodError): string {
  const [issue] = issues;
  const path = issue?.path.join('.') ?? '';
  const subject = path === '' ? 'it' : `\`${path.slice(0, 200)}\``;
  return `${subject} must be ${issue?.message ?? 'something else'}`;
}

export const readControl: (text: string) => Read<ControlFile> = reader(control);
export const readRunControl = reader(runControl);
export const readIncoming = reader(incoming);
export const readAnswer: (text: string) => Read<StepAnswer> = reader(answer);
/** The ids of a run's steps whose role waits for others. */
export const readWaits = reader(waits);
export const readRunCard: (text: string) => Read<RunCard> = reader(card);
export const readTriggerMemory: (
  text: string,
) => Read<{ readonly workflow: string; readonly memory: TriggersMemory }> = reader(triggers);
export const readHolderFile: (text: string) => Read<Holder> = reader(holder);
/** Who owns a context folder. */
export const readContextHolderFile = reader(contextHolder);
/** Who may use the API. */
export const readApiKeysFile = reader(apiKeys);
/** Until when a provider must not be launched. */
export const readParkedFile = reader(parked);
/** What `doctor --probe` has measured. */
export const readOverheadsFile: (text: string) => Read<OverheadsFile> = reader(overheads);
