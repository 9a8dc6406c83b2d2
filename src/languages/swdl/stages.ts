import { bareStep } from '../shared/bare-step.ts';
import { constant } from '../../expressions/build.ts';
import type { Template, TemplatePart } from '../../expressions/template.ts';
import type { Agent } from '../../workflow/agent.ts';
import type {
  Check,
  Approval,
  Need,
  Step,
  PromptInput,
  ValueType,
  FailurePolicy,
  Retry,
} from '../../workflow/model.ts';
import type { Json } from '../../kernel/json.ts';
import { checkOwnValues } from '../shared/own-values.ts';
import { usualChoices } from '../../workflow/reserved.ts';
import type { Path } from '../../yaml/yaml.ts';
import { playerOf, type AgentDefinition } from './agents.ts';
import { promptContext, nameIn } from './prompt-context.ts';
import { handedToStage } from './handoff.ts';
import { refuseAbsentContext } from './context.ts';
import { checkKeys } from './kinds.ts';
import { lowerExpression, lowerText } from './lowering.ts';
import type { KnownStage, Lowering, Place } from './facts.ts';
import type { StageInput, WorkInput, SwdlFile } from './schema.ts';
import { showFanOut, showGate, showWork } from './display.ts';
import { readType } from './types.ts';

/** High enough that only the run and the machine limit concurrency. */
const mostItemsAtOnce = 1_000;

/** A stage as a step; null, and reported, if it cannot be lowered. */
export function lowerStage(stage: KnownStage, lowering: Lowering): Step | null {
  const { input, path } = stage;
  const { diagnostics } = lowering;
  if (!checkKeys(diagnostics, input, path)) return null;
  const place: Place = { stage: input.id, over: false, item: false };
  const base = stepOf(input, path, place, lowering);
  return diagnostics.from([...path, 'id'], lowerKind(stage, base, place, lowering));
}

function lowerKind(stage: KnownStage, base: Step, place: Place, lowering: Lowering): Step {
  const { input, path } = stage;
  switch (input.type ?? 'agent') {
    case 'gate':
      return {
        ...base,
        work: lowerGate(input, path, place, lowering),
        timeout: null,
        display: showGate(input),
      };
    case 'fan_out':
      return lowerFanOut(base, stage, lowering);
    case 'agent': {
      const inherited = handedToStage(input, lowering);
      return lowerWork(base, input, path, place, inherited, lowering);
    }
  }
}

/** The stage that runs for each item of a list: a loop of one step with the name of the stage. */
function lowerFanOut(base: Step, stage: KnownStage, lowering: Lowering): Step {
  const { input, path } = stage;
  const { source, stage_template: template } = input.fan_out!;
  const here = [...path, 'fan_out'];
  const place = { stage: input.id, over: false, item: true };
  const around = { ...place, item: false };
  const at = [...here, 'source'];
  const list = typeof source === 'string' ? lowerExpression(source, at, around, lowering) : constant(source);
  if (typeof source === 'string')
    refuseAbsentContext(lowering.diagnostics.asWritten(list), at, around, lowering);
  const { file } = lowering;
  const { error_policy: own } = input;
  const policy = {
    ...own,
    ...template.error_policy,
    retry: { ...own?.retry, ...template.error_policy?.retry },
  };
  const { retry, timeout } = policyOf(policy, file.error_policy);
  const { name, description } = input;
  const inner = { ...base, needs: [], when: null, retry, timeout, onFailure: 'abort' as const };
  const work = { ...template, name, description };
  const step = lowerWork(
    inner,
    work,
    [...here, 'stage_template'],
    place,
    handedToStage(input, lowering),
    lowering,
  );
  return {
    ...base,
    work: {
      kind: 'for-each',
      items: list,
      as: 'item',
      concurrency: mostItemsAtOnce,
      gives: input.id,
      body: { kind: 'graph', steps: [step] },
    },
    timeout: null,
    retry: { ...retry, max: 0 },
    ...(step.display && { display: showFanOut(source, step.display) }),
  };
}

/** The dependencies of a stage. */
export function needsOf({ depends_on: needs = [] }: StageInput): Need[] {
  return needs.map((step) => ({ step, when: null }));
}

