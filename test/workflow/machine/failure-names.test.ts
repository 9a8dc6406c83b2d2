import { expect, test } from 'vitest';
import type { ErrorClass, ErrorCode } from '../../../src/kernel/errors.ts';
import { failureName } from '../../../src/workflow/machine/failure-names.ts';

test.each<[string, ErrorClass, ErrorCode, string | null, boolean]>([
  ['merge_conflict', 'RETRYABLE_TRANSIENT', 'E_STEP', 'merge_conflict', false],
  ['rate_limit_exhausted', 'RETRYABLE_RATE_LIMIT', 'E_PROVIDER', null, false],
  ['timeout', 'RETRYABLE_TRANSIENT', 'E_TIMEOUT', null, true],
  ['output_contract', 'NON_RETRYABLE', 'E_OUTPUT', null, false],
  ['capability_denied', 'NON_RETRYABLE', 'E_PERMISSIONS', null, false],
  ['auth_failure', 'NON_RETRYABLE', 'E_PROVIDER', null, false],
  ['auth_failure', 'NON_RETRYABLE', 'E_LOGIN', null, false],
  ['crashed', 'RETRYABLE_TRANSIENT', 'E_PROVIDER', null, false],
])('a failure is called %s: %s, %s', (name, errorClass, code, reported, timedOut) => {
  const reason = { code, text: 'why' };
  expect(failureName({ is: 'failed', class: errorClass, reason, reported, until: null, timedOut })).toBe(
    name,
  );
});
