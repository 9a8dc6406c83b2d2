import { costKinds } from '../kernel/cost.ts';
import * as z from 'zod';
import type { DocumentOf } from '../kernel/json.ts';
import { cost, count, json, texts, time, version, why } from './common.ts';
import { threadStatus, turnStatus } from './status.ts';

const anyValues = z.record(z.string(), json);
const path = z.string().nullable().describe('Relative to the project');

const message = z
  .strictObject({
    id: z.string(),
    type: z.string(),
    from: z.string(),
    to: texts,
    thread: z.string(),
    in_reply_to: z.string().nullable(),
    subject: z.string(),
    created: time,
    commit: z.string().nullable().describe('The commit that it is about'),
    branch: z.string().nullable().describe('The branch of its author that has the commit'),
    landed: z
      .strictObject({
        branch: z.string(),
        commit: z.string().describe('The commit there since'),
        before: z.string().nullable().describe('The commit there before; null: not known'),
      })
      .nullable()
      .describe('The branch that its work came onto'),
    attachments: texts,
    fields: anyValues,
    extra: anyValues.describe("Keys of the front matter that are not Mailroom's"),
    body: z.string(),
    path,
    turn: z.string().nullable().describe('The turn that wrote it; null: a person or the program did'),
    host: z
      .string()
      .nullable()
      .describe("The host of the worker that ran the turn; null: the controller's own"),
  })
  .meta({ id: 'Message' });

const shown = {
  message: z.strictObject({
    schema: version,
    kind: z.literal('message'),
    message,
    copies: z.array(
      z.strictObject({
        role: z.string(),
        at: z.enum(['inbox', 'claimed', 'unread', 'read', 'processed', 'failed', 'withdrawn', 'unknown']),
        turn: z
          .string()
          .nullable()
          .describe('The unfinished turn that picked it up, or the one that failed on it'),
        path,
        reason: z.string().nullable().describe('Why it failed'),
      }),
    ),
    request: z
      .strictObject({
        replies: texts,
        blocks: z.string(),
        deadline: time.nullable(),
        asks: z.array(
          z.strictObject({
            recipient: z.string(),
            state: z.enum(['open', 'answered', 'over']),
            candidates: texts.describe('Who may still answer'),
            by: z.string().nullable().describe('The reply, or the notice that replaces it'),
          }),
        ),
      })
      .nullable()
      .describe('Null: it asks for no answer'),
    thread: threadStatus.nullable(),
  }),
  thread: z.strictObject({
    schema: version,
    kind: z.literal('thread'),
    id: z.string(),
    thread: threadStatus.nullable().describe('Null: it ended long ago, and only its files are left'),
    messages: z.array(message),
    turns: z.array(turnStatus),
  }),
  turn: z.strictObject({
    schema: version,
    kind: z.literal('turn'),
    id: z.string(),
    turn: turnStatus.nullable().describe('Null: it has ended'),
    sent: z.array(message),
    invocations: z.array(
      z.strictObject({
        attempt: count,
        round: count.describe('Corrections within the attempt'),
        prompt: path,
        stdout: path,
        stderr: path,
        changes: path.describe('What changed in its git workspace meanwhile, as a patch'),
        result: anyValues.nullable().describe('The contents of `result.json`; null: it has not ended'),
      }),
    ),
  }),
  refused: z.strictObject({
    schema: version,
    kind: z.literal('refused'),
    path: z.string(),
    reason: z.string().nullable(),
    text: z.string(),
  }),
};

/** `show`, without runs and workflows. */
export const shownDocument = z.discriminatedUnion('kind', [
  shown.message,
  shown.thread,
  shown.turn,
  shown.refused,
]);

/** `why`. */
export const whyDocument = z.strictObject({
  schema: version,
  target: z.string().describe('A role, a turn, an id, `<run>/<step>`, or `<workflow>/<trigger>`'),
  state: z.string(),
  ...why,
  sub_threads: z
    .array(
      z.strictObject({ thread: z.string(), subject: z.string(), reason: z.string(), command: z.string() }),
    )
    .describe('The open sub-threads of a thread, or those that a role waits for, and why each does not move'),
});

