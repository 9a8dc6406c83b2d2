import type { Check, Convergence } from '../../workflow/model.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';
import type { CheckInput, ConvergenceInput } from './check-schema.ts';
import { isChosen, lowerNamedAgent, withAgent } from './chosen.ts';
import { keysOfKinds, kinds, kindWords, workers } from './kinds.ts';
import type { Lowering } from './lowering.ts';
import { checkInside } from './paths.ts';
import type { StepInput } from './step-schema.ts';
import { lowerEnv } from './values.ts';
import { checkNeeded, lowerAgent, lowerCommand, lowerWorker } from './work.ts';

const defaultTimeout = 5 * 60_000;

/**
 * The check that decides whether a step is complete; null: it is complete when its worker succeeds.
 */
export function lowerCheck(step: StepInput, path: Path, lowering: Lowering): Check | null {
  const { diagnostics, language } = lowering;
  const own = step.completion_check;
  if (own === undefined) {
    warnUseless(diagnostics, step, path);
    return null;
  }
  const here = [...path, 'completion_check'];
  const iterations = step.max_iterations ?? 1;
  if (iterations < 2) {
    const at = step.max_iterations === undefined ? here : [...path, 'max_iterations'];
    const message = 'with a completion check, `max_iterations` must be at least 2';
    const hint = 'with 1, the default, nothing would be run again';
    diagnostics.error('E_WORKFLOW', at, message, hint, step.max_iterations === undefined ? 'key' : 'value');
  }
  const input: StepInput & CheckInput = withAgent(own, here, lowering);
  const work = lowerCheckWork(own, input, here, lowering);
  if (work === null) return null;
  if (own.decision_file !== undefined)
    checkInside(diagnostics, [...here, 'decision_file'], own.decision_file);
  return diagnostics.from(here, {
    work,
    timeout: input.timeout ?? (step.timeout === undefined ? defaultTimeout : Math.ceil(step.timeout / 4)),
    decisionFile: own.decision_file ?? null,
    maxIterations: Math.max(iterations, 1),
    onExhausted: step.on_iterations_exhausted ?? 'abort',
    budget: input.budget ?? null,
    convergence: lowerConvergence(diagnostics, step.convergence, [...path, 'convergence']),
    ...(input.env !== undefined && { env: lowerEnv(diagnostics, input.env, [...here, 'env'], language) }),
    ...(input.network === false && { network: false as const }),
  });
}

/** `own`: the check as its file has it; `input`: with its agent's settings. */
function lowerCheckWork(
  own: CheckInput,
  input: StepInput & CheckInput,
  path: Path,
  lowering: Lowering,
): Check['work'] | null {
  const { diagnostics, language } = lowering;
  // Beside an agent, a provider replaces the agent's own.
  const [kind, other] = workers.filter(
    (each) => own[each] !== undefined && !(each === 'provider' && own.agent !== undefined),
  );
  if (kind === undefined) {
    const hint = 'give it a `worker` with `instructions` and `capabilities`, an `agent`, or a `command`';
    diagnostics.error('E_MISSING_KEY', path, 'nothing says who makes the completion check', hint, 'key');
    return null;
  }
  if (other !== undefined) {
    const message = `a check is ${kindWords[kind]} or ${kindWords[other]}, not both`;
    diagnostics.error('E_WORKFLOW', [...path, other], message, null, 'key');
    return null;
  }
  switch (kind) {
    case 'worker':
      return lowerWorker(diagnostics, { ...own, worker: own.worker! }, path, language);
    case 'provider':
      checkNeeded(diagnostics, own, path, kind);
      return diagnostics.from(path, lowerAgent(diagnostics, own.provider!, own, path, language));
    case 'agent':
      // An expression is refused: no value of the step chooses who judges it.
      return isChosen(own) ? null : lowerNamedAgent(own, input, path, lowering);
    case 'command':
      return lowerCommand(diagnostics, { ...own, command: own.command! }, path, language);
  }
}

/** Warns of keys that have no effect for the step's kind. */
function warnUseless(diagnostics: Diagnostics, step: StepInput, path: Path): void {
  if (kinds.some((kind) => step[kind] !== undefined && !keysOfKinds[kind].includes('completion_check')))
    return;
  const keys = ['on_iterations_exhausted', 'convergence'] as const;
  const useless: string[] = keys.filter((key) => step[key] !== undefined);
  if ((step.max_iterations ?? 1) > 1) useless.push('max_iterations');
  for (const key of useless) {
    if (key === 'convergence' && step.convergence?.enabled !== true) continue;
    diagnostics.warn([...path, key], `\`${key}\` does nothing without a \`completion_check\``);
  }
}

/** Null if it is not enabled. */
function lowerConvergence(
  diagnostics: Diagnostics,
  input: ConvergenceInput | undefined,
  path: Path,
): Convergence | null {
  if (input === undefined) return null;
  const maxStage = input.max_stage ?? 3;
  const seen = new Set<number>();
  for (const [index, { stage }] of (input.stages ?? []).entries()) {
    const at = [...path, 'stages', index, 'stage'];
    if (seen.has(stage)) diagnostics.error('E_DUPLICATE', at, `the stage ${stage} is given twice`, null);
    seen.add(stage);
    if (stage > maxStage)
      diagnostics.warn(at, `the stage ${stage} is never reached: the last one is ${maxStage}`);
  }
  const file = input.diff_base_ref_file;
  if (file !== undefined) checkInside(diagnostics, [...path, 'diff_base_ref_file'], file);
  if (file !== undefined && input.diff_base_ref !== undefined)
    diagnostics.warn([...path, 'diff_base_ref'], '`diff_base_ref` does nothing beside `diff_base_ref_file`');
  if (input.enabled !== true) return null;
  const stages = (input.stages ?? []).flatMap(({ stage, append_instructions: instructions }) =>
    instructions === undefined ? [] : [{ stage, instructions }],
  );
  return {
    stallThreshold: input.stall_threshold ?? 2,
    maxStage,
    failOnMaxStage: input.fail_on_max_stage ?? true,
    stages,
    allowedPaths: input.allowed_paths ?? [],
    ignoredPaths: input.ignored_paths ?? [],
    diffBase:
      file === undefined ? { kind: 'ref', ref: input.diff_base_ref ?? 'HEAD' } : { kind: 'file', path: file },
    maxChangedFiles: input.max_changed_files ?? null,
  };
}
