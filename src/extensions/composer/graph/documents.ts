import * as z from 'zod';
import type { DocumentOf, Json } from '../../../kernel/json.ts';

const texts = z.array(z.string());
const json = z.any() as z.ZodType<Json>;
export const path = z.array(z.union([z.string(), z.int()]));
const place = z.tuple([z.number(), z.number()]);
const object = z.record(z.string(), json);

const copiedStep = z.strictObject({ id: z.string(), value: object });

/** What a person does to a graph, or in the form of a step. */
export const actBody = z.discriminatedUnion('do', [
  z
    .strictObject({
      do: z.literal('add'),
      kind: z.string(),
      id: z.string().exactOptional(),
      value: object.exactOptional(),
      needs: texts.exactOptional(),
      position: place.exactOptional(),
    })
    .describe('A new step of a kind, or with this value'),
  z.strictObject({ do: z.literal('duplicate'), steps: texts }),
  z.strictObject({
    do: z.literal('paste'),
    language: z.string().describe('Of the workflow in which they were copied'),
    steps: z.array(copiedStep),
  }),
  z.strictObject({
    do: z.literal('remove'),
    steps: texts,
    rewire: z.boolean().exactOptional().describe('Their dependents depend on their dependencies instead'),
  }),
  z.strictObject({ do: z.literal('rename'), step: z.string(), name: z.string() }),
  z.strictObject({ do: z.enum(['connect', 'disconnect']), from: z.string(), to: z.string() }),
  z.strictObject({ do: z.literal('move'), positions: z.record(z.string(), place) }),
  z.strictObject({ do: z.literal('arrange') }).describe('Places all steps automatically'),
  z.strictObject({
    do: z.literal('reorder'),
    step: z.string(),
    before: z.string().nullable().describe('Null: the step goes to the end of the file'),
  }),
  z.strictObject({
    do: z.literal('use'),
    artifact: z.string().describe('Such as `skill:search`'),
    step: z.string().nullable().describe('Null: a module for all stages'),
  }),
  z
    .strictObject({ do: z.literal('set'), path, value: json })
    .describe('Missing mappings above the path are added'),
  z
    .strictObject({ do: z.enum(['unset', 'swap']), path })
    .describe(
      '`unset`: mappings above the path that become empty are removed, too, up to that of the step. `swap`: the item of a list changes places with the one before it',
    ),
]);

const position = place.nullable().describe('Null: where the layout puts it');

/** The graph of a file as the file says it. */
export const draftGraph = z.strictObject({
  steps: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string().nullable().describe('What people call it; null: nothing else than its id'),
      kind: z.string(),
      path: path.nullable().describe('Null: the graph cannot change it'),
      lines: z.tuple([z.number(), z.number()]).nullable().describe('Its first and its last line'),
      badges: texts.describe('What a glance should see, such as `retry` or `timeout 10m`'),
      condition: z.string().nullable(),
      position,
      color: z.string().nullable(),
      icon: z.string().nullable(),
    }),
  ),
  edges: z.array(
    z.strictObject({
      from: z.string(),
      to: z.string(),
      when: z.string().nullable(),
      implied: z
        .boolean()
        .describe('It is not written in `depends_on`, but follows from the order or from a transition'),
    }),
  ),
  notes: texts.describe('What a person should know of the act, or of the data for the graph'),
});

const field = z.strictObject({
  key: z.string(),
  control: z
    .enum(['text', 'lines', 'number', 'switch', 'choice', 'list', 'group', 'map', 'json'])
    .describe('`lines`: a long string; `list`: one item a line; `map`: by names; `json`: as JSON'),
  choices: texts,
  required: z.boolean(),
  description: z.string().nullable(),
  usual: z.string().nullable().describe('What holds where it is not written'),
  names: z
    .enum(['step', 'parameter', 'artifact', 'role', 'type', 'agent', 'provider', 'file'])
    .nullable()
    .describe('What its value names'),
  get fields() {
    return z.array(field);
  },
});

/** The keys of the files and steps of a language. */
export const formsDocument = z.strictObject({
  kinds: z.array(
    z.strictObject({
      name: z.string(),
      canAdd: z.boolean().describe('Whether one can be added without more knowledge'),
      keys: texts.describe('What a step of it may have'),
      often: texts.describe('Those that it mostly needs, at most five'),
    }),
  ),
  often: texts.describe('The keys that a file mostly needs, at most five'),
  file: z.array(field),
  step: z.array(field),
});

export type Act = DocumentOf<typeof actBody>;
export type CopiedStep = DocumentOf<typeof copiedStep>;
export type DraftGraph = DocumentOf<typeof draftGraph>;
export type DraftStep = DraftGraph['steps'][number];
export type Forms = DocumentOf<typeof formsDocument>;
export type FormField = DocumentOf<typeof field>;
