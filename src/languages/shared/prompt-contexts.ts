import * as z from 'zod';
import type { DocumentOf } from '../../kernel/json.ts';

const memories = z.array(
  z.strictObject({
    file: z.string(),
    category: z.string().nullable(),
    confidence: z.number(),
    tokens: z.int().min(0).describe('An estimate'),
  }),
);

/** What the prompts of steps have besides instructions and inputs, as the files are now. */
export const promptContexts = z.array(
  z.strictObject({
    step: z.string().nullable().describe('Null: every step that says nothing else'),
    modules: z.array(
      z.strictObject({
        name: z.string(),
        file: z.string().nullable().describe('Null: it does not exist'),
        from: z.enum(['workflow', 'step', 'both']).describe('Who names it; the prompt has it once'),
      }),
    ),
    memory: z
      .strictObject({
        scope: z.string(),
        minConfidence: z.number(),
        categories: z.array(z.string()).nullable().describe('Null: all'),
        maxTokens: z.int().min(0),
        packed: memories.describe('Those that a prompt has now, the most confident first'),
        noRoom: memories.describe('Those that match, and are left out for their size'),
      })
      .nullable()
      .describe('Null: no memories are selected'),
  }),
);

export type PromptContext = DocumentOf<typeof promptContexts>[number];
export type FoundMemory = DocumentOf<typeof memories>[number];

/** The selection of memories for a prompt. */
export type MemoryQuery = Omit<NonNullable<PromptContext['memory']>, 'packed' | 'noRoom'>;
