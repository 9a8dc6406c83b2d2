import type { Body, Step, Work } from './model.ts';

/** The steps of a loop; null: it is none. */
export function bodyOf(work: Work): Body | null {
  return work.kind === 'for-each' || work.kind === 'while' ? work.body : null;
}

/** The steps in a step: of a loop, or of a sub-workflow; null: there are none. */
export function innerOf(work: Work): Body | null {
  return work.kind === 'workflow' ? work.workflow.body : bodyOf(work);
}

/** Every step of a body and of the bodies in it, each before those in it. */
export function stepsIn(body: Body): Step[] {
  return body.steps.flatMap((step) => {
    const inner = innerOf(step.work);
    return inner === null ? [step] : [step, ...stepsIn(inner)];
  });
}
