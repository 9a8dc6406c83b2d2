import * as z from 'zod';
import { durationPattern, parseDuration } from '../kernel/duration.ts';
import { capabilities, type Capability } from '../kernel/capabilities.ts';
import { ownValue } from '../kernel/own.ts';

/*
 * The parts that several formats share. Every `error` completes the sentence "`key` must be …";
 * editors show every description.
 */

const namePattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;
const aName = 'a name of letters A to Z, digits, `_`, `-` and `.` that does not begin with `-` or `.`';

/** The name of a role, a type or a field: it becomes the name of a file or folder. */
export const name = z
  .string({ error: aName })
  .max(100, { error: 'at most 100 characters long' })
  .regex(namePattern, { error: aName });

/** A valid name of a git branch, as one expression. */
const branchPattern = /^(?![-/.])(?!.*(?:\.\.|\/\/|\/\.|@\{|\.lock(?:\/|$)))[^\s~^:?*[\\]+(?<![/.])$/;

export const branchName = z.string().regex(branchPattern, { error: 'the name of a branch' });

export const text = z.string().min(1, { error: 'a string that is not empty' });

const aChoice = 'a word in lower case, such as `approve`';

/** The choices of a gate. In lower case, because expressions compare them ignoring case. */
export const choices = z
  .array(z.string({ error: aChoice }).regex(/^[a-z][a-z0-9_-]{0,99}$/, { error: aChoice }), {
    error: 'a list such as [approve, changes, reject]',
  })
  .min(1, { error: 'a list of at least one choice' });

/** Data of the composer: position, colour, icon. Other keys are kept. */
export const ui = z.record(z.string(), z.json()).optional().describe('For the composer; never read here.');

/** One string or a list of at least one; parsed to a list. */
export function oneOrMore(item: z.ZodType<string, string>, error: string) {
  return z
    .union([item, z.array(item).min(1, { error })], { error })
    .transform((value) => (typeof value === 'string' ? [value] : value));
}

const anArgv = 'a list of a program and its arguments, such as [npm, test]';

/** A program and its arguments, run without a shell. */
export const argv = z.array(z.string(), { error: anArgv }).min(1, { error: anArgv });

const aVariable = 'the name of a variable, or the beginning of one and `*`';

/** Variables of the environment that a program may see. */
export function variableNames() {
  return z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*\*?$/, { error: aVariable }));
}

const aDuration = 'a duration such as 200ms, 30s, 5m or 1h30m';

/** A positive duration with units; parsed to milliseconds. */
export const duration = z
  .string({ error: aDuration })
  .regex(new RegExp(durationPattern), { error: aDuration, abort: true })
  .refine((value) => parseDuration(value) !== 0, { error: 'longer than nothing' })
  .transform((value) => parseDuration(value) ?? 0);

const aCount = 'a number of tokens, such as 400k or 2M';
const suffixes: Readonly<Record<string, number>> = { k: 1_000, M: 1_000_000 };

/** A number of tokens: `4000`, `400k`, `1.5M`. */
export const tokens = z
  .union(
    [z.int().min(0, { error: aCount }), z.string().regex(/^\d{1,9}(\.\d{1,6})?[kM]?$/, { error: aCount })],
    { error: aCount },
  )
  .transform((value) => {
    if (typeof value === 'number') return value;
    return Math.round(Number.parseFloat(value) * (ownValue(suffixes, value.at(-1) ?? '') ?? 1));
  });

/** Money and tokens; a missing limit is unlimited. */
export const budget = z
  .strictObject({
    usd: z.number().min(0, { error: 'at least 0' }).optional().describe('Dollars.'),
    tokens: tokens.optional().describe('Tokens of both directions: 4000, 400k, 2M.'),
  })
  .meta({ title: 'budget' })
  .transform((value) => ({ usd: value.usd ?? null, tokens: value.tokens ?? null }));

