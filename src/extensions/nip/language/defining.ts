import { kinds, type EventTemplate } from '../letters/nostr-event.ts';

/** The arguments of the tool `define_workflow`. */
export interface NewDefinition {
  /** The tag `d`; missing: derived from the name. */
  readonly id?: string | undefined;
  readonly name: string;
  readonly version?: string | undefined;
  readonly description?: string | undefined;
  readonly steps: readonly NewStep[];
  readonly edges?: readonly NewEdge[] | undefined;
  readonly inputs?: readonly NewInput[] | undefined;
  /** Missing: the outputs of the last steps. */
  readonly outputs?: readonly NewOutput[] | undefined;
}

interface NewStep {
  readonly id: string;
  readonly agentKind: number;
  /** Sources, with or without the prefix `input:`. */
  readonly inputMapping?: string | readonly string[] | undefined;
  readonly outputName: string;
  /** Seconds. */
  readonly timeout?: number | undefined;
  readonly errorPolicy?: string | undefined;
  readonly maxRetries?: number | undefined;
  /** Thousandths of a satoshi. */
  readonly maxBudget?: number | undefined;
}

interface NewEdge {
  readonly from: string;
  readonly to: string;
  readonly condition?: string | undefined;
}

interface NewInput {
  readonly name: string;
  readonly type: string;
  readonly required?: boolean | undefined;
}

interface NewOutput {
  readonly name: string;
  readonly type?: string | undefined;
}

/** A word of a tag, and the tool argument that it was made of. */
export interface DefinitionWord {
  readonly text: string;
  /** `steps[0].inputMapping`; for the name of a tag the argument of the whole tag: `steps[0]`. */
  readonly argument: string;
  /** The number of characters in the word before the argument's value. */
  readonly before: number;
}

/** The definition as an unsigned event. The language's reader decides whether it can run. */
export function definitionTemplate(asked: NewDefinition, at: number): EventTemplate {
  return {
    kind: kinds.definition,
    created_at: Math.floor(at / 1_000),
    tags: definitionWords(asked).map((tag) => tag.map(({ text }) => text)),
    content: asked.description ?? '',
  };
}

/** The tags of a definition, word by word. */
export function definitionWords(asked: NewDefinition): DefinitionWord[][] {
  const { id, name, version = '1.0.0', steps, edges = [], inputs = [] } = asked;
  const outputs = asked.outputs ?? lastOutputs(steps, edges);
  return [
    tagWords('d', id === undefined ? 'name' : 'id', { '': definitionId(asked) }),
    tagWords('name', 'name', { '': name }),
    tagWords('version', 'version', { '': version }),
    ...steps.map((step, index) => stepTag(step, `steps[${String(index)}]`)),
    ...edges.map(({ from, to, condition = 'always' }, index) =>
      tagWords('edge', `edges[${String(index)}]`, { '.from': from, '.to': to, '.condition': condition }),
    ),
    ...inputs.map(({ name: input, type, required = false }, index) =>
      tagWords('input', `inputs[${String(index)}]`, {
        '.name': input,
        '.type': type,
        '.required': String(required),
      }),
    ),
    ...outputs.map(({ name: output, type = 'any' }, index) =>
      tagWords('output', `outputs[${String(index)}]`, { '.name': output, '.type': type }),
    ),
  ];
}

/** A tag made of one argument, each word of one of its parts. */
function tagWords(name: string, argument: string, parts: Readonly<Record<string, string>>): DefinitionWord[] {
  const words = Object.entries(parts);
  return [word('', argument, name), ...words.map(([part, text]) => word(text, `${argument}${part}`))];
}

function word(text: string, argument: string, prefix = ''): DefinitionWord {
  return { text: `${prefix}${text}`, argument, before: prefix.length };
}

/** The event as text, one tag per line, so that its problems are reported with their places. */
export function definitionText({ kind, created_at: at, tags, content }: EventTemplate): string {
  const lines = tags.map((tag) => `    ${JSON.stringify(tag)}`).join(',\n');
  const rest = `  "created_at": ${String(at)},\n  "content": ${JSON.stringify(content)}`;
  return `{\n  "kind": ${String(kind)},\n  "tags": [\n${lines}\n  ],\n${rest}\n}\n`;
}

function stepTag(step: NewStep, argument: string): DefinitionWord[] {
  const { inputMapping = [], timeout, errorPolicy, maxRetries, maxBudget } = step;
  const sources =
    typeof inputMapping === 'string'
      ? [['', inputMapping] as const]
      : inputMapping.map((source, index) => [`[${String(index)}]`, source] as const);
  const options = [
    ['timeout:', 'timeout', timeout],
    ['policy:', 'errorPolicy', errorPolicy],
    ['retries:', 'maxRetries', maxRetries],
    ['budget:', 'maxBudget', maxBudget],
  ] as const;
  return [
    ...tagWords('step', argument, { '.id': step.id, '.agentKind': String(step.agentKind) }),
    ...sources.map(([at, source]) =>
      word(source, `${argument}.inputMapping${at}`, source.startsWith('input:') ? '' : 'input:'),
    ),
    word(step.outputName, `${argument}.outputName`, 'output:'),
    ...options.flatMap(([prefix, key, value]) =>
      value === undefined ? [] : word(String(value), `${argument}.${key}`, prefix),
    ),
  ];
}

/** The outputs of the steps without an outgoing edge. */
function lastOutputs(steps: readonly NewStep[], edges: readonly NewEdge[]): NewOutput[] {
  const last = steps.filter(({ id }) => !edges.some(({ from }) => from === id));
  return [...new Set(last.map(({ outputName }) => outputName))].map((name) => ({ name }));
}

/**
 * The tag `d`: `translate-and-summarize` for `Translate and Summarize`. Empty: the name contains no
 * usable character.
 */
export function definitionId({ id, name }: Pick<NewDefinition, 'id' | 'name'>): string {
  if (id !== undefined) return id;
  return name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
}
