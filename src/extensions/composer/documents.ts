import * as z from 'zod';
import type { Completion } from '../../editing/cursor.ts';
import { capabilities } from '../../kernel/capabilities.ts';
import type { DocumentOf } from '../../kernel/json.ts';
import { artifactKinds, type Artifact } from '../../languages/shared/artifacts.ts';
import { actBody, draftGraph, formsDocument, path } from './graph/documents.ts';
import { count, diagnostic, json, texts, version } from '../../documents/common.ts';
import { promptContexts } from '../../languages/shared/prompt-contexts.ts';
import { overridden, shownParameters } from '../../documents/workflows.ts';

export { actBody, formsDocument };

/** A text that is not saved, as a graph with its problems. */
export const composedDocument = z.strictObject({
  schema: version,
  refused: z.string().nullable().describe('Why the act was not done; null: it was, or there was none'),
  patches: z.array(z.strictObject({ from: count, to: count, insert: z.string() })),
  file: z.string(),
  ok: z.boolean().describe('False: it cannot be run'),
  language: z.string(),
  editable: z.boolean().describe('Whether acts can change its graph'),
  definition: json.describe('As written; null where its YAML cannot be read'),
  ...draftGraph.shape,
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

/** What stages can name. */
export const artifactsDocument = z.array(
  z.strictObject({
    ref: z.string().describe('As a stage names it; of a memory, its file'),
    kind: z.enum(artifactKinds),
    name: z.string(),
    description: z.string().nullable(),
    file: z.string().nullable().describe('Null: it has no file of its own'),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    capabilities: z.array(z.enum(capabilities)),
    ok: z.boolean(),
    problem: z.string().nullable().describe('Why it cannot be used'),
  }),
) satisfies z.ZodType<readonly Artifact[]>;

const completion = z.strictObject({
  label: z.string(),
  kind: z.enum(['key', 'value', 'step', 'name', 'function', 'file']),
  description: z.string().nullable(),
  insert: z.string().describe('What replaces `typed`'),
  typed: z.string().describe('The characters before the offset that it replaces'),
}) satisfies z.ZodType<Completion>;

/** What may stand at a place of its text. */
export const completionsDocument = z.strictObject({ schema: version, completions: z.array(completion) });

export type Draft = DocumentOf<typeof composedDocument>;
export type WrittenStubs = DocumentOf<typeof stubsDocument>;
export type DraftProblem = Draft['problems'][number];
export type CompletionsDocument = DocumentOf<typeof completionsDocument>;
