import type { WorkflowLanguage } from '../shared/workflow-language.ts';
import type { Diagnostic } from '../../kernel/diagnostic.ts';
import { isJsonObject, type Json } from '../../kernel/json.ts';
import { stepsIn } from '../../workflow/bodies.ts';
import type { Body, Workflow } from '../../workflow/model.ts';
import { checkShape } from '../../yaml/issues.ts';
import { validParts } from '../../yaml/shape.ts';
import type { Path, YamlDocument } from '../../yaml/yaml.ts';
import { spellingProblems } from '../../yaml/spelling.ts';
import { repairListed, type Listed } from '../shared/repaired.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';
import type { LanguageContext } from '../shared/context.ts';
import { reportDeferred, withoutDeferred } from './kinds.ts';
import { records } from './records.ts';
import type { FileFacts } from './lowering.ts';
import { workspace } from './paths.ts';
import { orchestrateFile, step as stepSchema, type OrchestrateFile, type StepInput } from './schema.ts';
import { lowerBody, type Placed } from './steps.ts';
import {
  orchestrateEditor,
  orchestrateLanguage,
  orchestrateVocabulary,
  specialTargets,
} from './vocabulary.ts';
import { templateOf, valueTree } from './trees.ts';
import { lowerTyped } from './variables.ts';
import { argvText, type Habits, type KeyHint } from '../../yaml/suggest.ts';

/** The default limit of visits to a step. */
const maxVisits = 1_000;

/** All problems of a file of the orchestrate language, and its valid parts. */
function readOrchestrate(
  document: YamlDocument,
  context: LanguageContext,
): { readonly workflow: Workflow; readonly problems: readonly Diagnostic[] } {
  const shape = checkShape(orchestrateFile, document, habits);
  const given = isJsonObject(document.value) ? document.value : {};
  const repaired = repairListed(document, { file: orchestrateFile, list: 'steps', item: stepSchema });
  const { items, diagnostics, lost } = repaired;
  const input = shape.value ?? (validParts(orchestrateFile, repaired.around) as Partial<OrchestrateFile>);
  const facts = factsOf(input, repaired, context);
  const body = lowerBody(items, { items: new Set(), loop: null, way: [] }, facts);
  for (const key of ['parallel', 'limits'] as const) if (key in given) reportDeferred(diagnostics, [], key);
  if (input.strict_flow === false) reportDeferred(diagnostics, [], 'strict_flow');
  const shapes = shape.problems.map((each) => ({ ...each, hint: withoutDeferred(each.hint) }));
  const workflow = workflowOf(input, body, facts);
  diagnostics.check(workflow, context, {
    broken: brokenNames(given['steps'], facts, body),
    // The lost part of a step may have been a branch to another step.
    isOrderUnknown: lost.some(([key]) => key === 'steps'),
    brokenParameters: new Set(),
    language: orchestrateLanguage,
    vocabulary: orchestrateVocabulary,
  });
  return {
    workflow,
    problems: [
      ...shapes,
      ...spellingProblems(document, orchestrateFile),
      ...diagnostics.problems.filter((each) => !isReportedBy(shapes, each)),
    ],
  };
}

/** A misspelt key that was also read as one that does not fit is reported once. */
function isReportedBy(shapes: readonly Diagnostic[], { code, place }: Diagnostic): boolean {
  return (
    code === 'E_UNKNOWN_KEY' &&
    shapes.some(
      (shape) =>
        shape.code === code && shape.place?.line === place?.line && shape.place?.column === place?.column,
    )
  );
}

function innerSteps(input: StepInput, path: Path): Placed[] | null {
  const key = input.for_each === undefined ? 'while' : 'for_each';
  const steps = input[key]?.steps;
  return steps?.map((inner, index) => ({ input: inner, path: [...path, key, 'steps', index] })) ?? null;
}

function factsOf(
  input: Partial<OrchestrateFile>,
  { items: placed, diagnostics, lost }: Listed<StepInput>,
  context: LanguageContext,
): FileFacts {
  const steps = new Set<string>();
  const set = new Set<string>();
  const collect = (each: readonly Placed[]): void => {
    for (const { input: step, path } of each) {
      checkName(step.name, [...path, 'name'], steps, diagnostics);
      steps.add(step.name);
      for (const name of Object.keys(step.set_context ?? {})) set.add(name);
      collect(innerSteps(step, path) ?? []);
    }
  };
  collect(placed);
  const { starting } = context;
  const own = [...Object.keys(input.context ?? {}), ...set];
  const isLost = (...keys: readonly string[]) => lost.some((path) => keys.some((key) => path.includes(key)));
  return {
    diagnostics,
    context,
    steps,
    contextNames:
      starting === null || isLost('context', 'set_context') ? null : new Set([...own, ...starting.context]),
    only: starting?.only ?? null,
    env: isLost('env', 'secrets') ? null : new Set(input.env),
    secrets: new Set([...(input.secrets ?? []), ...placed.flatMap((each) => secretsOf(each.input))]),
    maxVisits,
  };
}

