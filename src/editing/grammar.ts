import type * as z from 'zod';
import { agentsFile } from '../config/profiles.ts';
import { configFile } from '../config/schema.ts';
import type { Language } from '../expressions/language.ts';
import { isJsonObject, type Json } from '../kernel/json.ts';
import { languages } from '../languages/languages.ts';
import { nativeFile } from '../languages/native/schema.ts';
import { nativeVocabulary } from '../languages/native/vocabulary.ts';
import { definitionEvent } from '../languages/nip/schema.ts';
import { nipLanguage, nipVocabulary } from '../languages/nip/vocabulary.ts';
import { orchestrateFile } from '../languages/orchestrate/schema.ts';
import {
  orchestrateLanguage,
  orchestrateVocabulary,
  specialTargets,
} from '../languages/orchestrate/vocabulary.ts';
import { languageAt, swdlVocabulary } from '../languages/swdl/language.ts';
import { overridesFile } from '../languages/swdl/overrides-schema.ts';
import { swdlFile } from '../languages/swdl/schema.ts';
import { protocolFile } from '../mail/protocol/schema.ts';
import type { Vocabulary } from '../workflow/check/vocabulary.ts';
import { insideLoop, insideRound, nativeLanguage } from '../workflow/machine/language.ts';
import { stagesLayout, stepsLayout, type Layout } from './graph/layout.ts';
import type { FileKind } from './kind.ts';

/** What a name in a file is a name of. */
export type NameKind = 'step' | 'parameter' | 'artifact' | 'role' | 'type' | 'agent' | 'provider' | 'file';

/** Where names of a kind stand, by paths such as `steps/build/depends_on/0`. */
export interface NamePlace {
  readonly kind: NameKind;
  readonly path: RegExp;
  /** The name is the key at the end of the path, not the value. */
  readonly isKey?: true;
  readonly defines?: true;
  /** Only in lists that begin with this word. */
  readonly tag?: string;
  /** Words that are allowed here and are no names of the file. */
  readonly also?: readonly string[];
}

/** What an editor must know of one sort of file. */
export interface Grammar {
  /** Of the language, or of the kind of file. */
  readonly name: string;
  readonly schema: z.core.$ZodType;
  readonly names: readonly NamePlace[];
  /** Null: its strings have no expressions. */
  readonly expressions: Expressions | null;
  /** Null: a person changes its steps in the text only. */
  readonly graph: Layout | null;
}

interface Expressions {
  readonly opening: '${{' | '${' | '$';
  readonly language: Language;
  readonly vocabulary: Vocabulary;
  /** Keys whose strings are expressions without an opening. */
  readonly bare: RegExp | null;
}

const native: Grammar = {
  name: 'native',
  schema: nativeFile,
  names: [
    { kind: 'step', path: /^(?:.*\/(?:for_each|while)\/)?steps\/[^/]+$/, isKey: true, defines: true },
    { kind: 'step', path: /\/depends_on\/\d+(?:\/step)?$/ },
    { kind: 'step', path: /\/inputs\/\d+\/from$/ },
    { kind: 'step', path: /\/next\/(?:success|failure|timeout)$/ },
    { kind: 'step', path: /\/for_each\/gives$/ },
    { kind: 'step', path: /^branch_transition_step$|^branch\/after$/ },
    { kind: 'artifact', path: /\/outputs\/\d+\/name$/, defines: true },
    { kind: 'artifact', path: /\/inputs\/\d+\/artifact$/ },
    { kind: 'parameter', path: /^parameters\/[^/]+$/, isKey: true, defines: true },
    { kind: 'role', path: /\/role(?:\/\d+)?$/ },
    { kind: 'agent', path: /\/agent$/ },
    { kind: 'provider', path: /\/provider$/ },
    { kind: 'file', path: /\/workflow$/ },
  ],
  expressions: {
    opening: '${{',
    language: insideRound(insideLoop(nativeLanguage, 'item')),
    vocabulary: nativeVocabulary,
    bare: /\/(?:when|condition|items|filter)$/,
  },
  graph: stepsLayout,
};

const orchestrate: Grammar = {
  name: 'orchestrate',
  schema: orchestrateFile,
  names: [
    { kind: 'step', path: /(?:^|\/)steps\/\d+\/name$/, defines: true },
    { kind: 'step', path: /\/on\/(?:success|failure|timeout)\/goto$/, also: specialTargets },
    { kind: 'step', path: /\/(?:step_ok|exit_code\/step)$/ },
  ],
  expressions: {
    opening: '${',
    language: orchestrateLanguage,
    vocabulary: orchestrateVocabulary,
    bare: null,
  },
  graph: null,
};

