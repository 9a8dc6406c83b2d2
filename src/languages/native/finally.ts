import { parseDuration } from '../../kernel/duration.ts';
import type { Body, Step, StepId } from '../../workflow/model.ts';
import type { Lowering } from './lowering.ts';
import { bareStep } from '../shared/bare-step.ts';
import { bodyOf } from './sequence.ts';
import type { NativeFile } from './schema.ts';

/** The step that runs finally; it has the name of its key. */
const lastStep: StepId = 'finally';

/** How long each step of it may take where it says nothing: the run's timeout does not bound it. */
const usualTime = parseDuration('10m');

/** The steps of `finally` as one step; null: there are none. */
export function lowerFinally(
  input: NativeFile['finally'],
  others: readonly Step[],
  lowering: Lowering,
): Step | null {
  if (input === undefined) return null;
  const { diagnostics } = lowering;
  const path = [lastStep];
  const isTwice = others.some(({ id }) => id === lastStep);
  if (isTwice)
    diagnostics.error(
      'E_DUPLICATE',
      ['steps', lastStep],
      '`finally` is already the steps that run last',
      null,
      'key',
    );
  for (const [id, { gate }] of Object.entries(input))
    if (gate !== undefined && gate.timeout === undefined)
      diagnostics.error(
        'E_MISSING_KEY',
        [...path, id, 'gate'],
        `the gate \`${id}\` would keep the run from ending`,
        'give it a `timeout`, and say by `on_timeout` what follows then',
        'key',
      );
  const steps = lowering.steps(input, path, { ...lowering, timeout: usualTime });
  const body = bodyOf(diagnostics, steps, {}, path, path);
  if (isTwice) return null;
  return diagnostics.from<Step>(path, {
    ...bareStep,
    id: lastStep,
    join: 'all_done',
    work: diagnostics.from(path, { kind: 'finally', body }),
    timeout: null,
    retry: { max: 0, base: 0, factor: 1, cap: 0, jitter: false, codes: null },
    onFailure: 'skip-dependents',
  });
}

/** A body with the step that runs finally, which comes after all others. */
export function withLast(body: Body, last: Step | null): Body {
  if (last === null) return body;
  if (body.kind === 'sequence') return { ...body, steps: [...body.steps, last] };
  const needed = new Set(body.steps.flatMap(({ needs }) => needs.map(({ step }) => step)));
  const needs = body.steps.filter(({ id }) => !needed.has(id)).map(({ id }) => ({ step: id, when: null }));
  return { ...body, steps: [...body.steps, { ...last, needs }] };
}