/** Steps with too many errors to draw conclusions from them. */
function brokenNames(all: Json | undefined, { steps }: FileFacts, body: Body): ReadonlySet<string> {
  const names = Array.isArray(all) ? all.map((each) => (isJsonObject(each) ? each['name'] : null)) : [];
  const written = names.filter((name): name is string => typeof name === 'string');
  const lowered = new Set(stepsIn(body).map(({ id }) => id));
  return new Set([...written, ...steps].filter((name) => !lowered.has(name)));
}

function secretsOf(step: StepInput): string[] {
  const inner = innerSteps(step, []) ?? [];
  return [...(step.secrets ?? []), ...inner.flatMap((each) => secretsOf(each.input))];
}

function checkName(name: string, path: Path, steps: ReadonlySet<string>, diagnostics: Diagnostics): void {
  if (specialTargets.includes(name))
    diagnostics.error(
      'E_DUPLICATE',
      path,
      `\`${name}\` is a target of its own`,
      'give the step another name',
    );
  if (steps.has(name))
    diagnostics.error('E_DUPLICATE', path, `two steps are called \`${name}\``, 'give one another name');
}

function workflowOf(input: Partial<OrchestrateFile>, body: Body, facts: FileFacts): Workflow {
  // Values of the start exist before any step does.
  const nothing = { ...facts, steps: new Set<string>(), only: null };
  const around = { ...nothing, way: [], items: new Set<string>(), loop: null, allowed: new Set<string>() };
  const entries = Object.entries(input.context ?? {});
  const context = entries.map(([name, value], index) => {
    // A value can use those above it and the caller's.
    const above = entries.slice(0, index).map(([other]) => other);
    const known = facts.context.starting && new Set([...facts.context.starting.context, ...above]);
    const lowering = { ...around, contextNames: known };
    const tree = valueTree(value, (text, inner) => lowerTyped(text, ['context', name, ...inner], lowering));
    return [name, templateOf(tree)] as const;
  });
  return {
    language: 'orchestrate',
    name: input.name ?? '',
    version: '1.0',
    description: null,
    timeout: null,
    concurrency: null,
    contextDir: null,
    ownWorkspace: { workspace, records: records.folder },
    parameters: {},
    context: Object.fromEntries(context),
    env: {},
    inherit: input.env ?? [],
    secrets: input.secrets ?? [],
    budget: { usd: null, tokens: null },
    triggers: [],
    hooks: [],
    body,
  };
}

/** Files with a list of steps. */
export const orchestrate: WorkflowLanguage = {
  name: 'orchestrate',
  signs: [(_file, version) => version === '1.0', ({ steps }) => Array.isArray(steps)],
  sign: '`version: "1.0"` and a list `steps`',
  read: readOrchestrate,
  schema: orchestrateFile,
  schemaFile: 'orchestrate.schema.json',
  editor: orchestrateEditor,
  runs: { records },
};

const ofStep: Readonly<Record<string, KeyHint>> = {
  on_success: 'it is `on: { success: { goto: … } }`',
  on_failure: 'it is `on: { failure: { goto: … } }`',
  on_timeout: 'it is `on: { timeout: { goto: … } }`',
  next: 'it is `on: { success: { goto: … } }`',
  goto: 'it is `on: { success: { goto: … } }`',
  depends_on: 'steps run one after another, by `on`; `when: { step_ok: … }` asks for another step',
  needs: 'steps run one after another, by `on`; `when: { step_ok: … }` asks for another step',
  if: 'it is `when`',
  condition: 'it is `when`',
  run: (value) =>
    typeof value === 'string'
      ? `write \`command: ${argvText(value)}\``
      : 'it is `command: [program, argument]`; a script is `command: [sh, -c, "…"]`',
  script: 'it is `command: [sh, -c, "…"]`',
  shell: 'it is `command: [sh, -c, "…"]`',
  prompt: 'a prompt is a file: `prompt_file: prompts/a.md`',
  instructions: 'a prompt is a file: `prompt_file: prompts/a.md`',
  input: 'it is `input_file`',
  inputs: 'it is `input_file`',
  output: 'it is `output_file`',
  outputs: 'it is `output_file`',
  attempts: 'it is `retry: { attempts: … }`',
  in: 'it is `items`',
  do: 'it is `steps`',
  worker: 'it is `provider`: claude, openai or gemini',
  role: 'it is `provider`: claude, openai or gemini',
  uses: 'actions cannot run here: `command` runs a program',
  id: 'it is `name`',
  env: 'variables that may be read are named under `env` of the workflow',
};

/** What authors of other languages and tools write in a workflow of this one. */
const habits: Habits = {
  keys: {
    step: ofStep,
    loop: ofStep,
    'while loop': ofStep,
    workflow: {
      on: 'a native workflow has `triggers`; a step has `on`, which says where to continue',
      jobs: 'it is `steps`, a list',
      stages: 'it is `steps`, a list',
      parameters: 'what a run is given stands under `context`',
      inputs: 'what a run is given stands under `context`',
    },
  },
};
