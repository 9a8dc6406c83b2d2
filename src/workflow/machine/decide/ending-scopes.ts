import type { Fact, StepPath } from '../event.ts';
import { isIn } from '../fold/steps.ts';
import { pathIn } from '../path.ts';
import type { BodyRule } from '../rules.ts';
import { scopesOf } from '../scope.ts';
import type { Scope } from '../state.ts';
import type { DecisionContext } from './context.ts';

/** Settles all steps of ending bodies: those not begun are skipped, the others cancelled. */
export function sweeps(context: DecisionContext): Fact[] {
  const facts: Fact[] = [];
  for (const path of context.state.endingScopes) {
    const scope = context.state.scopes.get(path);
    const skipped: StepPath[] = [];
    const cancelled: StepPath[] = [];
    if (scope) sweep(context, scope, skipped, cancelled);
    facts.push({ type: 'swept', scope: path, skipped, cancelled });
    // One at a time: bodies may be nested.
    break;
  }
  return facts;
}

/**
 * Collects what to settle of a body. Steps that run finally are left alone, unless it is they that
 * end: true if something waits for them.
 */
function sweep(context: DecisionContext, scope: Scope, skipped: StepPath[], cancelled: StepPath[]): boolean {
  const { state, rules } = context;
  const body = rules.bodies.get(scope.body);
  if (!body || scope.left !== null) return false;
  const last = body.last && pathIn(scope.path, body.last.step.id);
  // The run was cancelled before it began: there is nothing to tidy.
  const isNew = scope.path === '' && state.steps.size === 0;
  let isHeld = last !== null && !isNew && !isIn(state.steps.get(last), 'settled');
  if (last !== null && isNew) skipped.push(last);
  for (const path of pathsOf(body, scope)) {
    const run = state.steps.get(path);
    if (isIn(run, 'settled')) continue;
    let holds = false;
    if (run?.open && isIn(run, 'open'))
      for (const each of scopesOf(run)) {
        const inner = state.scopes.get(each);
        if (inner && sweep(context, inner, skipped, cancelled)) holds = true;
      }
    if (holds) isHeld = true;
    else (run === undefined || isIn(run, 'pending') ? skipped : cancelled).push(path);
  }
  return isHeld;
}

function pathsOf({ body, steps, last }: BodyRule, { path, counter }: Scope): StepPath[] {
  if (body.kind === 'graph')
    return [...steps.values()].filter((rule) => rule !== last).map(({ step }) => pathIn(path, step.id));
  return counter.at === 'step' ? [pathIn(path, counter.step, counter.visit)] : [];
}
