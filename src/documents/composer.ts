import * as z from 'zod';
import type { DocumentOf } from '../kernel/json.ts';
import { actBody, draftGraph, formsDocument, path } from '../editing/graph/documents.ts';
import { count, diagnostic, json, texts, version } from './common.ts';
import { promptContexts } from '../languages/shared/prompt-contexts.ts';
import { overridden, shownParameters } from './workflows.ts';

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

export type Draft = DocumentOf<typeof composedDocument>;
export type WrittenStubs = DocumentOf<typeof stubsDocument>;
export type DraftProblem = Draft['problems'][number];
