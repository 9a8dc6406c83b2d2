import type { OtherAgents } from '../../../src/kernel/why.ts';
import { RunExplainer, type RunWhy } from '../../../src/workflow/machine/explain/explain.ts';
import type { Slots } from '../../../src/workflow/machine/decide/context.ts';
import type { Rules } from '../../../src/workflow/machine/rules.ts';
import type { RunState } from '../../../src/workflow/machine/state.ts';

/** What `why` says of a run and of every step of it that has not ended, by its path; '' is the run. */
export function explanations(
  state: RunState,
  rules: Rules,
  now: number,
  slots?: Slots,
  others?: OtherAgents,
): Map<string, RunWhy> {
  const explainer = new RunExplainer(state, rules, now, slots, others);
  const found = new Map([['', explainer.run()]]);
  for (const [path, scope] of state.scopes) {
    if (scope.left !== null) continue;
    for (const id of rules.bodies.get(scope.body)?.steps.keys() ?? []) {
      const step = path === '' ? id : `${path}/${id}`;
      const why = explainer.step(step);
      if (why !== null && state.steps.get(step)?.phase.is !== 'settled') found.set(step, why);
    }
  }
  return found;
}

/**
 * What does not move without a reason. Call it when nothing is left to decide: then nothing may be due, and what ends on
 * its own ends later. A step that a sequence may enter later waits for nothing that is known now.
 */
export function unexplained(
  state: RunState,
  rules: Rules,
  now: number,
  slots?: Slots,
  others?: OtherAgents,
): string[] {
  const clock = Math.max(now, state.now);
  return [...explanations(state, rules, now, slots, others)].flatMap(([path, { code, reason, until }]) => {
    if (code === 'due') return [`${path || 'the run'} does not move, and nobody knows why: ${reason}`];
    return until !== null && until <= clock ? [`${path || 'the run'} should have moved: ${reason}`] : [];
  });
}
