import * as z from 'zod';
import type { Language } from '../../expressions/language.ts';
import type { Body, Need, Next, Route, Step, StepId, Target } from '../../workflow/model.ts';
import { name, text, wholeNumber } from '../../yaml/schema.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';

/** The default limit of visits to a step of a sequence. */
const usualVisits = 1_000;

const target = z.union(
  [
    name,
    z
      .strictObject({
        end: z
          .enum(['round', 'loop', 'run', 'failed'])
          .describe('What is over: this round, the loop, the run; or the run has failed.'),
        message: text.optional().describe('What a run that failed says; expressions are allowed.'),
      })
      .meta({ title: 'end' }),
  ],
  { error: 'a step, or `{ end: round | loop | run | failed }`' },
);

export const next = z
  .strictObject({
    success: target.describe('The step that comes next, or an end.'),
    failure: target.describe('The same after a failure.'),
    timeout: target.optional().describe('The same when its time is over; default: as after a failure.'),
  })
  .meta({ title: 'ways on' });

export const way = z
  .strictObject({
    when: z.string().optional().describe('An expression; default: the way is always taken.'),
    to: target.describe('The step that comes next, or an end.'),
  })
  .meta({ title: 'way' });

/** The keys for the order of the steps of a body. */
export const flowKeys = {
  flow: z
    .enum(['graph', 'sequence'])
    .optional()
    .describe('graph (default): as soon as dependencies allow; sequence: one after another, by `next`.'),
  max_visits: wholeNumber(1)
    .optional()
    .describe('How often a step of a sequence may be entered; default 1000.'),
};

export type NextInput = z.output<typeof next>;
type TargetInput = z.output<typeof target>;

export interface FlowInput {
  readonly flow?: 'graph' | 'sequence' | undefined;
  readonly max_visits?: number | undefined;
}

/** Steps as a body; `path`: of the mapping that defines the flow, `stepsAt`: of the steps. */
export function bodyOf(
  diagnostics: Diagnostics,
  steps: readonly Step[],
  { flow, max_visits: most }: FlowInput,
  path: Path,
  stepsAt: Path = [...path, 'steps'],
): Body {
  if (flow === 'sequence') {
    for (const step of steps)
      if (step.needs.length > 0)
        diagnostics.error(
          'E_WORKFLOW',
          [...path, 'flow'],
          `\`${step.id}\` has dependencies, but a sequence continues by \`next\``,
          null,
        );
    return { kind: 'sequence', steps, maxVisits: most ?? usualVisits };
  }
  if (most !== undefined)
    diagnostics.warn([...path, 'max_visits'], '`max_visits` does nothing unless `flow` is sequence');
  const isFinally = path === stepsAt;
  const isGraph = 'the steps of `finally` are always a graph: order them by `depends_on` and `when`';
  for (const step of steps) {
    if (step.work.kind === 'route')
      diagnostics.error(
        'E_WORKFLOW',
        [...stepsAt, step.id, 'route'],
        `\`route\` of \`${step.id}\` does nothing in a graph`,
        isFinally ? isGraph : 'say `flow: sequence`, or give the steps after it `when`',
        'key',
      );
    if (step.next !== null)
      diagnostics.error(
        'E_WORKFLOW',
        [...stepsAt, step.id, 'next'],
        `\`next\` of \`${step.id}\` does nothing in a graph`,
        isFinally ? isGraph : 'say `flow: sequence`, or `depends_on`',
        'key',
      );
  }
  const ids = new Set(steps.map(({ id }) => id));
  const graph = steps.map((step) => waitingForMerged(diagnostics, step, ids, [...stepsAt, step.id]));
  return { kind: 'graph', steps: graph };
}

/** A merge waits for what it merges, without naming it under `depends_on`. `path`: of the step. */
function waitingForMerged(
  diagnostics: Diagnostics,
  step: Step,
  beside: ReadonlySet<StepId>,
  path: Path,
): Step {
  const named = new Set(step.needs.map((need) => need.step));
  // A step that does not exist is reported where it is merged.
  const merged = (step.checkout?.merges ?? []).filter(
    (id) => beside.has(id) && !named.has(id) && id !== step.id,
  );
  if (merged.length === 0) return step;
  const key = step.needs.length === 0 ? 'merge' : 'depends_on';
  const needs = [...step.needs, ...[...new Set(merged)].map((id): Need => ({ step: id, when: null }))];
  return diagnostics.from(path, { ...step, needs: diagnostics.from([...path, key], needs) });
}

export function lowerNext(
  diagnostics: Diagnostics,
  input: NextInput | undefined,
  path: Path,
  language: Language,
): Next | null {
  if (input === undefined) return null;
  const lower = (each: keyof NextInput): Target | null => {
    const given = input[each];
    return given === undefined ? null : lowerTarget(diagnostics, given, [...path, each], language);
  };
  return diagnostics.from(path, {
    success: lower('success')!,
    failure: lower('failure')!,
    timeout: lower('timeout'),
  });
}

/** Warns of ways that are never taken. */
export function lowerRoute(
  diagnostics: Diagnostics,
  ways: readonly z.output<typeof way>[],
  path: Path,
  language: Language,
): Route {
  const first = ways.findIndex(({ when }) => when === undefined);
  if (first !== -1 && first < ways.length - 1)
    diagnostics.warn([...path, first + 1], 'this way is never taken: the one above it always is');
  const lowered = ways.map(({ when, to }, index) => {
    const at = [...path, index];
    return diagnostics.from(at, {
      when: when === undefined ? null : diagnostics.expression([...at, 'when'], when, language),
      to: lowerTarget(diagnostics, to, [...at, 'to'], language),
    });
  });
  return diagnostics.from(path, { kind: 'route', ways: diagnostics.from(path, lowered) });
}

function lowerTarget(diagnostics: Diagnostics, input: TargetInput, path: Path, language: Language): Target {
  if (typeof input === 'string') return { to: 'step', step: input };
  const { end, message } = input;
  if (message !== undefined && end !== 'failed')
    diagnostics.warn([...path, 'message'], '`message` is said only by a run that has failed');
  switch (end) {
    case 'round':
      return { to: 'continue' };
    case 'loop':
      if (!language.namespaces.includes('loop'))
        diagnostics.error('E_WORKFLOW', [...path, 'end'], 'no loop is around this step', 'write `run`');
      return { to: 'break' };
    case 'run':
      return { to: 'finish' };
    case 'failed':
      return {
        to: 'fail',
        message: message === undefined ? null : diagnostics.template([...path, 'message'], message, language),
      };
  }
}
