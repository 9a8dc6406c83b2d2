import { kinds, type EventTemplate } from './events.ts';

/** A definition in the words of the tool `define_workflow`. */
export interface NewDefinition {
  /** The tag `d`; missing: made of the name. */
  readonly id?: string | undefined;
  readonly name: string;
  readonly version?: string | undefined;
  readonly description?: string | undefined;
  readonly steps: readonly NewStep[];
  readonly edges?: readonly NewEdge[] | undefined;
  readonly inputs?: readonly NewInput[] | undefined;
  /** Missing: what the last steps make. */
  readonly outputs?: readonly NewOutput[] | undefined;
}

export interface NewStep {
  readonly id: string;
  readonly agentKind: number;
  /** Sources, with or without the word `input:` before them. */
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

/** The definition as an event that is not signed yet. Whether it can be run is asked of the reader of the language. */
export function definitionTemplate(asked: NewDefinition, at: number): EventTemplate {
  const { name, version = '1.0.0', description = '', steps, edges = [], inputs = [] } = asked;
  return {
    kind: kinds.definition,
    created_at: Math.floor(at / 1_000),
    tags: [
      ['d', asked.id ?? idOf(name)],
      ['name', name],
      ['version', version],
      ...steps.map(stepTag),
      ...edges.map(({ from, to, condition = 'always' }) => ['edge', from, to, condition]),
      ...inputs.map((input) => ['input', input.name, input.type, String(input.required ?? false)]),
      ...(asked.outputs ?? lastOutputs(steps, edges)).map((output) => [
        'output',
        output.name,
        output.type ?? 'any',
      ]),
    ],
    content: description,
  };
}

/** The event as a text, a tag on each line: what is wrong with it is told with its place. */
export function definitionText({ kind, created_at: at, tags, content }: EventTemplate): string {
  const lines = tags.map((tag) => `    ${JSON.stringify(tag)}`).join(',\n');
  const rest = `  "created_at": ${String(at)},\n  "content": ${JSON.stringify(content)}`;
  return `{\n  "kind": ${String(kind)},\n  "tags": [\n${lines}\n  ],\n${rest}\n}\n`;
}

function stepTag(step: NewStep): string[] {
  const sources = step.inputMapping === undefined ? [] : [step.inputMapping].flat();
  const part = (prefix: string, value: string | number | undefined) =>
    value === undefined ? [] : [`${prefix}:${String(value)}`];
  return [
    'step',
    step.id,
    String(step.agentKind),
    ...sources.map((source) => (source.startsWith('input:') ? source : `input:${source}`)),
    `output:${step.outputName}`,
    ...part('timeout', step.timeout),
    ...part('policy', step.errorPolicy),
    ...part('retries', step.maxRetries),
    ...part('budget', step.maxBudget),
  ];
}

/** What steps make that no edge leads on from. */
function lastOutputs(steps: readonly NewStep[], edges: readonly NewEdge[]): NewOutput[] {
  const last = steps.filter(({ id }) => !edges.some(({ from }) => from === id));
  return [...new Set(last.map(({ outputName }) => outputName))].map((name) => ({ name }));
}

/** `Translate and Summarize` is `translate-and-summarize`. */
function idOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
}
