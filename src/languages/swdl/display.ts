import { formatDuration } from '../../kernel/duration.ts';
import type { StepDisplay } from '../../workflow/model.ts';
import type { AgentDefinition } from './agents.ts';
import { memoryQuery } from './memory.ts';
import type { StageInput, SwdlFile, WorkInput } from './schema.ts';

type Fact = readonly [string, string];

/** An agent's stage in a plan. */
export function showWork(
  input: WorkInput & Pick<StageInput, 'name' | 'condition'>,
  { provider, model, capabilities }: AgentDefinition,
  timeout: number | null,
  { context }: Partial<SwdlFile>,
): StepDisplay {
  const { artifact } = input.roles!.primary;
  const modules = [...new Set([...(context?.global_modules ?? []), ...(input.context?.modules ?? [])])];
  const query = memoryQuery(input.context?.memory, context?.memory);
  const memory = query === null ? [] : [`${String(query.maxTokens)} tokens memory`];
  const given = [modules.join(', '), ...memory].filter((text) => text !== '').join(' + ');
  return {
    title: input.name ?? '',
    facts: present([
      ...conditionOf(input),
      ['Agent', model === null ? artifact : `${artifact} (${model})`],
      ['Played by', [provider, ...capabilities].join(', ')],
      [
        'Inputs',
        Object.values(input.inputs ?? {})
          .map(({ source }) => sourceText(source))
          .join(', '),
      ],
      ['Tools', (input.roles!.tools ?? []).join(', ')],
      ['Context', given],
      ['Timeout', timeout === null ? '' : formatDuration(timeout)],
    ]),
  };
}

export function showGate({ name = '', condition, gate, error_policy: policy }: StageInput): StepDisplay {
  const timeout = gate!.timeout ?? policy?.timeout;
  return {
    title: name,
    facts: present([
      ...conditionOf({ condition }),
      ['Type', gate!.kind],
      ['Approvers', (gate!.approvers ?? []).join(', ')],
      ['Choices', (gate!.choices ?? []).join(', ')],
      ['Fields', Object.keys(gate!.fields ?? {}).join(', ')],
      ['Timeout', timeout === undefined ? '' : formatDuration(timeout)],
    ]),
  };
}

/** The same for a fan-out, which repeats it for each item. */
export function showFanOut(source: unknown, { title, facts }: StepDisplay): StepDisplay {
  return {
    title,
    facts: [['For each', typeof source === 'string' ? bare(source) : JSON.stringify(source)], ...facts],
  };
}

function present(facts: readonly Fact[]): Fact[] {
  return facts.filter(([, text]) => text !== '');
}

function conditionOf({ condition }: Pick<StageInput, 'condition'>): Fact[] {
  return condition === undefined || condition === null ? [] : [['Condition', bare(String(condition))]];
}

/** Shortens `${{ stages.plan.outputs.api_spec }}` to `plan.api_spec`. */
function sourceText(source: unknown): string {
  if (typeof source !== 'string') return JSON.stringify(source);
  return bare(source).replaceAll(/\bstages\.([\w-]+)\.outputs\./g, '$1.');
}

function bare(expression: string): string {
  return /^\s*\$\{\{([^]*)\}\}\s*$/.exec(expression)?.[1]?.trim() ?? expression.trim();
}
