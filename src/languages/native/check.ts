import type { Language } from '../../expressions/language.ts';
import type { Check, Convergence } from '../../workflow/model.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';
import type { CheckInput, ConvergenceInput } from './check-schema.ts';
import { keysOfKinds, kinds } from './kinds.ts';
import { checkInside } from './paths.ts';
import type { StepInput } from './step-schema.ts';
import { lowerCommand, lowerWorker } from './work.ts';

const defaultTimeout = 5 * 60_000;

/**
 * The check that decides whether a step is complete; null: it is complete when its worker succeeds.
 */
export function lowerCheck(
  diagnostics: Diagnostics,
  step: StepInput,
  path: Path,
  language: Language,
): Check | null {
  const input = step.completion_check;
  if (input === undefined) {
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
  const work = lowerCheckWork(diagnostics, input, here, language);
  if (work === null) return null;
  if (input.decision_file !== undefined)
    checkInside(diagnostics, [...here, 'decision_file'], input.decision_file);
  return diagnostics.from(here, {
    work,
    timeout: input.timeout ?? (step.timeout === undefined ? defaultTimeout : Math.ceil(step.timeout / 4)),
    decisionFile: input.decision_file ?? null,
    maxIterations: Math.max(iterations, 1),
    onExhausted: step.on_iterations_exhausted ?? 'abort',
    budget: input.budget ?? null,
    convergence: lowerConvergence(diagnostics, step.convergence, [...path, 'convergence']),
  });
}

function lowerCheckWork(
  diagnostics: Diagnostics,
  input: CheckInput,
  path: Path,
  language: Language,
): Check['work'] | null {
  const { worker, command } = input;
  if (worker !== undefined && command !== undefined) {
    diagnostics.error(
      'E_WORKFLOW',
      [...path, 'command'],
      'a check is a worker or a command, not both',
      null,
      'key',
    );
    return null;
  }
  if (command !== undefined) return lowerCommand(diagnostics, { ...input, command }, path, language);
  if (worker !== undefined) return lowerWorker(diagnostics, { ...input, worker }, path, language);
  const hint = 'give it a `worker` with `instructions` and `capabilities`, or a `command`';
  diagnostics.error('E_MISSING_KEY', path, 'nothing says who makes the completion check', hint, 'key');
  return null;
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