/** The common parts of all kinds of stages. */
function stepOf(input: StageInput, path: Path, place: Place, lowering: Lowering): Step {
  const { condition } = input;
  const when =
    condition === undefined || condition === null
      ? null
      : typeof condition === 'boolean'
        ? ({ kind: 'literal', value: condition, span: { start: 0, end: 0 } } as const)
        : lowerExpression(condition, [...path, 'condition'], place, lowering);
  const { retry, onFailure, timeout } = policyOf(input.error_policy, lowering.file.error_policy);
  return {
    ...bareStep,
    id: input.id,
    description: input.description ?? input.name ?? null,
    needs: lowering.diagnostics.from([...path, 'depends_on'], needsOf(input)),
    join: 'all',
    when,
    work: { kind: 'assign', values: {} },
    timeout,
    retry,
    onFailure,
  };
}

function lowerGate(
  { id, gate, error_policy: policy }: StageInput,
  path: Path,
  place: Place,
  lowering: Lowering,
): Approval {
  const {
    message = `Approve \`${id}\`?`,
    approvers = [],
    choices = usualChoices,
    fields = {},
    timeout = policy?.timeout ?? null,
    on_timeout: onTimeout = 'halt',
  } = gate!;
  const at = [...path, 'gate'];
  const types = Object.entries(fields).flatMap(([name, { enum: allowed, ...declared }]) => {
    const type = typeOf(lowering, [...at, 'fields', name], declared, allowed);
    return type === null ? [] : [[name, type] as const];
  });
  const policies = { halt: 'abort', auto_approve: 'approve', reject: 'reject' } as const;
  return lowering.diagnostics.from(at, {
    kind: 'gate',
    message: lowerText(message.trim(), [...at, 'message'], place, lowering),
    approvers,
    choices: lowering.diagnostics.from([...at, 'choices'], [...choices]),
    fields: lowering.diagnostics.from([...at, 'fields'], Object.fromEntries(types)),
    timeout,
    onTimeout: policies[onTimeout],
  });
}

/** A step of an agent. */
function lowerWork(
  base: Step,
  input: WorkInput & Pick<StageInput, 'handoff' | 'name' | 'description'>,
  path: Path,
  place: Place,
  inherited: readonly PromptInput[],
  lowering: Lowering,
): Step {
  const player = playerOf(input, path, lowering);
  const extras = promptContext(input, path, lowering);
  const work: Agent = {
    kind: 'agent',
    provider: player.provider,
    model: player.model,
    instructions: instructionsOf(input, path, place, player, extras, lowering),
    capabilities: lowering.diagnostics.from(
      [...path, 'roles', 'primary', 'artifact'],
      [...player.capabilities],
    ),
    maxSteps: null,
    maxCommandTime: null,
    ...serversOf(input, path, lowering),
  };
  return {
    ...base,
    work,
    promptInputs: [...lowerInputs(input, path, place, lowering), ...inherited],
    values: lowerOutputs(input, path, lowering),
    check: lowerSummary(input, path, place, work, base.timeout, lowering),
    display: showWork(input, player, base.timeout, lowering.file),
  };
}

/** The MCP servers that a stage names. */
function serversOf({ roles }: WorkInput, path: Path, { diagnostics }: Lowering): Pick<Agent, 'mcp'> {
  const tools = roles?.tools ?? [];
  const servers = tools.filter((reference) => reference.startsWith('mcp:')).map(nameIn);
  if (servers.length === 0) return {};
  const first = tools.findIndex((reference) => reference.startsWith('mcp:'));
  return { mcp: diagnostics.from([...path, 'roles', 'tools', first], servers) };
}

/** The agent's description, the stage's task, and the tools that it can use. */
function instructionsOf(
  { roles, name, description }: WorkInput & Pick<StageInput, 'name' | 'description'>,
  path: Path,
  place: Place,
  player: AgentDefinition,
  extras: string,
  lowering: Lowering,
): Template {
  const about = [name, description].filter((text) => text !== undefined).map((text) => text.trim());
  const head = [player.text, about.length === 0 ? '' : `## ${about.join('\n\n')}`].filter(
    (text) => text !== '',
  );
  const own = roles!.primary.instructions;
  const at = [...path, 'roles', 'primary', 'instructions'];
  const lowered = own === undefined ? [] : lowerText(own.trim(), at, place, lowering);
  const parts: Template[] = [plain(head.join('\n\n')), lowered, plain(extras)];
  const gap: TemplatePart = { kind: 'text', text: '\n\n' };
  const present = parts.filter((part) => part.length > 0);
  return joined(present.flatMap((part, index) => (index === 0 ? part : [gap, ...part])));
}

function plain(text: string): Template {
  return text === '' ? [] : [{ kind: 'text', text }];
}

