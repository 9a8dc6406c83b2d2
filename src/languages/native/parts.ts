import { currencyName } from '../../kernel/money.ts';
import * as z from 'zod';
import { name, text, tokens, wholeNumber } from '../../yaml/schema.ts';

/*
 * Small parts of the native schema. As in the other schemas, every `error` completes "`key` must be
 * …".
 */

export const variableName = z
  .string({ error: 'the name of a variable' })
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'the name of a variable' });

const scalar = z.union([z.string(), z.number(), z.boolean()], { error: 'a string, a number, true or false' });

/** Environment variables of processes; other scalars are converted to strings. */
export const variables = z.record(variableName, scalar);

/** A literal path, without expressions; a separate check ensures that it stays inside. */
export const literalPath = text.refine((path) => !path.includes('${{'), {
  error: 'a path as it is: expressions are not read here',
});

const types = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'any'] as const;

interface ValueTypeInput {
  type?: (typeof types)[number] | undefined;
  items?: ValueTypeInput | undefined;
  enum?: z.output<ReturnType<typeof z.json>>[] | undefined;
  required?: boolean | undefined;
  default?: z.output<ReturnType<typeof z.json>> | undefined;
  pattern?: string | undefined;
  description?: string | undefined;
}

/** The constraints of a value. */
const shape = {
  items: z
    .lazy(() => valueType)
    .optional()
    .describe('The type of the items, as a mapping: `{ type: string }`.'),
  enum: z
    .array(z.json())
    .min(1, { error: 'a list of at least one value' })
    .optional()
    .describe('The values that are allowed.'),
  pattern: text.optional().describe('A pattern (RE2) that a string must match.'),
};

/**
 * Created anew for each use: a schema used twice becomes a shared definition in the generated JSON
 * Schema.
 */
const valueKeys = () => ({
  type: z.enum(types).optional().describe('What the value is; default string.'),
  ...shape,
  required: z.boolean().optional().describe('Whether it must be given; default false.'),
  default: z.json().optional().describe('What holds where nothing is given.'),
  description: text.optional().describe('Its meaning, for the person or agent who provides it.'),
});

/** The type of a parameter. */
export const valueType: z.ZodType<ValueTypeInput, ValueTypeInput> = z
  .strictObject(valueKeys())
  .meta({ title: 'type' });

/** The type of a step's output value. */
export const madeValue = z
  .strictObject({
    ...valueKeys(),
    answer: z
      .boolean()
      .optional()
      .describe("Whether the worker's final text is it, read as JSON where it is JSON; default false."),
  })
  .meta({ title: 'handed-over value' });

/** The budget of one run of a worker. */
export const workBudget = z
  .strictObject({
    usd: z.number().min(0, { error: 'at least 0' }).optional().describe('Dollars.'),
    tokens: tokens.optional().describe('Tokens of both directions: 4000, 400k, 2M.'),
    [currencyName]: wholeNumber(0)
      .optional()
      .describe(`Of a run with a budget in ${currencyName}, the most that it is given.`),
  })
  .meta({ title: 'budget' })
  .transform(({ usd = null, tokens: both = null, [currencyName]: units }) => ({
    usd,
    tokens: both,
    ...(units === undefined ? {} : { units }),
  }));

/** A value passed to an agent's prompt. */
export const taken = z
  .strictObject({
    value: z.string().optional().describe('Its value: one expression, or a string with expressions.'),
    log: name.optional().describe('Instead of a value: the step the end of whose words it gets.'),
    type: z.enum(types).optional().describe('What the value must be; default anything.'),
    ...shape,
    required: z.boolean().optional().describe('Whether the step fails without it; default false.'),
    description: text.optional().describe('What it means, for the agent.'),
  })
  .meta({ title: 'prompt input' });

export type TakenInput = z.output<typeof taken>;
export type { ValueTypeInput };
