import * as z from 'zod';
import type { DocumentOf } from '../kernel/json.ts';
import { json, texts, time, version } from './common.ts';
import { stepsBefore } from './status.ts';

const item = z.strictObject({
  id: z
    .string()
    .describe(
      'The id of the message; of an approval, `<run>/<gate>`, or the turn that waits for it, as of `blocked`',
    ),
  kind: z
    .enum(['request', 'approval', 'conflict', 'blocked', 'notice'])
    .describe(
      '`request`: a sender waits for an answer. `approval`: a gate of a run, work that is to land on a protected branch, or a call of an agent waits. `conflict`: a turn waits until a person has resolved a conflict of its work. `blocked`: work lands once a person has changed what its subject says. `notice`: only to be read',
    ),
  thread: z.string().nullable().describe('Null: a gate of a run'),
  thread_subject: z.string().nullable().describe('Whose task it is; null: unknown, or no thread'),
  turn: z
    .string()
    .nullable()
    .describe(
      'The turn that waits for it; of a notice, the turn that failed and was not tried again; null: none',
    ),
  escalated_from: z
    .string()
    .nullable()
    .describe('The role that was asked first and did not answer in time; null: it was not escalated'),
  question: z.string().nullable().describe('The message with what an agent asks for; null: of no agent'),
  changes: z
    .string()
    .nullable()
    .describe('Names exactly the changes that are to land, for the answer; null: nothing lands'),
  run: z.string().nullable().describe('Null: a message'),
  before: stepsBefore,
  from: z.string().describe('The sender; of an approval, the name of the workflow'),
  type: z.string(),
  subject: z.string(),
  since: time.nullable(),
  deadline: time.nullable(),
  on_timeout: z.string().nullable().describe('What happens without an answer before the deadline'),
  fields: z
    .record(
      z.string(),
      z.strictObject({
        type: z.enum(['string', 'number', 'integer', 'boolean', 'list', 'array', 'object', 'any']),
        enum: z.array(json).nullable().describe('The allowed values; null: any of its type'),
        required: z.boolean(),
        default: json.describe('What an empty answer means; null: nothing'),
        description: z.string().nullable(),
      }),
    )
    .describe('The fields of the types that answer it'),
  reply_types: texts.describe('The types that answer it; of an approval, its choices'),
  command: z.string().describe('What answers it, or shows a notice; one a line for each type'),
});

/** `inbox`. */
export const inboxDocument = z.strictObject({
  schema: version,
  as: z.string().nullable().describe('The person that was asked for; null: every person'),
  items: z
    .array(item)
    .describe(
      'The earliest deadline first, then the longest wait; notices last, those of failed turns before the others, newest first',
    ),
});

/** `inbox --done`. */
export const doneDocument = z.strictObject({
  schema: version,
  done: texts.describe('The notices that are read now'),
  before: texts.describe('Those of the named ones that were put away before'),
});

/** What people have put away or answered. */
export const handledDocument = z
  .array(
    item.extend({
      answer: z
        .strictObject({ text: z.string(), at: time })
        .nullable()
        .describe('Its first line; null: none'),
    }),
  )
  .describe('The newest first, each as a notice: those of messages that people have handled');

/** The undoing of `inbox --done`. */
export const backDocument = z.strictObject({
  schema: version,
  back: texts.describe('The notices that are unread again'),
});

export type HandledItem = DocumentOf<typeof handledDocument>[number];
export type BackDocument = DocumentOf<typeof backDocument>;
export type DoneDocument = DocumentOf<typeof doneDocument>;
export type InboxDocument = DocumentOf<typeof inboxDocument>;
export type InboxItem = DocumentOf<typeof item>;
