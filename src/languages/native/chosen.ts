import { opening, type Template } from '../../expressions/template.ts';
import { defaultTimeout } from '../../kernel/duration.ts';
import { unknownAgentHint } from '../../config/config.ts';
import { originOf, withProfile, type Profile } from '../../config/profiles.ts';
import type { Agent, TakenProfile } from '../../workflow/agent.ts';
import type { Step } from '../../workflow/model.ts';
import type { Path } from '../../yaml/yaml.ts';
import { missing } from './kinds.ts';
import type { Lowering } from './lowering.ts';
import type { StepInput } from './step-schema.ts';
import { lowerAgent, stallOf } from './work.ts';
import { ownValue } from '../../kernel/own.ts';

/** Whether an expression chooses the agent of a step. */
export function isChosen({ agent }: Pick<StepInput, 'agent'>): boolean {
  return agent?.includes(opening) === true;
}

/**
 * A step with the settings of the agent that it names, where it sets none itself; reports an
 * unknown agent. A step whose agent an expression chooses is unchanged.
 */
export function withAgent(input: StepInput, path: Path, { diagnostics, agents }: Lowering): StepInput {
  if (input.agent === undefined || isChosen(input)) return input;
  const profile = agents.profiles.get(input.agent);
  if (profile !== undefined) return withProfile(input, profile);
  const hint = unknownAgentHint(input.agent, agents.profiles);
  diagnostics.error('E_UNKNOWN_NAME', [...path, 'agent'], `no agent is called \`${input.agent}\``, hint);
  return input;
}

/**
 * The work of a step with `agent`. `own`: the step as its file has it; `input`: with its agent's
 * settings. Null, and reported: nothing names a provider.
 */
export function lowerNamedAgent(
  own: StepInput,
  input: StepInput,
  path: Path,
  lowering: Lowering,
): Agent | null {
  const { diagnostics, agents, language } = lowering;
  const at = [...path, 'agent'];
  const profile = agents.profiles.get(input.agent!);
  if (profile === undefined) {
    if (!isChosen(input)) return null;
    if (input.summary !== undefined)
      diagnostics.error(
        'E_WORKFLOW',
        [...path, 'summary'],
        'a step whose agent an expression chooses has no `summary`',
        'name its agent, or let a step after it sum up what was done',
        'key',
      );
  }
  if (input.instructions === undefined && profile?.settings.instructions === undefined)
    missing(diagnostics, 'instructions', path, 'agent');
  const provider = input.provider ?? agents.provider;
  if (provider === null && profile !== undefined) {
    const hint = `give the agent \`${profile.name}\`, the step, or \`defaults\` in mailroom.yaml a \`provider\``;
    diagnostics.error('E_MISSING_KEY', at, 'nothing names a provider', hint);
    return null;
  }
  const capabilities = input.capabilities ?? (profile === undefined ? [] : [...agents.capabilities]);
  const work = lowerAgent(diagnostics, provider ?? '', { ...input, capabilities }, path, language);
  if (profile === undefined) return diagnostics.from(path, work);
  for (const key of ['capabilities', 'mcp'] as const) {
    const origin = originOf(profile, key, own);
    if (origin !== null && work[key]) diagnostics.from(at, work[key], origin);
  }
  const named = {
    ...work,
    profile: takenFrom(profile, own),
    instructions: preceded(work.instructions, profile),
  };
  return diagnostics.from(own.provider === undefined ? at : path, named, originOf(profile, 'provider', own));
}

/** The agents that an expression may choose for a step; `{}`: none does. */
export function lowerChoice(
  input: StepInput,
  step: Step,
  path: Path,
  { diagnostics, agents, language }: Lowering,
): Pick<Step, 'choice'> {
  const { work } = step;
  if (!isChosen(input) || work.kind !== 'agent') return {};
  const at = [...path, 'agent'];
  const name = diagnostics.from(at, diagnostics.template(at, input.agent!, language));
  const entries = [...agents.profiles.values()].flatMap((profile) => {
    const {
      provider = agents.provider,
      model = null,
      capabilities = agents.capabilities,
      ...its
    } = withProfile(input, profile);
    if (provider === null) return [];
    const { timeout = defaultTimeout, budget = null, network, mcp, may_configure: configures } = its;
    const chosen: Agent = {
      ...work,
      provider,
      model,
      ...(its.variant !== undefined && { variant: its.variant }),
      maxSteps: its.max_steps ?? null,
      maxCommandTime: its.max_command_time ?? null,
      capabilities: diagnostics.from(at, [...capabilities], originOf(profile, 'capabilities', input)),
      profile: takenFrom(profile, input),
      instructions: preceded(work.instructions, profile),
      ...(mcp !== undefined && { mcp: diagnostics.from(at, [...mcp], originOf(profile, 'mcp', input)) }),
      ...(configures === true && { mayConfigure: true as const }),
    };
    const env = { ...literals(profile.settings.env), ...step.env };
    diagnostics.from(at, chosen, originOf(profile, 'provider', input));
    const variant = { work: chosen, timeout, budget, env, network: network ?? true, ...stallOf(its) };
    return [[profile.name, variant] as const];
  });
  return { choice: { name, agents: Object.fromEntries(entries) } };
}

function literals(env: Readonly<Record<string, string>> = {}): Record<string, Template> {
  return Object.fromEntries(
    Object.entries(env).map(([name, text]) => [name, text === '' ? [] : [{ kind: 'text', text }]]),
  );
}

/** The instructions of a profile before those of the step. */
function preceded(own: Template, { settings: { instructions } }: Profile): Template {
  if (instructions === undefined) return own;
  const [first, ...rest] = own;
  const before = `${instructions.trimEnd()}\n\n`;
  if (first?.kind === 'text') return [{ kind: 'text', text: before + first.text }, ...rest];
  return [{ kind: 'text', text: before }, ...own];
}

function takenFrom({ name, settings }: Profile, own: StepInput): TakenProfile {
  const isOwn = (key: string) => ownValue(own as Readonly<Record<string, unknown>>, key) !== undefined;
  const isTaken = (key: string) => ['instructions', 'env', 'budget'].includes(key) || !isOwn(key);
  return { name, sets: Object.keys(settings).filter(isTaken) };
}