const swdl: Grammar = {
  name: 'swdl',
  schema: swdlFile,
  names: [
    { kind: 'step', path: /^stages\/\d+\/id$/, defines: true },
    { kind: 'step', path: /^stages\/\d+\/depends_on\/\d+$/ },
    { kind: 'parameter', path: /^config\/parameters\/[^/]+$/, isKey: true, defines: true },
  ],
  expressions: {
    opening: '${{',
    language: languageAt({ item: true }),
    vocabulary: swdlVocabulary,
    bare: /\/condition$/,
  },
  graph: stagesLayout,
};

const nip: Grammar = {
  name: 'nip',
  schema: definitionEvent,
  names: [
    { kind: 'step', path: /^tags\/\d+\/1$/, tag: 'step', defines: true },
    { kind: 'step', path: /^tags\/\d+\/[12]$/, tag: 'edge' },
    { kind: 'parameter', path: /^tags\/\d+\/1$/, tag: 'input', defines: true },
  ],
  expressions: { opening: '$', language: nipLanguage, vocabulary: nipVocabulary, bare: null },
  graph: null,
};

const protocol: Grammar = {
  name: 'protocol',
  schema: protocolFile,
  names: [
    { kind: 'role', path: /^roles\/[^/]+$/, isKey: true, defines: true },
    { kind: 'role', path: /^messages\/[^/]+\/(?:from|to)(?:\/(?:all\/)?\d+)?$|\/escalate_to$|^start\/to$/ },
    { kind: 'role', path: /^expects\/[^/]+$/, isKey: true },
    { kind: 'type', path: /^messages\/[^/]+$/, isKey: true, defines: true },
    { kind: 'type', path: /^messages\/[^/]+\/reply(?:\/\d+)?$|^start\/type$/ },
    { kind: 'type', path: /(?:^|\/)expects\/(?:[^/]+\/)?\d+\/(?:any|all)(?:\/\d+)?$/ },
    { kind: 'agent', path: /^roles\/[^/]+\/agent$/ },
    { kind: 'provider', path: /^roles\/[^/]+\/(?:provider|fallback\/\d+)$/ },
    { kind: 'file', path: /^extends(?:\/\d+)?$/ },
  ],
  expressions: null,
  graph: null,
};

const agentNames: readonly NamePlace[] = [
  { kind: 'agent', path: /^agents\/[^/]+$/, isKey: true, defines: true },
  { kind: 'provider', path: /^(?:defaults|agents\/[^/]+)\/(?:provider|fallback\/\d+)$/ },
];

/** By the names of the languages. */
const workflows: Readonly<Record<string, Grammar>> = { native, orchestrate, swdl, nip };

const others: Readonly<Record<Exclude<FileKind, 'workflow' | 'message'>, () => Grammar>> = {
  protocol: () => protocol,
  settings: () => ({
    name: 'settings',
    schema: configFile,
    names: agentNames,
    expressions: null,
    graph: null,
  }),
  agents: () => ({ name: 'agents', schema: agentsFile, names: agentNames, expressions: null, graph: null }),
  overrides: () => ({
    name: 'overrides',
    schema: overridesFile(),
    names: [],
    expressions: null,
    graph: null,
  }),
};

/** The front matter of a message. */
export const messageGrammar: Pick<Grammar, 'names' | 'expressions'> = {
  names: [
    { kind: 'type', path: /^type$/ },
    { kind: 'role', path: /^(?:from|to(?:\/\d+)?)$/ },
  ],
  expressions: null,
};

/** The grammar of a workflow language by its name; undefined: there is none. */
export function workflowGrammar(language: string): Grammar | undefined {
  return Object.hasOwn(workflows, language) ? workflows[language] : undefined;
}

/**
 * The grammar of a file with this value; of a workflow whose language is not clear yet, that of the
 * language with most of its signs, the native one first.
 */
export function grammarOf(kind: Exclude<FileKind, 'message'>, value: Json): Grammar {
  if (kind !== 'workflow') return others[kind]();
  const file = isJsonObject(value) ? value : {};
  const { version: given } = file;
  const version = typeof given === 'string' || typeof given === 'number' ? String(given) : null;
  const near = languages.filter(({ signs }) => signs.some((fits) => fits(file, version)));
  const whole = languages.find(({ signs }) => signs.every((fits) => fits(file, version)));
  return workflows[(whole ?? near[0])?.name ?? 'native'] ?? native;
}
