import type { FailurePolicy, Retry } from '../../workflow/model.ts';
import type { StageInput, SwdlFile } from './schema.ts';

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
export function policyOf(stage: StageInput['error_policy'], workflow: SwdlFile['error_policy']): Policy {
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
