import * as z from 'zod';
import type { Act } from '../../editing/graph/act.ts';
import type { FormField, Forms } from '../../editing/graph/forms.ts';
import { count, diagnostic, json, texts, version, type Of } from './common.ts';
import { overridden, promptContexts, shownParameters } from './workflows.ts';

const path = z.array(z.union([z.string(), z.int()]));
const place = z.tuple([z.number(), z.number()]);
const object = z.record(z.string(), json);

/** A change of a graph. */
export const actBody: z.ZodType<Act> = z.discriminatedUnion('do', [
  z.strictObject({
    do: z.literal('add'),
    kind: z.string(),
    id: z.string().exactOptional(),
    value: object.exactOptional(),
    needs: texts.exactOptional(),
    position: place.exactOptional(),
  }),
  z.strictObject({ do: z.literal('duplicate'), steps: texts }),
  z.strictObject({
    do: z.literal('paste'),
    language: z.string(),
    steps: z.array(z.strictObject({ id: z.string(), value: object })),
  }),
  z.strictObject({ do: z.literal('remove'), steps: texts, rewire: z.boolean().exactOptional() }),
  z.strictObject({ do: z.literal('rename'), step: z.string(), name: z.string() }),
  z.strictObject({ do: z.enum(['connect', 'disconnect']), from: z.string(), to: z.string() }),
  z.strictObject({ do: z.literal('move'), positions: z.record(z.string(), place) }),
  z.strictObject({ do: z.literal('arrange') }),
  z.strictObject({ do: z.literal('reorder'), step: z.string(), before: z.string().nullable() }),
  z.strictObject({ do: z.literal('use'), artifact: z.string(), step: z.string().nullable() }),
  z.strictObject({ do: z.literal('set'), path, value: json }),
  z.strictObject({ do: z.enum(['unset', 'swap']), path }),
]);

const position = place.nullable().describe('Null: where the layout puts it');

/** A text that is not saved, as a graph with its problems. */
export const composedDocument = z.strictObject({
  schema: version,
  refused: z.string().nullable().describe('Why the act was not done; null: it was, or there was none'),
  patches: z.array(z.strictObject({ from: count, to: count, insert: z.string() })),
  notes: texts.describe('What a person should know of the act, or of the data for the graph'),
  file: z.string(),
  ok: z.boolean().describe('False: it cannot be run'),
  language: z.string(),
  editable: z.boolean().describe('Whether acts can change its graph'),
  definition: json.describe('As written; null where its YAML cannot be read'),
  steps: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string().nullable(),
      kind: z.string(),
      path: path.nullable().describe('Null: the graph cannot change it'),
      lines: z.tuple([z.number(), z.number()]).nullable().describe('Its first and its last line'),
      badges: texts,
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
      implied: z.boolean().describe('It is not written in `depends_on`'),
    }),
  ),
  parameters: shownParameters.describe('What a run of it can be given; empty where there are errors'),
  promptContexts: promptContexts.describe('What prompts would have now, also where there are errors'),
  missing: texts.describe('What it refers to, does not exist, and can be written as a stub'),
  stored: z
    .strictObject({ text: z.string(), revision: z.string(), overridden })
    .nullable()
    .describe('The file, where no other text was given; null: one was'),
  problems: z.array(diagnostic.extend({ path, step: z.string().nullable() })),
});

/** Files that a stub was written to. */
export const stubsDocument = z.strictObject({ schema: version, written: texts });

const field: z.ZodType<FormField> = z.lazy(() =>
  z.strictObject({
    key: z.string(),
    control: z.enum(['text', 'lines', 'number', 'switch', 'choice', 'list', 'group', 'map', 'json']),
    choices: texts,
    required: z.boolean(),
    description: z.string().nullable(),
    usual: z.string().nullable().describe('What holds where it is not written'),
    names: z
      .enum(['step', 'parameter', 'artifact', 'role', 'type', 'agent', 'provider', 'file'])
      .nullable()
      .describe('What its value names'),
    fields: z.array(field),
  }),
);

/** The keys of the files and steps of a language. */
export const formsDocument: z.ZodType<Forms> = z.strictObject({
  kinds: z.array(
    z.strictObject({
      name: z.string(),
      canAdd: z.boolean().describe('Whether one can be added without more knowledge'),
      keys: texts.describe('What a step of it may have'),
    }),
  ),
  file: z.array(field),
  step: z.array(field),
});

export type Draft = Of<typeof composedDocument>;
export type WrittenStubs = Of<typeof stubsDocument>;
export type DraftProblem = Draft['problems'][number];
