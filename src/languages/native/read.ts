import type { WorkflowLanguage } from '../shared/workflow-language.ts';
import type { Diagnostic } from '../../kernel/diagnostic.ts';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { nativeLanguage } from '../../workflow/machine/language.ts';
import { parseDuration } from '../../kernel/duration.ts';
import type { Body, Step, StepId, Workflow } from '../../workflow/model.ts';
import { checkShape, hasFewValues } from '../../yaml/issues.ts';
import { repair, pathText, underKnownKeys, type Repaired } from '../../yaml/repair.ts';
import { validParts, fieldsOf } from '../../yaml/shape.ts';
import { spellingProblems } from '../../yaml/spelling.ts';
import type { YamlDocument, Path } from '../../yaml/yaml.ts';
import { Diagnostics } from '../shared/diagnostics.ts';
import type { LanguageContext } from '../shared/context.ts';
import { isDaemonFile, refuseDaemonFile } from './daemon-file.ts';
import { nativeEditor } from './editor.ts';
import { habits } from './habits.ts';
import type { ReadChild } from '../shared/children.ts';
import { nativeFile, type NativeFile } from './schema.ts';
import { nativeVocabulary } from './vocabulary.ts';
import type { CheckContext } from '../../workflow/check/check.ts';
import { stepSchema } from './step-schema.ts';
import { tidyPath } from '../../yaml/paths.ts';
import { lowerBranch } from './branch.ts';
import { checkInside } from './paths.ts';
import { lowerRuns } from './run-limit.ts';
import { bodyOf } from './sequence.ts';
import type { Lowering } from './lowering.ts';
import { bareStep } from '../shared/bare-step.ts';
import { lowerSteps } from './steps.ts';
import { lowerHooks, lowerTriggers } from './triggers.ts';
import { lowerContext, lowerEnv, lowerValues } from './values.ts';

/** The step that runs finally; it has the name of its key. */
const lastStep: StepId = 'finally';

/** How long each step of it may take where it says nothing: the run's timeout does not bound it. */
const usualTime = parseDuration('10m');

/** All problems of a file of the native language, and its valid parts. */
function readNative(
  document: YamlDocument,
  context: LanguageContext,
  readChild: ReadChild,
  file: string,
): { readonly workflow: Workflow; readonly problems: readonly Diagnostic[] } {
  const given = isJsonObject(document.value) ? document.value : {};
  if (isDaemonFile(given)) {
    const diagnostics = new Diagnostics(document);
    refuseDaemonFile(given, diagnostics);
    return { workflow: lower({}, diagnostics, readChild, context), problems: diagnostics.problems };
  }
  const right = nativeFile.safeParse(given, { jitless: hasFewValues(given) });
  const repaired = right.success ? null : repair(nativeFile, given);
  const problems = repaired === null ? [] : checkShape(nativeFile, document, habits).problems;
  const read = repaired === null ? right : nativeFile.safeParse(repaired.value);
  const usable = read.data ?? validParts(nativeFile, repaired!.value);
  const diagnostics = diagnosticsOf(document, repaired);
  const beside = context.agentsBeside(file);
  const others = beside?.ok === true ? beside.value.map((each) => [each.name, each] as const) : [];
  const profiles = new Map([...context.profiles, ...others]);
  const workflow = lower(usable, diagnostics, readChild, { ...context, profiles });
  diagnostics.refuseUnread(usable);
  const { broken, isOrderUnknown } = whatIsLost(given, repaired?.lost ?? []);
  diagnostics.check(workflow, context, {
    broken,
    isOrderUnknown,
    brokenParameters: lostNames(given['parameters'], new Set(Object.keys(workflow.parameters))),
    language: nativeLanguage,
    vocabulary: nativeVocabulary,
  });
  return {
    workflow,
    problems: [
      ...problems,
      ...spellingProblems(document, nativeFile),
      ...(beside?.ok === false ? beside.problems : []),
      ...diagnostics.problems,
    ],
  };
}

function diagnosticsOf(document: YamlDocument, repaired: Repaired | null): Diagnostics {
  if (repaired === null) return new Diagnostics(document);
  const partial = new Set(repaired.lost.map((path) => pathText(path.slice(0, -1))));
  return new Diagnostics(underKnownKeys(document, repaired), partial);
}

/**
 * Files with a mapping of steps. A file without the signs of any language is native with an error.
 */
export const native: WorkflowLanguage = {
  name: 'native',
  signs: [(_file, version) => version === '1', ({ steps }) => isJsonObject(steps)],
  sign: '`version: "1"` and a mapping `steps`',
  isNear: (file, version) =>
    !Array.isArray(file['steps']) &&
    version !== '1.0' &&
    !['workflow', 'stages', 'kind'].some((key) => Object.hasOwn(file, key)),
  read: readNative,
  schema: nativeFile,
  schemaFile: 'workflow.schema.json',
  editor: nativeEditor,
};

/**
 * The parts of a file's steps that could not be used, and the conclusions that are impossible
 * without them. `lost`: paths into the file.
 */
