import { Cron } from 'croner';
import * as z from 'zod';
import { messageOf } from '../../kernel/errors.ts';
import { argv, duration, name, oneOrMore, text } from '../../yaml/schema.ts';
import { variableName } from './parts.ts';
import { target } from '../shared/target.ts';

const field = String.raw`(?:\*|[\dA-Za-z]+(?:-[\dA-Za-z]+)?)(?:/\d+)?`;
const fields = String.raw`${field}(?:,${field})*`;
const cronPattern = new RegExp(String.raw`^\s*(?:${fields}\s+){4}${fields}\s*$`);
const aCron = 'five fields of a crontab, such as "0 3 * * *"';

/** Six fields of other programs begin with seconds, or end with a year. */
function cronProblem({ input }: { readonly input?: unknown }): string {
  const count = typeof input === 'string' ? input.trim().split(/\s+/).length : 0;
  return count > 5 ? `${aCron}, not ${String(count)}: seconds and years are not among them` : aCron;
}

/** Why a cron line never matches a time; null: it does. */
function neverFires(line: string): string | null {
  try {
    return new Cron(line).nextRun() === null ? 'with numbers that there are' : null;
  } catch (error) {
    const isBackwards = messageOf(error).includes('larger than to');
    return isBackwards ? 'with ranges that run upwards: 22-23,0-2' : 'with numbers that there are';
  }
}

function isTimezone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** What every trigger may have. */
const common = {
  filter: text
    .optional()
    .describe('An expression over `trigger`: it starts a run only if this is true; default: always.'),
  enabled: z
    .boolean({ error: 'true or false' })
    .optional()
    .describe('false: it starts nothing; default true.'),
  cooldown: duration
    .optional()
    .describe('How long after one of its runs has ended the next begins; default at once.'),
  by: z
    .enum(['person'])
    .optional()
    .describe('person: each of its runs waits until a person confirms it; default: it starts alone.'),
};

const interval = z
  .strictObject({
    every: duration.describe('How long after it last started a run, or `up` began.'),
    ...common,
  })
  .meta({ title: 'trigger' });

const cron = z
  .strictObject({
    cron: z
      .string({ error: aCron })
      .regex(cronPattern, { error: cronProblem, abort: true })
      .refine((line) => neverFires(line) === null, {
        error: ({ input }) => `${aCron}, ${neverFires(String(input))!}`,
      })
      .describe('When, as in a crontab.'),
    timezone: text
      .refine(isTimezone, { error: 'a time zone such as Europe/Berlin' })
      .optional()
      .describe("Whose clock: Europe/Berlin; default: the machine's."),
    ...common,
  })
  .meta({ title: 'trigger' });

const files = z
  .strictObject({
    files: oneOrMore(text, 'a glob or a list of globs').describe('Globs; one of these files has changed.'),
    debounce: duration.optional().describe('How long nothing more may change before the run; default 500ms.'),
    ...common,
  })
  .meta({ title: 'trigger' });

const webhook = z
  .strictObject({
    webhook: z
      .string()
      .regex(/^\/[\w./-]*$/, { error: 'a path such as /hooks/ship' })
      .describe('The path of the request, on the loopback interface.'),
    secret: variableName.describe('The variable that holds the key of the HMAC-SHA256 over the body.'),
    ...common,
  })
  .meta({ title: 'trigger' });

const command = z
  .strictObject({
    command: argv.describe('A program and its arguments.'),
    every: duration.describe('How often it is run.'),
    on: z
      .enum(['change', 'success'])
      .optional()
      .describe('change (default): it printed something else than before; success: it exited with 0.'),
    ...common,
  })
  .meta({ title: 'trigger' });

const message = z
  .strictObject({
    message: z
      .strictObject({
        role: name.describe('The role that gets it.'),
        type: name.describe('Its type.'),
      })
      .meta({ title: 'message trigger' })
      .describe('A message of this type came to this role.'),
    ...common,
  })
  .meta({ title: 'trigger' });

const aTrigger = 'one of cron, every, files, webhook, command and message, with its settings';

export const triggers = z.record(
  name,
  z.union([interval, cron, files, webhook, command, message], { error: aTrigger }),
);

const hook = z
  .strictObject({
    run: argv.optional().describe('A program and its arguments; expressions are allowed.'),
    notify: name.optional().describe('The role that gets a notice.'),
    tell: target
      .optional()
      .describe('A notification by the command under `notify` of mailroom.yaml: slack:#deployments.'),
  })
  .refine((value) => Object.values(value).some((each) => each !== undefined), {
    error: 'run: [program, arguments], notify: role, tell: <scheme>:<target>, or several of these',
  })
  .meta({ title: 'hook' });

export const hooks = z
  .strictObject({
    on_start: hook.optional().describe('When a run begins.'),
    on_complete: hook.optional().describe('When a run has succeeded.'),
    on_failure: hook.optional().describe('When a run has ended in any other way.'),
  })
  .meta({ title: 'set of hooks' });

export type TriggersInput = z.output<typeof triggers>;
export type HooksInput = z.output<typeof hooks>;