/** Adjacent texts of a template are merged. */
function joined(parts: readonly TemplatePart[]): Template {
  return parts.reduce<TemplatePart[]>((all, part) => {
    const last = all.at(-1);
    if (last?.kind !== 'text' || part.kind !== 'text') return [...all, part];
    return [...all.slice(0, -1), { kind: 'text', text: last.text + part.text }];
  }, []);
}

function lowerInputs(
  { inputs = {} }: WorkInput,
  path: Path,
  place: Place,
  lowering: Lowering,
): PromptInput[] {
  return Object.entries(inputs).map(([name, input]) => {
    const at = [...path, 'inputs', name];
    const type = typeOf(lowering, at, input);
    const { required = false, description = null, source } = input;
    const taken = { name, description, type, required };
    if (typeof source !== 'string') {
      const only: Template = [{ kind: 'expression', tree: constant(source) }];
      return { ...taken, source: lowering.diagnostics.from([...at, 'source'], only) };
    }
    return { ...taken, source: lowerText(source, [...at, 'source'], place, lowering, !required) };
  });
}

function lowerOutputs(
  { outputs = {} }: WorkInput,
  path: Path,
  lowering: Lowering,
): Record<string, ValueType> {
  const types = Object.entries(outputs).flatMap(([name, output]) => {
    const type = typeOf(lowering, [...path, 'outputs', name], output);
    return type === null ? [] : [[name, type] as const];
  });
  return Object.fromEntries(types);
}

/**
 * A declared type; reports errors in it, in its allowed values and its default. `path`: of the
 * declaration.
 */
export function typeOf(
  { diagnostics }: Pick<Lowering, 'diagnostics'>,
  path: Path,
  declared: Parameters<typeof readType>[0],
  allowed: readonly Json[] | null = null,
): ValueType | null {
  const read = readType(declared);
  const type = read && { ...read, enum: allowed };
  if (type === null) {
    const hint = 'a list of strings is `array<string>`';
    diagnostics.error('E_VALUE', [...path, 'type'], `\`${declared.type}\` is not a type`, hint);
    return null;
  }
  checkOwnValues(diagnostics, type, path);
  return type;
}

/** An additional turn of the agent's conversation with read-only access. */
function lowerSummary(
  { handoff }: Pick<StageInput, 'handoff'>,
  path: Path,
  place: Place,
  work: Agent,
  timeout: number | null,
  lowering: Lowering,
): Check | null {
  const prompt = handoff?.summary_prompt;
  if (prompt === undefined) return null;
  const at = [...path, 'handoff', 'summary_prompt'];
  return {
    purpose: 'summary',
    work: { ...work, instructions: lowerText(prompt.trim(), at, place, lowering), capabilities: ['READ'] },
    timeout: timeout ?? 30 * 60_000,
    decisionFile: null,
    maxIterations: 1,
    onExhausted: 'continue',
    budget: null,
    convergence: null,
  };
}

const second = 1_000;
const minute = 60 * second;

interface Policy {
  readonly retry: Retry;
  readonly onFailure: FailurePolicy;
  readonly timeout: number;
}

/**
 * What a stage's failure leads to: for each field the stage's value, otherwise the workflow's,
 * otherwise the default of the language.
 */
function policyOf(stage: StageInput['error_policy'], workflow: SwdlFile['error_policy']): Policy {
  const { retry: own = {} } = stage ?? {};
  const { default_retry: usual = {} } = workflow ?? {};
  const attempts = own.max_attempts ?? usual.max_attempts ?? 2;
  return {
    retry: {
      max: attempts - 1,
      base: own.initial_interval ?? usual.initial_interval ?? 30 * second,
      factor: own.backoff_multiplier ?? usual.backoff_multiplier ?? 2,
      cap: own.max_interval ?? usual.max_interval ?? 5 * minute,
      jitter: false,
      codes: null,
      never: own.non_retryable_errors ?? usual.non_retryable_errors ?? [],
      missingOutputs: true,
    },
    onFailure: failurePolicy(stage?.on_failure ?? workflow?.on_stage_failure ?? 'halt'),
    timeout: stage?.timeout ?? 30 * minute,
  };
}

function failurePolicy(word: 'halt' | 'continue' | 'skip_dependents' | 'rollback'): FailurePolicy {
  switch (word) {
    case 'halt':
      return 'abort';
    case 'rollback':
      return 'rollback';
    case 'continue':
      return 'continue';
    case 'skip_dependents':
      return 'skip-dependents';
  }
}