/** `show --diff`. */
export const differenceDocument = z.strictObject({
  schema: version,
  message: z.string(),
  commit: z.string(),
  base: z
    .string()
    .describe(
      "The commit of the author's message before it, or that the thread began at; for work that is to land, where it left the branch; for a conflict, the role's own side, and `commit` is the other",
    ),
  text: z
    .string()
    .nullable()
    .describe('Of work that is to land, the message with it, in Markdown; null: of other work'),
  patch: z.string().describe('At most 1 MiB; empty: nothing has changed'),
});

const costKind = z.enum(costKinds);

/** When the mail changed: marks for a line of the past. */
export const momentsDocument = z.strictObject({
  schema: version,
  records: count.describe('The number of the last record of the journal; 0: none'),
  marks: z
    .array(z.strictObject({ record: count, time, failed: z.boolean() }))
    .describe('At most 100 of the newest 10,000 records'),
});

/** `costs`. */
export const costsDocument = z.strictObject({
  schema: version,
  by: z.array(costKind),
  since: z.string().nullable().describe('The first day that counts, in UTC'),
  rows: z
    .array(
      z.strictObject({
        key: z
          .partialRecord(costKind, z.string().nullable())
          .describe(
            'What the group has in common. Null: no such name, as for a step without a role, or an agent that does not report its model',
          ),
        launches: count,
        cost,
      }),
    )
    .describe('In chronological order by day and week, then the most expensive first'),
  total: z.strictObject({ launches: count, cost }),
});

/** `send` and `reply`. */
export const sendingDocument = z.discriminatedUnion('state', [
  z.strictObject({
    schema: version,
    state: z.literal('accepted').describe('It is on its way'),
    id: z.string(),
    thread: z.string(),
    type: z.string(),
    to: texts,
  }),
  z.strictObject({
    schema: version,
    state: z.literal('recorded').describe('It waits for a controller'),
    path: z.string(),
    controller: z.boolean(),
    reference: z.string(),
  }),
  z.strictObject({
    schema: version,
    state: z.literal('staged').describe('It is sent when the turn is committed'),
    path: z.string(),
    turn: z.string(),
  }),
]);

const target = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('all') }),
  z.strictObject({ kind: z.literal('role'), role: z.string() }),
  z.strictObject({ kind: z.literal('thread'), thread: z.string() }),
  z.strictObject({ kind: z.literal('turn'), turn: z.string() }),
  z.strictObject({ kind: z.literal('letter'), role: z.string(), name: z.string() }),
]);

const verdict = {
  schema: version,
  state: z.enum(['done', 'refused', 'recorded']).describe('`recorded`: no controller has read it yet'),
  verb: z.enum(['pause', 'unpause', 'cancel', 'retry', 'approve', 'reject']),
  target,
  reason: z.string().nullable(),
  controller: z.boolean().describe('Whether a controller runs'),
};

/** `pause`, `unpause`, `cancel` and `retry`. */
export const verdictDocument = z.strictObject({
  ...verdict,
  targets: z.array(target).describe('All of them'),
});

export type MessageDocument = DocumentOf<typeof message>;
export type Shown = DocumentOf<typeof shownDocument>;
export type WhyDocument = DocumentOf<typeof whyDocument>;
export type MessageDifference = DocumentOf<typeof differenceDocument>;
export type MomentsDocument = DocumentOf<typeof momentsDocument>;
export type CostsDocument = DocumentOf<typeof costsDocument>;
export type Sending = DocumentOf<typeof sendingDocument>;
export type CostsSum = CostsDocument['total'];
export type CostsRow = CostsDocument['rows'][number];
export type CommandResult = Omit<DocumentOf<typeof verdictDocument>, 'targets'>;
export type CopyDocument = DocumentOf<typeof shown.message>['copies'][number];
export type RequestDocument = NonNullable<DocumentOf<typeof shown.message>['request']>;
export type InvocationDocument = DocumentOf<typeof shown.turn>['invocations'][number];
export type SubThreadWhy = WhyDocument['sub_threads'][number];
