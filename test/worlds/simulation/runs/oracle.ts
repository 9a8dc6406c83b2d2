import type { RunEvent } from '../../../../src/workflow/machine/event.ts';
import type { Body, Step } from '../../../../src/workflow/model.ts';
import type { RunStatus } from '../../../../src/workflow/machine/status.ts';

/** What a document says of one step: what the oracle needs of it. */
export interface Told {
  readonly status: string;
  readonly error_class: string | null;
  readonly steps?: Readonly<Record<string, Told>>;
  readonly items?: readonly { readonly steps: Readonly<Record<string, Told>> }[];
}

/**
 * What a run must have come to, by what became of its steps and of the wishes of people: written from the specification,
 * without the machine. Null: the steps alone do not say it.
 */
export function expectedStatus(
  body: Body,
  steps: Readonly<Record<string, Told>>,
  events: readonly RunEvent[],
): RunStatus | null {
  const ended = events.findLast((event) => event.type === 'ending' && event.scope === '');
  if (ended?.type === 'ending' && isLast(events, ended)) {
    if (ended.ending.why === 'timed-out') return 'TIMED_OUT';
    // The breaker stops a run in which nothing need have failed for good.
    if (ended.ending.why === 'aborted' && ended.ending.reason.code === 'E_BREAKER') return 'FAILED';
  }
  const isEnd = ({ type }: RunEvent): boolean => type === 'closed';
  const before = events.slice(0, events.findLastIndex(isEnd)).findLastIndex(isEnd);
  if (events.slice(before + 1).some(({ type }) => type === 'cancelled')) return null;
  return fails(body, steps) || isFatal(steps) ? 'FAILED' : 'SUCCEEDED';
}

function isLast(events: readonly RunEvent[], ended: RunEvent): boolean {
  return !events.slice(events.indexOf(ended)).some(({ type }) => type === 'reopened');
}

/** What is fatal anywhere ends the run. */
function isFatal(steps: Readonly<Record<string, Told>>): boolean {
  return Object.values(steps).some(
    (told) =>
      told.error_class === 'FATAL' ||
      (told.items ?? []).some((item) => isFatal(item.steps)) ||
      (told.steps !== undefined && isFatal(told.steps)),
  );
}

/** Whether a graph fails: by a step that failed with a policy that does not go on, or in a way that no policy excuses. */
function fails(body: Body, steps: Readonly<Record<string, Told>>): boolean {
  return body.steps.some((step) => {
    const told = steps[step.id];
    return told?.status === 'FAILED' && !isExcused(step, told);
  });
}

function isExcused({ onFailure, work }: Step, told: Told): boolean {
  return told.error_class !== 'FATAL' && onFailure === 'continue' && work.kind !== 'gate';
}

/** What does not fit together in a document: what a loop or a sub-workflow came to, and what its steps did. */
export function oddities(body: Body, steps: Readonly<Record<string, Told>>): string[] {
  return body.steps.flatMap((step) => {
    const told = steps[step.id];
    if (!told) return [`${step.id} is not told of`];
    if (step.work.kind !== 'for-each' && step.work.kind !== 'workflow') return [];
    const inner = step.work.kind === 'for-each' ? step.work.body : step.work.workflow.body;
    if (inner.kind === 'sequence') return [];
    const parts = told.items?.map((item) => item.steps) ?? (told.steps === undefined ? [] : [told.steps]);
    const failed = parts.some((part) => fails(inner, part));
    if (told.status === 'SUCCEEDED' && failed) return [`${step.id} SUCCEEDED, and something in it failed`];
    // A check can fail a sub-workflow in which nothing did.
    if (told.status === 'FAILED' && !failed && told.error_class !== 'FATAL' && step.check === null)
      return [`${step.id} FAILED, and nothing in it did`];
    return parts.flatMap((part) => oddities(inner, part));
  });
}
