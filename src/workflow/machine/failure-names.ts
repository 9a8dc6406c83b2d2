import type { WorkResult } from './work-result.ts';

/** The name of a failure to deliver the declared outputs. */
export const contractMissed = 'output_contract';

/** The name of a conflict with further work: the worker has resolved the one before it. */
const furtherConflict = 'further_conflict';

type Failed = Extract<WorkResult['outcome'], { is: 'failed' }>;

/** The name of a failure in definitions: the worker's own name for it, else its kind. */
export function failureName({ reported, reason, timedOut, class: errorClass }: Failed): string {
  if (reported !== null) return reported;
  if (errorClass === 'RETRYABLE_RATE_LIMIT') return 'rate_limit_exhausted';
  if (timedOut || reason.code === 'E_TIMEOUT') return 'timeout';
  if (reason.code === 'E_OUTPUT') return contractMissed;
  if (reason.code === 'E_CAPABILITY' || reason.code === 'E_PERMISSIONS') return 'capability_denied';
  const isProvider = reason.code === 'E_PROVIDER' && errorClass === 'NON_RETRYABLE';
  return isProvider || reason.code === 'E_LOGIN' ? 'auth_failure' : 'crashed';
}

/** The name that a failure to leave the work of a merge in git has. */
export function mergeFailure(isFurther: boolean): Pick<Failed, 'reported'> {
  return { reported: isFurther ? furtherConflict : null };
}

const unapprovedRules = 'rules:';

/** The name of a landing that changes rules without approval. */
export function unapprovedName(digest: string): string {
  return `${unapprovedRules}${digest}`;
}

/** The digest of the changes that a person must approve before the work lands; null: none. */
export function unapprovedIn({ outcome }: WorkResult): string | null {
  // A worker can name its own failures, and cannot refuse.
  const asks = outcome.is === 'failed' && outcome.reason.code === 'E_REFUSED';
  const name = (asks && outcome.reported) || '';
  return name.startsWith(unapprovedRules) ? name.slice(unapprovedRules.length) : null;
}

/** Whether a worker has merged some of the work, and has to resolve the next conflict. */
export function meetsFurther({ outcome }: WorkResult): boolean {
  // A worker can name its own failures.
  return (
    outcome.is === 'failed' && outcome.reason.code === 'E_CONFLICT' && outcome.reported === furtherConflict
  );
}
