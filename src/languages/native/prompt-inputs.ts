import { defaultTimeout } from '../../kernel/duration.ts';
import type { Check, Step, PromptInput, Work } from '../../workflow/model.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Lowering } from './lowering.ts';
import type { TakenInput } from './parts.ts';
import type { StepInput } from './step-schema.ts';
import { lowerValue } from './values.ts';

/** The inputs of an agent's prompt besides its instructions; `{}`: none. */
export function lowerTakes(
  input: StepInput,
  work: Work,
  path: Path,
  lowering: Lowering,
): Pick<Step, 'promptInputs'> {
  if (input.takes === undefined) return {};
  expectAgent('takes', work, path, lowering);
  const promptInputs = Object.entries(input.takes).map(([name, taken]) =>
    lowerTaken(name, taken, [...path, 'takes', name], lowering),
  );
  return { promptInputs };
}

function lowerTaken(
  name: string,
  input: TakenInput,
  path: Path,
  { diagnostics, language }: Lowering,
): PromptInput {
  const { value, log, type, required = false, description = null } = input;
  if ((value === undefined) === (log === undefined))
    diagnostics.error(
      'E_WORKFLOW',
      path,
      'give either a `value` or a `log`',
      'write `value: "${{ … }}"`, or `log: <step>`',
      'key',
    );
  const at = [...path, 'value'];
  const source = value === undefined ? [] : diagnostics.from(at, diagnostics.template(at, value, language));
  return diagnostics.from(path, {
    name,
    description,
    source,
    type: type === undefined ? null : lowerValue(diagnostics, { ...input, type }, path),
    required,
    ...(log === undefined ? {} : { log }),
  });
}

/** An agent's additional turn for its summary; null: none was requested. */
export function lowerSummary(input: StepInput, work: Work, path: Path, lowering: Lowering): Check | null {
  if (input.summary === undefined) return null;
  const at = [...path, 'summary'];
  if (input.completion_check !== undefined)
    lowering.diagnostics.error(
      'E_WORKFLOW',
      at,
      'a step has a `summary` or a `completion_check`, not both',
      'let a step after it sum up what was done',
      'key',
    );
  if (!expectAgent('summary', work, path, lowering)) return null;
  const instructions = lowering.diagnostics.template(at, input.summary, lowering.language);
  return {
    purpose: 'summary',
    work: { ...work, instructions, capabilities: ['READ'] },
    timeout: input.timeout ?? defaultTimeout,
    decisionFile: null,
    maxIterations: 1,
    onExhausted: 'continue',
    budget: null,
    convergence: null,
  };
}

function expectAgent(
  key: 'takes' | 'summary',
  work: Work,
  path: Path,
  { diagnostics }: Lowering,
): work is Extract<Work, { kind: 'agent' }> {
  if (work.kind === 'agent') return true;
  const hint = key === 'takes' ? 'a script reads variables: write it under `env`' : null;
  diagnostics.error(
    'E_UNKNOWN_KEY',
    [...path, key],
    `\`${key}\` does nothing with CUSTOM: it is a script`,
    hint,
    'key',
  );
  return false;
}
