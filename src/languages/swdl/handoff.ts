import { call, choose, compare, literal, orNull, path } from '../../expressions/build.ts';
import type { Tree } from '../../expressions/tree.ts';
import type { Json } from '../../kernel/json.ts';
import type { PromptInput } from '../../workflow/model.ts';
import type { KnownStage, Lowering } from './facts.ts';
import type { StageInput } from './schema.ts';

/**
 * The inputs that a stage receives from its dependencies; a gate passes on its own inputs, besides
 * its decision.
 */
export function handedToStage(
  { depends_on: needs = [], inputs = {}, fan_out: fanOut }: StageInput,
  { stages }: Lowering,
): PromptInput[] {
  const givers = new Set<KnownStage>();
  const waiting = [...needs];
  for (let need = waiting.shift(); need !== undefined; need = waiting.shift()) {
    const known = stages.get(need);
    if (known === undefined || givers.has(known)) continue;
    givers.add(known);
    if (known.input.type === 'gate') waiting.push(...(known.input.depends_on ?? []));
  }
  // Each item of a fan-out has its part of the list, and the inputs of the template.
  const given = [...Object.values(inputs), ...Object.values(fanOut?.stage_template.inputs ?? {})];
  const sources = [...given.map(({ source }) => source), ...(fanOut === undefined ? [] : [fanOut.source])];
  const read = readBy(sources);
  return [...givers].flatMap((giver) => handedBy(giver, read));
}

/** The stage, and the output (missing: all of them), if a string is exactly one reference. */
const wholeOutput = /^\s*\$\{\{\s*stages\.([\w-]+)\.outputs(?:\.([\w-]+))?\s*\}\}\s*$/;

/**
 * The outputs that a stage already receives, by the stage that made them, through its own sources.
 */
type Read = ReadonlyMap<string, ReadonlySet<string>>;

/** Means all outputs of a stage. */
const everything = '*';

/** The outputs that these sources read completely. */
function readBy(sources: readonly Json[]): Read {
  const read = new Map<string, Set<string>>();
  for (const source of sources) {
    const [found, stage = '', output = everything] =
      wholeOutput.exec(typeof source === 'string' ? source : '') ?? [];
    if (found !== undefined) read.set(stage, (read.get(stage) ?? new Set()).add(output));
  }
  return read;
}

/**
 * The inputs of a stage from one dependency, in the form of its handoff, without the outputs that
 * it already reads. An unsuccessful stage hands over nothing.
 */
function handedBy(stage: KnownStage, read: Read): PromptInput[] {
  const { id, name, handoff = {}, type } = stage.input;
  const about = name === undefined ? '' : ` (${name})`;
  const taken = (of: string, source: Tree): PromptInput => ({
    name: of,
    description: null,
    source: [
      {
        kind: 'expression',
        tree: choose(
          compare('==', orNull(path(['steps', id, 'status'])), literal('SUCCEEDED')),
          source,
          literal(null),
        ),
      },
    ],
    type: null,
    required: false,
  });
  const summary =
    handoff.summary_prompt === undefined
      ? []
      : [taken(`summary of ${id}`, orNull(path(['steps', id, 'summary'])))];
  const handed = handedOver(stage, read.get(id) ?? new Set());
  return [
    ...summary,
    ...(handed === null
      ? []
      : [taken(`${type === 'gate' ? 'decision at' : 'handed over by'} ${id}${about}`, handed)]),
    ...(handoff.include_run_log === true
      ? [{ ...taken(`end of the log of ${id}`, literal(null)), source: [], log: id }]
      : []),
  ];
}

/** The remaining outputs in their handoff format; null: none. */
function handedOver({ input, outputs }: KnownStage, read: ReadonlySet<string>): Tree | null {
  const { id, handoff = {} } = input;
  const names = Object.keys(outputs ?? {});
  const left = read.has(everything) ? [] : names.filter((name) => !read.has(name));
  // Without declared outputs there is only text.
  const isEmpty = outputs !== null && names.length === 0;
  if (handoff.format === 'raw' || isEmpty) return orNull(path(['steps', id, 'output']));
  if (left.length === 0 && (outputs !== null || read.has(everything))) return null;
  if (handoff.format !== 'markdown' || outputs === null)
    return left.length === names.length ? orNull(path(['steps', id, 'values'])) : mapOf(id, left);
  const sections = left.map((name) => {
    const value = path(['steps', id, 'values', name]);
    const heading = `## ${name}\n\n`;
    return choose(
      compare('==', orNull(value), literal(null)),
      literal(''),
      call('concat', literal(heading), value, literal('\n\n')),
    );
  });
  return orNull(call('concat', ...sections));
}

/** An object of some outputs of a stage. */
function mapOf(id: string, names: readonly string[]): Tree {
  return call(
    'map',
    ...names.flatMap((name) => [literal(name), orNull(path(['steps', id, 'values', name]))]),
  );
}
