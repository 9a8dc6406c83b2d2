import type * as z from 'zod';
import { agentsFile } from '../config/profiles.ts';
import { configFile } from '../config/schema.ts';
import { isJsonObject, type Json } from '../kernel/json.ts';
import type { LanguageEditor, NamePlace } from '../languages/shared/editor.ts';
import type { Languages, WorkflowLanguage } from '../languages/shared/workflow-language.ts';
import { overridesFile } from '../languages/swdl/overrides-schema.ts';
import { protocolFile } from '../mail/protocol/schema.ts';
import type { FileKind } from './kind.ts';

/** What an editor must know of one sort of file. */
export interface Grammar extends LanguageEditor {
  /** Of the language, or of the kind of file. */
  readonly name: string;
  readonly schema: z.core.$ZodType;
}

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
export function workflowGrammar(language: string, languages: Languages): Grammar | undefined {
  const found = languages.find(({ name }) => name === language);
  return found && ofLanguage(found);
}

function ofLanguage({ name, schema, editor }: WorkflowLanguage): Grammar {
  return { name, schema, ...editor };
}

/**
 * The grammar of a file with this value; of a workflow whose language is not clear yet, that of the
 * language with most of its signs, the first one if there are none.
 */
export function grammarOf(kind: Exclude<FileKind, 'message'>, value: Json, known: Languages): Grammar {
  if (kind !== 'workflow') return others[kind]();
  const file = isJsonObject(value) ? value : {};
  const { version: given } = file;
  const version = typeof given === 'string' || typeof given === 'number' ? String(given) : null;
  const near = known.find(({ signs }) => signs.some((fits) => fits(file, version)));
  const whole = known.find(({ signs }) => signs.every((fits) => fits(file, version)));
  return ofLanguage(whole ?? near ?? known[0]);
}
