import { nativeLanguage } from '../../../core/workflow/language.ts';
import type { Workflow } from '../../../core/workflow/model.ts';
import { tidyPath } from '../../paths.ts';
import type { Scribe } from '../scribe.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Children } from '../children.ts';
import { checkInside } from './paths.ts';
import type { NativeFile } from './schema.ts';
import { bodyOf } from './sequence.ts';
import { lowerEnv, lowerSteps } from './steps.ts';
import { lowerHooks, lowerTriggers } from './triggers.ts';
import { lowerValues } from './values.ts';

/** What a file says, with every default filled in; of a file with mistakes, what is left of it. */
export function lower(
  input: Partial<NativeFile>,
  scribe: Scribe,
  children: Children,
  notify: Surroundings['notify'],
): Workflow {
  const { context_dir: contextDir = 'context' } = input;
  checkInside(scribe, ['context_dir'], contextDir);
  const language = nativeLanguage;
  const lowering = { scribe, language, children, steps: lowerSteps };
  return {
    language: 'native',
    name: input.name ?? '',
    version: '1',
    description: input.description ?? null,
    timeout: input.timeout ?? null,
    concurrency: input.concurrency ?? null,
    contextDir: tidyPath(contextDir),
    home: null,
    parameters: lowerValues(scribe, input.parameters, ['parameters']),
    context: lowerEnv(scribe, input.context, ['context'], language),
    env: lowerEnv(scribe, input.env, ['env'], language),
    inherit: input.inherit ?? [],
    secrets: input.secrets ?? [],
    budget: input.budget ?? { usd: null, tokens: null },
    triggers: lowerTriggers(scribe, input.triggers),
    hooks: lowerHooks(scribe, input.hooks, language, notify),
    body: bodyOf(scribe, lowerSteps(input.steps ?? {}, ['steps'], lowering), input, []),
  };
}
