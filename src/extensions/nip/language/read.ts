import type { WorkflowLanguage } from '../../../languages/shared/workflow-language.ts';
import type { Diagnostic } from '../../../kernel/diagnostic.ts';
import { isJsonObject, type Json } from '../../../kernel/json.ts';
import { didYouMean } from '../../../kernel/nearest.ts';
import type { ValueType, Workflow } from '../../../workflow/model.ts';
import { checkShape } from '../../../yaml/issues.ts';
import type { YamlDocument } from '../../../yaml/yaml.ts';
import { Diagnostics } from '../../../languages/shared/diagnostics.ts';
import type { LanguageContext } from '../../../languages/shared/context.ts';
import { readGraph } from './graph.ts';
import { lower, makersOf, type Definition } from './lower.ts';
import { readStep, type StepTag } from './steps.ts';
import { expectLength, oneOf, readTags, single, wordAt, wordsOf, type Tag } from './tags.ts';
import * as z from 'zod';
import type { LanguageEditor } from '../../../languages/shared/editor.ts';
import type { Language } from '../../../expressions/language.ts';
import type { Vocabulary } from '../../../workflow/check/vocabulary.ts';
import { commonFunctions } from '../../../expressions/functions.ts';

/** The syntax of lowered conditions and inputs: paths of the engine with case-sensitive names. */
const nipLanguage: Language = {
  namespaces: ['parameters', 'steps'],
  functions: commonFunctions,
  comparing: 'exact',
  results: null,
  dollar: true,
  doubleQuotes: true,
};

/** The terms of this language for the parts of every workflow. */
const nipVocabulary: Vocabulary = {
  isTranslated: true,
  step: 'step',
  parameter: 'input',
  value: 'output',
  steps: 'steps',
  properties: { values: 'values' },
  statuses: [],
  failures: [],
  namespaces: {},
  ends: [],
  absent: null,
  spell: ([namespace, ...words]) =>
    namespace === 'parameters' ? ['$input', ...words].join('.') : `$${words.slice(2).join('.')}`,
  hints: {
    literal: '$output',
    whole: null,
    order: (step, target) => `edges must lead from \`${target}\` to \`${step}\``,
    cycle: 'each waits for the next: remove an edge; let a role repeat what is to be repeated',
    later: (step) => `no edge can lead back to \`${step}\`: read something else`,
    afterLoop: () => '',
    env: '',
    continues: 'policy:skip',
    enums: null,
    gives: () => null,
    leaving: '',
    targets: [],
  },
};

/**
 * A word of a tag. An unquoted one may be a number or a boolean in YAML: its source text counts.
 */
const word = z.union([z.string(), z.number(), z.boolean()], { error: 'a string' });

const tagWords = z
  .array(word, { error: 'a tag: a list of strings' })
  .min(1, { error: 'a tag with a name: a list of at least one string' });

/** A definition of a workflow as a Nostr event, signed or unsigned. */
const definitionEvent = z
  .strictObject({
    kind: z.literal(30_920).describe('Workflow definition.'),
    tags: z
      .array(tagWords, { error: 'a list of tags' })
      .describe('d, name, version, step, edge, input and output.'),
    content: z.string().optional().describe('What the workflow does, for people and agents.'),
    id: z.string().optional().describe('The hash of the event.'),
    pubkey: z.string().optional().describe('Who signed it.'),
    created_at: z.int().optional().describe('When, in seconds since 1970.'),
    sig: z.string().optional().describe('The signature. An event that has one must verify.'),
  })
  .meta({ title: 'workflow definition' });

const nipEditor: LanguageEditor = {
  names: [
    { kind: 'step', path: /^tags\/\d+\/1$/, tag: 'step', defines: true },
    { kind: 'step', path: /^tags\/\d+\/[12]$/, tag: 'edge' },
    { kind: 'parameter', path: /^tags\/\d+\/1$/, tag: 'input', defines: true },
  ],
  expressions: { opening: '$', language: nipLanguage, vocabulary: nipVocabulary, bare: null },
  graph: null,
};

/** All problems of a definition of the language nip, and its valid parts. */
function readNip(
  document: YamlDocument,
  context: LanguageContext,
): { readonly workflow: Workflow | null; readonly problems: readonly Diagnostic[] } {
  const shape = checkShape(definitionEvent, document);
  const diagnostics = new Diagnostics(document);
  if (!context.nip.enabled)
    diagnostics.error(
      'E_WORKFLOW',
      ['kind'],
      'workflows of the language nip are switched off',
      'see `nip: { enabled }` in mailroom.yaml',
    );
  // An invalid tag was reported; the others keep their positions.
  const given = isJsonObject(document.value) ? document.value : {};
  const tags = readTags(wordsOf(given['tags'], document), diagnostics);
  const content = typeof given['content'] === 'string' ? given['content'] : '';
  const definition = definitionOf(tags, content, areTags(given['tags']), context, diagnostics);
  const workflow = lower(definition, context, diagnostics);
  const known = new Set(definition.steps.map(({ id }) => id));
  diagnostics.check(workflow, context, {
    broken: new Set(idsOf(tags, 'step').filter((id) => !known.has(id))),
    isOrderUnknown: definition.graph.isOrderUnknown,
    brokenParameters: new Set(idsOf(tags, 'input')),
    language: nipLanguage,
    vocabulary: nipVocabulary,
  });
  return { workflow, problems: [...shape.problems, ...diagnostics.problems] };
}