function whatIsLost(
  given: JsonObject,
  lost: readonly Path[],
): Pick<CheckContext, 'broken' | 'isOrderUnknown'> {
  const broken = new Set<string>();
  let isOrderUnknown = false;
  for (const path of lost) {
    if (path.length === 1 && path[0] === 'steps')
      for (const id of lostNames(given['steps'], new Set())) broken.add(id);
    const place = innermostStep(path);
    if (place === null) continue;
    if (mayBeOutput(place.within)) broken.add(place.id);
    isOrderUnknown ||= mayBeDependency(place.within);
  }
  return { broken, isOrderUnknown };
}

/** The names defined by parts that could not be used. */
function lostNames(given: Json | undefined, used: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(isJsonObject(given) ? Object.keys(given).filter((name) => !used.has(name)) : []);
}

/** Ids are at every third position of a path: `steps.<id>.for_each.steps.<id>`. */
function innermostStep(path: Path): { readonly id: string; readonly within: Path } | null {
  let at = -2;
  while (path[at + 3] !== undefined && path[at + 2] === 'steps') at += 3;
  return at < 0 ? null : { id: String(path[at]), within: path.slice(at + 1) };
}

const known = fieldsOf(stepSchema);

/**
 * Whether the lost part of a step may have been one of these keys; `within` is empty if the whole
 * step is lost.
 */
function mayBe(within: Path, keys: readonly string[]): boolean {
  const [key] = within;
  if (key === undefined) return true;
  return within.length === 1 && (keys.includes(String(key)) || !Object.hasOwn(known, key));
}

function mayBeOutput(within: Path): boolean {
  const isValue = within.length === 2 && within[0] === 'values';
  return isValue || mayBe(within, ['values', 'outputs', 'exports', 'depends_on']);
}

function mayBeDependency(within: Path): boolean {
  return mayBe(within, ['depends_on']);
}

/**
 * The workflow of a file, with every default filled in; for a file with errors, its valid parts.
 */
function lower(
  input: Partial<NativeFile>,
  diagnostics: Diagnostics,
  readChild: ReadChild,
  { notify, profiles, agentDefaults }: Pick<LanguageContext, 'notify' | 'profiles' | 'agentDefaults'>,
): Workflow {
  const { context_dir: contextDir = 'context' } = input;
  checkInside(diagnostics, ['context_dir'], contextDir);
  const language = nativeLanguage;
  const { provider, capabilities } = agentDefaults;
  const agents = { profiles, provider, capabilities: capabilities ?? ['READ' as const] };
  const lowering = {
    diagnostics,
    language,
    readChild,
    agents,
    isolated: false,
    timeout: null,
    steps: lowerSteps,
  };
  const steps = lowerSteps(input.steps ?? {}, ['steps'], lowering);
  const last = lowerFinally(input.finally, steps, lowering);
  return {
    language: 'native',
    name: input.name ?? '',
    version: '1',
    description: input.description ?? null,
    timeout: input.timeout ?? null,
    concurrency: input.concurrency ?? null,
    contextDir: tidyPath(contextDir),
    ...(input.context_dir === undefined && { contextYields: true }),
    ...lowerRuns(diagnostics, input.runs),
    ownWorkspace: null,
    parameters: lowerValues(diagnostics, input.parameters, ['parameters']),
    context: lowerContext(diagnostics, input.context, ['context'], language),
    env: lowerEnv(diagnostics, input.env, ['env'], language),
    inherit: input.inherit ?? [],
    secrets: input.secrets ?? [],
    budget: input.budget ?? { usd: null, tokens: null },
    triggers: lowerTriggers(diagnostics, input.triggers),
    hooks: lowerHooks(diagnostics, input.hooks, language, notify),
    ...lowerBranch(diagnostics, input, steps),
    body: withLast(bodyOf(diagnostics, steps, input, []), last),
  };
}

/** The steps of `finally` as one step; null: there are none. */
function lowerFinally(
  input: NativeFile['finally'],
  others: readonly Step[],
  lowering: Lowering,
): Step | null {
  if (input === undefined) return null;
  const { diagnostics } = lowering;
  const path = [lastStep];
  const isTwice = others.some(({ id }) => id === lastStep);
  if (isTwice)
    diagnostics.error(
      'E_DUPLICATE',
      ['steps', lastStep],
      '`finally` is already the steps that run last',
      null,
      'key',
    );
  const steps = lowering.steps(input, path, { ...lowering, timeout: usualTime });
  const body = bodyOf(diagnostics, steps, {}, path, path);
  if (isTwice) return null;
  return diagnostics.from<Step>(path, {
    ...bareStep,
    id: lastStep,
    join: 'all_done',
    work: diagnostics.from(path, { kind: 'finally', body }),
    timeout: null,
    retry: { max: 0, base: 0, factor: 1, cap: 0, jitter: false, codes: null },
    onFailure: 'skip-dependents',
  });
}

/** A body with the step that runs finally, which comes after all others. */
export function withLast(body: Body, last: Step | null): Body {
  if (last === null) return body;
  if (body.kind === 'sequence') return { ...body, steps: [...body.steps, last] };
  const needed = new Set(body.steps.flatMap(({ needs }) => needs.map(({ step }) => step)));
  const needs = body.steps.filter(({ id }) => !needed.has(id)).map(({ id }) => ({ step: id, when: null }));
  return { ...body, steps: [...body.steps, { ...last, needs }] };
}
