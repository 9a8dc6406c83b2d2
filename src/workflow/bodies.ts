import type { TakenProfile } from './agent.ts';
import type { AgentVariant, Body, Step, Work } from './model.ts';

/** The steps of a loop, or those that run finally; null: it has none. */
export function bodyOf(work: Work): Body | null {
  return work.kind === 'for-each' || work.kind === 'while' || work.kind === 'finally' ? work.body : null;
}

/** The inner steps of a loop or a sub-workflow; null: it has none. */
export function innerOf(work: Work): Body | null {
  return work.kind === 'workflow' ? work.workflow.body : bodyOf(work);
}

/** What a step may start: itself, or one of the agents that its expression may choose. */
export function variantsOf(
  step: Step,
): readonly (Pick<Step, 'work' | 'timeout' | 'budget'> | AgentVariant)[] {
  return step.choice === undefined ? [step] : Object.values(step.choice.agents);
}

/** The agents of the configuration that a step may take settings from. */
export function profilesOf(step: Step): TakenProfile[] {
  return variantsOf(step).flatMap(({ work }) => (work.kind === 'agent' ? (work.profile ?? []) : []));
}

/** Every step of a body and its inner bodies, each before its inner steps. */
export function stepsIn(body: Body): Step[] {
  return body.steps.flatMap((step) => {
    const inner = innerOf(step.work);
    return inner === null ? [step] : [step, ...stepsIn(inner)];
  });
}
