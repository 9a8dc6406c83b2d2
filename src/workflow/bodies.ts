import type { Body, Step, Work } from './model.ts';

/** The steps of a loop; null: it is not a loop. */
export function bodyOf(work: Work): Body | null {
  return work.kind === 'for-each' || work.kind === 'while' ? work.body : null;
}

/** The inner steps of a loop or a sub-workflow; null: it has none. */
export function innerOf(work: Work): Body | null {
  return work.kind === 'workflow' ? work.workflow.body : bodyOf(work);
}

/** Every step of a body and its inner bodies, each before its inner steps. */
export function stepsIn(body: Body): Step[] {
  return body.steps.flatMap((step) => {
    const inner = innerOf(step.work);
    return inner === null ? [step] : [step, ...stepsIn(inner)];
  });
}
