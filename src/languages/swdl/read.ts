import type { WorkflowLanguage, OverridesContext } from '../shared/workflow-language.ts';
import { constant } from '../../expressions/build.ts';
import type { Diagnostic } from '../../kernel/diagnostic.ts';
import { isJsonObject, type Json } from '../../kernel/json.ts';
import { setOwn, ownValue } from '../../kernel/own.ts';
import { approvalTypes } from '../../workflow/check/meaning.ts';
import { usualChoices } from '../../workflow/reserved.ts';
import type { AppliedOverride, Step, ValueType, Workflow } from '../../workflow/model.ts';
import { checkShape } from '../../yaml/issues.ts';
import { validParts, fieldsOf } from '../../yaml/shape.ts';
import type { YamlDocument, Path } from '../../yaml/yaml.ts';
import { spellingProblems } from '../../yaml/spelling.ts';
import { repairListed } from '../shared/repaired.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';
import type { LanguageContext, ProjectFiles } from '../shared/context.ts';
import { artifactsIn } from './artifacts.ts';
import { starter, swdlEditor } from './editor.ts';
import { lowerHooks } from './hooks.ts';
import { betterHint, habits } from './hints.ts';
import { lowerText } from './lowering.ts';
import { outside, type KnownStage, type Lowering } from './facts.ts';
import { languageAt, swdlVocabulary } from './language.ts';
import { Graph } from '../../workflow/check/body.ts';
import { effective, overridden } from './overrides.ts';
import {
  stageSchema,
  swdlFile,
  type SwdlFile,
  stageContext,
  workflowContext,
  type StageContext,
  type WorkflowContext,
} from './schema.ts';
import { runDocument } from './run-record.ts';
import { lowerStage, needsOf, typeOf } from './stages.ts';
import { readType } from './types.ts';
import type { PromptContext } from '../shared/prompt-contexts.ts';
import { memoryQuery, packMemories } from './memory.ts';
import { seekModule } from './project-files.ts';
import { modulesOf, nameIn } from './prompt-context.ts';

type Placed = Pick<KnownStage, 'input' | 'path'>;

const defaultTimeout = 2 * 60 * 60_000;
/** The maximum number of paths in `context.repo_structure`. */
const mostPaths = 5_000;

/** All problems of a file of the swdl language, and its valid parts. */
function readSwdl(
  written: YamlDocument,
  context: LanguageContext,
): { readonly workflow: Workflow; readonly problems: readonly Diagnostic[] } {
  const { document, problems: overriding, applied } = overridden(written, context);
  const shape = checkShape(swdlFile, document, habits);
  const given = isJsonObject(document.value) ? document.value : {};
  const { around, items, lost, diagnostics } = repairListed(document, {
    file: swdlFile,
    list: 'stages',
    item: stageSchema,
  });
  const file = shape.value ?? (validParts(swdlFile, around) as Partial<SwdlFile>);
  const loss = lossOf(lost);
  const placed = items.filter(({ path }) => !loss.isBroken(path));
  const broken = brokenNames(given['stages'], placed);
  const stages = new Map<string, KnownStage>(
    distinct(placed, diagnostics).map((stage) => {
      const outputs = loss.areOutputsUnknown(stage.path) ? null : outputsOf(stage);
      return [stage.input.id, { ...stage, outputs }];
    }),
  );
  const { parameters, brokenParameters } = parametersOf(file, given['config'], diagnostics);
  refuseSameId(file, document, context, diagnostics);
  const order = new Graph([...stages.values()].map(({ input }) => ({ id: input.id, needs: needsOf(input) })));
  const lowering = { diagnostics, context, file, stages, order, parameters, reads: new Map() };
  const steps = waitingForReads(
    [...stages.values()].flatMap((stage) => lowerStage(stage, lowering) ?? []),
    lowering,
  );
  const workflow = workflowOf(lowering, steps, applied);
  const lowered = new Set(steps.map(({ id }) => id));
  const vague = [...stages.values()].filter(
    ({ input, path }) => !lowered.has(input.id) || loss.areOutputsUnknown(path),
  );
  diagnostics.check(workflow, context, {
    broken: new Set([...broken, ...vague.map(({ input }) => input.id)]),
    isOrderUnknown: loss.isOrderUnknown,
    brokenParameters,
    language: languageAt(outside),
    vocabulary: swdlVocabulary,
  });
  const shapes = shape.problems.map((problem) => ({
    ...problem,
    hint: betterHint(problem.message) ?? problem.hint,
  }));
  return {
    workflow,
    problems: [
      ...overriding,
      ...shapes,
      ...spellingProblems(document, swdlFile),
      ...once(diagnostics.problems),
    ],
  };
}

/**
 * A stage may read those of earlier batches: it waits for them, as if it depended on them. Any
 * other that it does not depend on is left to the checks.
 */