export function wholeNumber(least: number) {
  return z.int({ error: 'a whole number' }).min(least, { error: `at least ${least}` });
}

/** The permissions of a role's agent, each at most once. */
export const permissions = z
  .array(z.enum(capabilities as [Capability, ...Capability[]]))
  .transform((value) => capabilities.filter((capability) => value.includes(capability)));

/** The keys that a role can have and for which `defaults` of mailroom.yaml applies to all roles. */
export const roleDefaults = {
  provider: text
    .optional()
    .describe(
      'Who does the work: claude, codex, gemini, opencode, pi, agy, human, or a provider of mailroom.yaml.',
    ),
  fallback: z
    .array(text)
    .optional()
    .describe('Fallback providers, in this order, while those before them are rate limited.'),
  model: text.optional().describe("The model, as the provider's program names it."),
  capabilities: permissions.optional().describe('What the agent may do; default READ.'),
  timeout: duration
    .optional()
    .describe(
      'How long one turn may take, its gates and corrections included: 20m, 1h30m; of a role, default 2h.',
    ),
  idle_timeout: duration.optional().describe('How long a turn may run without any output.'),
  concurrency: wholeNumber(1).optional().describe('How many turns of the role may run at once; default 1.'),
  session: z
    .enum(['thread', 'fresh'])
    .optional()
    .describe("thread: the program's own session is resumed within a thread; fresh (default): never."),
  retries: wholeNumber(0).optional().describe('Further attempts after a failed one; default 2.'),
  budget: budget.optional().describe('What one turn may cost; a launch reserves it.'),
};

/** Whether processes have a network. */
export const network = z
  .boolean({ error: 'true or false' })
  .optional()
  .describe(
    'Whether its processes have a network; default true. A sandbox or a process namespace holds them to it.',
  );

/** Which worker hosts run something; see `WorkerNeeds`. */
export const onWorkers = z.union(
  [
    z.literal('workers'),
    z.strictObject({
      labels: z.array(name).min(1).describe('What a worker must have been started with: --labels linux,gpu.'),
    }),
  ],
  { error: 'workers, or { labels: [linux] }' },
);

/** Variables of an agent's environment, with literal values. */
export const environment = z
  .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'the name of a variable' }), z.string())
  .optional()
  .describe("Variables added to the agent's environment.");

/** Which parts of the agents' configuration an agent can use and write. */
export const agentConfiguration = {
  mcp: z
    .array(z.string().regex(/^[A-Za-z0-9_-]+$/, { error: 'the name of an MCP server' }))
    .optional()
    .describe('MCP servers of your own settings of its CLI that it may use; default: none.'),
  may_configure: z
    .boolean({ error: 'true or false' })
    .optional()
    .describe(
      'Whether it may write what configures agents in its workspace, such as `.claude`; default false.',
    ),
};

/** Limits on a thread and a day, each with a default. */
export const limits = z
  .strictObject({
    turns_per_thread: wholeNumber(1).optional().describe('Turns that a thread may take; default 40.'),
    tasks_per_hour: wholeNumber(1)
      .optional()
      .describe('Files that are accepted per hour from each inbox while agents run; default 200.'),
    corrections: wholeNumber(0).optional().describe('How often a turn may correct its messages; default 2.'),
    nesting: wholeNumber(0).optional().describe('How deep requests may lie within each other; default 3.'),
    budget: z
      .strictObject({
        thread: budget.optional().describe('What one thread may cost.'),
        day: budget.optional().describe('What all threads of one day may cost.'),
        alert: z
          .number({ error: 'a share such as 0.8' })
          .gt(0, { error: 'more than 0' })
          .max(1, { error: 'at most 1' })
          .optional()
          .describe('The share of a budget, such as 0.8, at which `user` gets a notice; default: none.'),
      })
      .meta({ title: 'budget of the limits' })
      .optional()
      .describe('Limits of money and tokens; every role then needs a budget of its own.'),
  })
  .meta({ title: 'limits' });
