import * as z from 'zod';
import type { LanguageEditor } from '../shared/editor.ts';
import { nipLanguage, nipVocabulary } from './vocabulary.ts';

/**
 * A word of a tag. An unquoted one may be a number or a boolean in YAML: its source text counts.
 */
const word = z.union([z.string(), z.number(), z.boolean()], { error: 'a string' });

const tag = z
  .array(word, { error: 'a tag: a list of strings' })
  .min(1, { error: 'a tag with a name: a list of at least one string' });

/** A definition of a workflow as a Nostr event, signed or unsigned. */
export const definitionEvent = z
  .strictObject({
    kind: z.literal(30_920).describe('Workflow definition.'),
    tags: z
      .array(tag, { error: 'a list of tags' })
      .describe('d, name, version, step, edge, input and output.'),
    content: z.string().optional().describe('What the workflow does, for people and agents.'),
    id: z.string().optional().describe('The hash of the event.'),
    pubkey: z.string().optional().describe('Who signed it.'),
    created_at: z.int().optional().describe('When, in seconds since 1970.'),
    sig: z.string().optional().describe('The signature. An event that has one must verify.'),
  })
  .meta({ title: 'workflow definition' });

export const nipEditor: LanguageEditor = {
  names: [
    { kind: 'step', path: /^tags\/\d+\/1$/, tag: 'step', defines: true },
    { kind: 'step', path: /^tags\/\d+\/[12]$/, tag: 'edge' },
    { kind: 'parameter', path: /^tags\/\d+\/1$/, tag: 'input', defines: true },
  ],
  expressions: { opening: '$', language: nipLanguage, vocabulary: nipVocabulary, bare: null },
  graph: null,
};