function waitingForReads(steps: readonly Step[], { order, reads, stages, diagnostics }: Lowering): Step[] {
  const batches = batchesOf(order);
  return steps.map((step) => {
    const own = batches.get(step.id) ?? 0;
    const more = [...(reads.get(step.id) ?? [])].flatMap((name) => {
      const id = order.steps[order.named(name, true) ?? -1]?.id;
      const isEarlier = id !== undefined && (batches.get(id) ?? own) < own;
      return isEarlier && !order.comesAfter(step.id, id) ? [{ step: id, when: null }] : [];
    });
    if (more.length === 0) return step;
    const { path } = stages.get(step.id)!;
    const needs = diagnostics.from([...path, 'depends_on'], [...step.needs, ...more]);
    return diagnostics.from([...path, 'id'], { ...step, needs });
  });
}

/** The number of each stage's batch; one in a circle, or after one, has none. */
function batchesOf({ steps, needs }: Lowering['order']): ReadonlyMap<string, number> {
  const batches = new Map<string, number>();
  const left = needs.map(({ length }) => length);
  const dependents = steps.map((): number[] => []);
  for (const [index, each] of needs.entries()) for (const need of each) dependents[need]!.push(index);
  let ready = [...left.keys()].filter((index) => left[index] === 0);
  for (let number = 0; ready.length > 0; number++) {
    for (const index of ready) batches.set(steps[index]!.id, number);
    ready = ready.flatMap((index) => dependents[index]!.filter((each) => --left[each]! === 0));
  }
  return batches;
}

/** The first stage with each id. */
function distinct(placed: readonly Placed[], diagnostics: Diagnostics): Placed[] {
  const seen = new Set<string>();
  return placed.filter(({ input: { id }, path }) => {
    const isNew = !seen.has(id);
    const message = `two stages are called \`${id}\``;
    if (!isNew) diagnostics.error('E_DUPLICATE', [...path, 'id'], message, 'give one another id');
    seen.add(id);
    return isNew;
  });
}

/**
 * An id must belong to one file of the project: users, overrides and other programs name workflows
 * by it.
 */
function refuseSameId(
  { workflow }: Partial<SwdlFile>,
  document: YamlDocument,
  context: LanguageContext,
  diagnostics: Diagnostics,
): void {
  if (workflow === undefined) return;
  const own = document.place([]).file;
  const others = context.workflows().filter(({ id, file }) => id === workflow.id && file !== own);
  if (others.length === 0) return;
  const files = others.map(({ file }) => file).join(', ');
  const message = `\`${workflow.id}\` is also the id of ${files}`;
  diagnostics.error('E_DUPLICATE', ['workflow', 'id'], message, 'give one of them another id');
}

/** Reports the same problem at the same place, or the same missing reference, once. */
function once(problems: readonly Diagnostic[]): Diagnostic[] {
  const keyOf = ({ code, place, message }: Diagnostic) =>
    code === 'E_REFERENCE'
      ? message
      : `${String(place?.file)}:${String(place?.line)}:${String(place?.column)} ${message}`;
  const first = new Map<string, Diagnostic>();
  for (const problem of problems) if (!first.has(keyOf(problem))) first.set(keyOf(problem), problem);
  return [...first.values()];
}

function brokenNames(stages: Json | undefined, placed: readonly Placed[]): ReadonlySet<string> {
  const used = new Set(placed.map(({ input }) => input.id));
  const names = Array.isArray(stages) ? stages.map((each) => (isJsonObject(each) ? each['id'] : null)) : [];
  return new Set(names.filter((id): id is string => typeof id === 'string' && !used.has(id)));
}

/** What expressions find under `outputs`; a list for a fan-out. */
function outputsOf({ input }: Placed): Record<string, ValueType> | null {
  if (input.type === 'fan_out') return null;
  if (input.type === 'gate') return approvalTypes({ choices: input.gate?.choices ?? usualChoices });
  return Object.fromEntries(
    Object.entries(input.outputs ?? {}).flatMap(([name, output]) => {
      const type = readType(output);
      return type === null ? [] : [[name, type] as const];
    }),
  );
}

function parametersOf(
  { config }: Partial<SwdlFile>,
  given: Json | undefined,
  diagnostics: Diagnostics,
): { parameters: Record<string, ValueType>; brokenParameters: ReadonlySet<string> } {
  const all =
    isJsonObject(given) && isJsonObject(given['parameters']) ? Object.keys(given['parameters']) : [];
  const parameters: Record<string, ValueType> = {};
  for (const [name, parameter] of Object.entries(config?.parameters ?? {})) {
    const type = typeOf({ diagnostics }, ['config', 'parameters', name], parameter);
    if (type !== null) setOwn(parameters, name, type);
  }
  return { parameters, brokenParameters: new Set(all.filter((name) => !Object.hasOwn(parameters, name))) };
}

