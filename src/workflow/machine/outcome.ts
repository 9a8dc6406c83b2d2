import type { ErrorClass, Reason } from '../../kernel/errors.ts';
import { rulesReason, type RuleChanges } from '../../kernel/work.ts';
import { unapprovedName } from './failure-names.ts';
import { blankResult, type WorkResult } from './work-result.ts';
import { readExit, type Returned } from './exits.ts';
import { brokenBlock, valuesFromText, reportedError, resultOf, withAnswers } from './outputs-from-text.ts';
import type { Collected, Launch } from './launch.ts';
import { withDefaults } from './values.ts';
import type { Stall } from '../model.ts';

export { outputsFromText } from './outputs-from-text.ts';
export { readCheck } from './verdict.ts';

/** The result of a worker's run. Total: any output of an agent gives a result. */
export function readWork(launch: Launch, { exit, outcome, collected }: Returned): WorkResult {
  const ended = readExit(launch, exit, outcome);
  const base = resultOf(ended, exit, outcome);
  if (isUnfinished(launch, base))
    return { ...base, artifacts: collected.artifacts, warnings: [...base.warnings, ...collected.warnings] };
  if (ended.outcome.is !== 'done') return base;
  const read = valuesFromText(launch, collected, ended.text);
  if ('unreadable' in read)
    return failWith(base, { code: 'E_OUTPUT', text: `the values: ${read.unreadable}` });
  const reported = reportedError(read.values);
  if (reported !== null) {
    const reason = { code: 'E_STEP', text: `${reported.code}: ${reported.message}` } as const;
    return failWith(base, reason, 'RETRYABLE_TRANSIENT', reported.code);
  }
  const absent = collected.missing
    .filter(({ required }) => required)
    .map((output) => `\`${output.name}\`${output.found === undefined ? '' : ` (${other(output)})`}`);
  if (absent.length > 0) {
    const text = `required outputs are not there: ${absent.join(', ')}`;
    return failWith(base, { code: 'E_OUTPUT', text }, 'NON_RETRYABLE', 'output_contract');
  }
  const { values, problems, undeclared } = withDefaults(
    launch.values,
    withAnswers(launch, ended.text, read.values),
  );
  if (problems.length > 0) {
    const broken = brokenBlock(launch, ended.text);
    const also = broken === null ? '' : `; its last block of JSON: ${broken}`;
    const text = `what it handed over does not fit: ${problems.join('; ')}${also}`;
    return failWith(base, { code: 'E_OUTPUT', text }, 'NON_RETRYABLE', 'output_contract');
  }
  const warnings = [
    ...base.warnings,
    ...collected.warnings,
    ...collected.missing.map(
      (output) =>
        `the output \`${output.name}\` is not there: ${output.found === undefined ? output.path : other(output)}`,
    ),
    ...undeclared.map((name) => `the value \`${name}\` is not declared and was left out`),
  ];
  return { ...base, values, artifacts: collected.artifacts, warnings };
}

function other({ path, found = '' }: Collected['missing'][number]): string {
  return `${path} is ${found}, not a file or folder`;
}

/** Whether a worker was ended because it printed nothing, and its step is incomplete for that. */
export function isUnfinished(
  { stall }: { readonly stall?: Stall | null },
  { outcome }: Pick<WorkResult, 'outcome'>,
): boolean {
  return stall?.policy === 'incomplete' && outcome.is === 'failed' && outcome.reason.code === 'E_STALLED';
}

function failWith(
  result: WorkResult,
  reason: Reason,
  errorClass: ErrorClass = 'NON_RETRYABLE',
  reported: string | null = null,
): WorkResult {
  const outcome = {
    is: 'failed',
    class: errorClass,
    reason,
    reported,
    until: null,
    timedOut: false,
  } as const;
  return { ...result, outcome };
}

/** The result of a landing that only a person can allow. */
export function unapproved(rules: RuleChanges): WorkResult {
  const text = `${rulesReason(rules)}, so it lands only once a person has approved it`;
  return failWith(blankResult, { code: 'E_REFUSED', text }, 'NON_RETRYABLE', unapprovedName(rules.digest));
}

/**
 * The result of a process that never ran, or whose output could not be kept, because of the host.
 */
export function failedResult(errorClass: ErrorClass, reason: Reason): WorkResult {
  return failWith(blankResult, reason, errorClass);
}
