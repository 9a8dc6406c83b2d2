import { nativeLanguage } from '../../workflow/machine/language.ts';
import type { Workflow } from '../../workflow/model.ts';
import { tidyPath } from '../../yaml/paths.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';
import type { LanguageContext } from '../shared/context.ts';
import type { Children } from '../shared/children.ts';
import { lowerBranch } from './branch.ts';
import { checkInside } from './paths.ts';
import type { NativeFile } from './schema.ts';
import { lowerRuns } from './run-limit.ts';
import { bodyOf } from './sequence.ts';
import { lowerSteps } from './steps.ts';
import { lowerHooks, lowerTriggers } from './triggers.ts';
import { lowerEnv, lowerValues } from './values.ts';

/**
 * The workflow of a file, with every default filled in; for a file with errors, its valid parts.
 */
export function lower(
  input: Partial<NativeFile>,
  diagnostics: Diagnostics,
  children: Children,
  { notify, profiles, agentDefaults }: Pick<LanguageContext, 'notify' | 'profiles' | 'agentDefaults'>,
): Workflow {
  const { context_dir: contextDir = 'context' } = input;
  checkInside(diagnostics, ['context_dir'], contextDir);
  const language = nativeLanguage;
  const { provider, capabilities } = agentDefaults;
  const agents = { profiles, provider, capabilities: capabilities ?? ['READ' as const] };
  const lowering = { diagnostics, language, children, agents, isolated: false, steps: lowerSteps };
  const steps = lowerSteps(input.steps ?? {}, ['steps'], lowering);
  return {
    language: 'native',
    name: input.name ?? '',
    version: '1',
    description: input.description ?? null,
    timeout: input.timeout ?? null,
    concurrency: input.concurrency ?? null,
    contextDir: tidyPath(contextDir),
    ...(input.context_dir === undefined && { contextYields: true }),
    ...lowerRuns(input.runs),
    ownWorkspace: null,
    parameters: lowerValues(diagnostics, input.parameters, ['parameters']),
    context: lowerEnv(diagnostics, input.context, ['context'], language),
    env: lowerEnv(diagnostics, input.env, ['env'], language),
    inherit: input.inherit ?? [],
    secrets: input.secrets ?? [],
    budget: input.budget ?? { usd: null, tokens: null },
    triggers: lowerTriggers(diagnostics, input.triggers),
    hooks: lowerHooks(diagnostics, input.hooks, language, notify),
    ...lowerBranch(diagnostics, input, steps),
    body: bodyOf(diagnostics, steps, input, []),
  };
}