function workflowOf(
  lowering: Lowering,
  steps: readonly Step[],
  applied: readonly AppliedOverride[],
): Workflow {
  const { file, context, parameters } = lowering;
  const { id = '', name = '', version = '', description = null } = file.workflow ?? {};
  const env = Object.entries(file.config?.env ?? {}).map(
    ([variable, text]) =>
      [variable, lowerText(String(text), ['config', 'env', variable], outside, lowering)] as const,
  );
  return {
    language: 'swdl',
    name: id,
    version,
    description: description?.trim() ?? (name === '' ? null : name),
    timeout: file.config?.timeout ?? defaultTimeout,
    concurrency: null,
    contextDir: null,
    ownWorkspace: null,
    parameters,
    context: structureOf(context.files.tracked),
    env: Object.fromEntries(env),
    inherit: [],
    secrets: [],
    budget: { usd: null, tokens: null },
    triggers: [],
    hooks: lowerHooks(lowering),
    display: {
      title: name,
      record: 'run.yaml',
      ...(applied.length > 0 && { overrides: applied }),
    },
    body: { kind: 'graph', steps },
  };
}

/** `context.repo_structure`: the files of the project, if an expression uses them. */
function structureOf(tracked: readonly string[]): Workflow['context'] {
  if (tracked.length === 0) return {};
  const files = tracked.slice(0, mostPaths);
  const structure = { files, total: tracked.length };
  return { repo_structure: [{ kind: 'expression', tree: constant(structure) }] };
}

const known = fieldsOf(stageSchema);

/**
 * Conclusions that are impossible because parts of stages could not be used. `lost`: their paths.
 * An unknown key may have been any key.
 */
function lossOf(lost: readonly Path[]) {
  const parts = lost.filter(([list, , key]) => list === 'stages' && key !== undefined);
  const mayBe = ([, , key]: Path, wanted: string) => key === wanted || !Object.hasOwn(known, String(key));
  const of = ([, index]: Path) => parts.filter(([, other]) => other === index);
  return {
    /** The dependencies between stages are unknown. */
    isOrderUnknown: parts.some((path) => mayBe(path, 'depends_on')),
    /** Whether the stage at this place has an unknown part. */
    isBroken: (stage: Path) => of(stage).some((path) => path[2] === 'type'),
    /** Whether the outputs of the stage at this place are unknown. */
    areOutputsUnknown: (stage: Path) => of(stage).some((path) => mayBe(path, 'outputs')),
  };
}

/**
 * Files with stages. A file without steps and with one of the two signs is swdl without the other
 * one.
 */
export const swdl: WorkflowLanguage = {
  name: 'swdl',
  signs: [(file) => 'workflow' in file, (file) => 'stages' in file],
  sign: '`workflow` and `stages`',
  isNear: (file) => ('workflow' in file || 'stages' in file) && !('steps' in file || 'kind' in file),
  read: readSwdl,
  schema: swdlFile,
  schemaFile: 'swdl.schema.json',
  editor: swdlEditor,
  starter,
  artifacts: artifactsIn,
  effective,
  promptContexts,
  runs: { document: runDocument },
};

/**
 * The context of the prompts of each stage with an agent, after that of a stage which adds none.
 * Reads what is valid of a file with errors.
 */
function promptContexts(base: YamlDocument, context: OverridesContext): PromptContext[] {
  const { value } = overridden(base, context).document;
  const shared: WorkflowContext = partsOf(workflowContext, entryOf(value, 'context'));
  const all = entryOf(value, 'stages');
  const stages = (Array.isArray(all) ? all : []).flatMap((stage) => {
    const [id, type] = [entryOf(stage, 'id'), entryOf(stage, 'type')];
    if (typeof id !== 'string' || type === 'gate') return [];
    const work = type === 'fan_out' ? entryOf(entryOf(stage, 'fan_out'), 'stage_template') : stage;
    const own: StageContext = partsOf(stageContext, entryOf(work, 'context'));
    return [{ step: id, ...contextOf(own, shared, context.files) }];
  });
  return [{ step: null, ...contextOf({}, shared, context.files) }, ...stages];
}

function contextOf(
  own: StageContext,
  shared: WorkflowContext,
  files: ProjectFiles,
): Omit<PromptContext, 'step'> {
  const query = memoryQuery(own.memory, shared.memory);
  const modules = modulesOf(own, shared).map(({ name, from }) => {
    const { found } = seekModule(files, nameIn(name));
    return { name, file: found?.path ?? null, from };
  });
  if (query === null) return { modules, memory: null };
  const { packed, noRoom } = packMemories(files, query);
  return { modules, memory: { ...query, packed, noRoom } };
}

function entryOf(value: Json, key: string): Json {
  return isJsonObject(value) ? (ownValue(value, key) ?? null) : null;
}

function partsOf(schema: typeof stageContext | typeof workflowContext, value: Json): object {
  return isJsonObject(value) ? validParts(schema, value) : {};
}