/** The ids of all tags of a name, including those that could not be read. */
function idsOf(tags: readonly Tag[], kind: string): string[] {
  return tags.flatMap(({ name, words }) => (name === kind ? words.slice(0, 1) : []));
}

/** Whether the kind of each tag is known: an invalid tag may have been of any kind. */
function areTags(tags: Json | undefined): boolean {
  return Array.isArray(tags) && tags.every((tag) => Array.isArray(tag) && tag.length > 0);
}

function definitionOf(
  tags: readonly Tag[],
  content: string,
  isWhole: boolean,
  { nip }: LanguageContext,
  diagnostics: Diagnostics,
): Definition {
  const written = tags.filter(({ name }) => name === 'step');
  const steps = distinct(
    written.flatMap((tag) => readStep(tag, diagnostics) ?? []),
    diagnostics,
  );
  if (written.length === 0 && isWhole)
    diagnostics.error(
      'E_MISSING_KEY',
      ['tags'],
      'there is no step',
      'add ["step", "<id>", "<kind>", "output:<name>"]',
      'key',
    );
  if (written.length > nip.maxSteps) {
    const message = `it has ${String(written.length)} steps, and at most ${String(nip.maxSteps)} are allowed`;
    diagnostics.error(
      'E_WORKFLOW',
      written[nip.maxSteps]!.path,
      message,
      '`nip: { maxSteps }` in mailroom.yaml allows more',
    );
  }
  const id = single(tags, 'd', diagnostics) ?? '';
  const broken = steps.length < written.length || !isWhole;
  return {
    id,
    name: single(tags, 'name', diagnostics) ?? id,
    version: single(tags, 'version', diagnostics) ?? '1.0.0',
    content,
    steps,
    inputs: readInputs(tags, diagnostics),
    outputs: readOutputs(tags, steps, broken, diagnostics),
    graph: readGraph(tags, steps, broken, diagnostics),
  };
}

/** The first step with each id. */
function distinct(steps: readonly StepTag[], diagnostics: Diagnostics): StepTag[] {
  const seen = new Set<string>();
  return steps.filter(({ id, path }) => {
    if (seen.has(id))
      diagnostics.error('E_DUPLICATE', [...path, 1], `two steps are called \`${id}\``, 'give one another id');
    const isNew = !seen.has(id);
    seen.add(id);
    return isNew;
  });
}

const types = ['string', 'number', 'boolean', 'object'] as const;
const inputName = /^[A-Za-z_][\w-]*$/;

function readInputs(tags: readonly Tag[], diagnostics: Diagnostics): Record<string, ValueType> {
  const inputs = new Map<string, ValueType>();
  for (const tag of tags) {
    if (tag.name !== 'input' || !expectLength(tag, 2, 3, diagnostics)) continue;
    const [name = '', , required] = tag.words;
    if (!inputName.test(name)) {
      const hint = 'a letter or `_`, then letters, digits, `_` and `-`';
      diagnostics.error('E_VALUE', wordAt(tag, 0), `\`${name}\` cannot be the name of an input`, hint);
      continue;
    }
    if (inputs.has(name))
      diagnostics.error(
        'E_DUPLICATE',
        wordAt(tag, 0),
        `two inputs are called \`${name}\``,
        'give one another name',
      );
    const type = oneOf(tag, 1, 'type of an input', types, diagnostics) ?? 'string';
    const isRequired =
      required !== undefined &&
      oneOf(tag, 2, 'word for whether it is required', ['true', 'false'], diagnostics) === 'true';
    inputs.set(name, { type, items: null, enum: null, required: isRequired, description: null });
  }
  return Object.fromEntries(inputs);
}

function readOutputs(
  tags: readonly Tag[],
  steps: readonly StepTag[],
  broken: boolean,
  diagnostics: Diagnostics,
): string[] {
  const made = makersOf({ steps });
  return tags.flatMap((tag): string[] => {
    if (tag.name !== 'output' || !expectLength(tag, 1, 2, diagnostics)) return [];
    const [name = ''] = tag.words;
    if (made.has(name)) return [name];
    if (!broken)
      diagnostics.error(
        'E_UNKNOWN_NAME',
        wordAt(tag, 0),
        `no step makes \`${name}\``,
        didYouMean(name, made.keys()),
      );
    return [];
  });
}

/** Definitions as Nostr events. */
export const nip: WorkflowLanguage = {
  name: 'nip',
  signs: [({ kind }) => kind === 30_920],
  sign: '`kind: 30920`',
  read: readNip,
  schema: definitionEvent,
  editor: nipEditor,
};
