import type { JsonObject } from '../../../kernel/json.ts';
import type { Template } from '../../../expressions/template.ts';
import type { Agent } from '../../../workflow/agent.ts';
import type { Check, Step, PromptInput } from '../../../workflow/model.ts';
import { providers } from '../work.ts';
import { scriptText, templateText, templateTexts } from './expression.ts';
import { duration, typeOf, withoutNothing } from './parts.ts';

/** The agent of a step and its task. `choice`: the expression that chooses the agent. */
export function writeAgent(work: Agent, choice?: Template): JsonObject {
  const worker = Object.entries(providers).find(([, name]) => name === work.provider)?.[0];
  const named = worker === undefined ? { provider: work.provider } : { worker };
  return withoutNothing({
    ...(choice === undefined ? named : { agent: templateText(choice) }),
    instructions: templateText(work.instructions),
    // A step whose agent is chosen may leave its permissions to that agent.
    capabilities: choice === undefined || work.capabilities.length > 0 ? [...work.capabilities] : null,
    model: work.model,
    variant: work.variant,
    max_steps: work.maxSteps,
    max_command_time: work.maxCommandTime && duration(work.maxCommandTime),
    mcp: work.mcp && [...work.mcp],
    may_configure: work.mayConfigure,
  });
}

/** The other inputs of an agent's prompt, by name; null: none. */
export function writeTakes(takes: readonly PromptInput[] = []): JsonObject | null {
  if (takes.length === 0) return null;
  return Object.fromEntries(takes.map((taken) => [taken.name, writeTaken(taken)]));
}

function writeTaken({ source, type, required, description, log }: PromptInput): JsonObject {
  const what = log === undefined ? { value: templateText(source) } : { log };
  return withoutNothing({ ...what, ...(type && typeOf(type)), required: required || null, description });
}

/** The request for an agent's summary; null: none. */
export function summaryOf(check: Check | null): string | null {
  return check?.purpose === 'summary' && check.work.kind === 'agent'
    ? templateText(check.work.instructions)
    : null;
}

/** The check that decides whether a step is complete, and what happens until then. */
export function writeCheck({ check }: Step): JsonObject {
  if (check === null || check.purpose === 'summary') return {};
  const { timeout, decisionFile, maxIterations, onExhausted, budget, convergence, env, network } = check;
  return withoutNothing({
    completion_check: withoutNothing({
      ...writeChecker(check.work),
      timeout: duration(timeout),
      decision_file: decisionFile,
      env: env && templateTexts(env),
      network,
      budget: budget && withoutNothing({ ...budget }),
    }),
    max_iterations: maxIterations,
    on_iterations_exhausted: onExhausted,
    convergence: convergence && writeConvergence(convergence),
  });
}

function writeChecker(work: Check['work']): JsonObject {
  switch (work.kind) {
    case 'agent':
      return writeAgent(work);
    case 'script':
      return {
        worker: 'CUSTOM',
        instructions: scriptText(work.script),
        capabilities: [...work.capabilities],
      };
    case 'command':
      return withoutNothing({
        command: work.argv.map(templateText),
        capabilities: work.capabilities && [...work.capabilities],
      });
  }
}

function writeConvergence(settings: NonNullable<Check['convergence']>): JsonObject {
  const { diffBase, stages } = settings;
  return withoutNothing({
    enabled: true,
    stall_threshold: settings.stallThreshold,
    max_stage: settings.maxStage,
    fail_on_max_stage: settings.failOnMaxStage,
    stages: stages.map(({ stage, instructions }) => ({ stage, append_instructions: instructions })),
    allowed_paths: [...settings.allowedPaths],
    ignored_paths: [...settings.ignoredPaths],
    ...(diffBase.kind === 'ref' ? { diff_base_ref: diffBase.ref } : { diff_base_ref_file: diffBase.path }),
    max_changed_files: settings.maxChangedFiles,
  });
}
