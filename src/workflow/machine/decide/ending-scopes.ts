import type { Fact, StepPath } from '../event.ts';
import { isIn } from '../fold/steps.ts';
import { itemScope, pathIn } from '../path.ts';
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

function sweep(context: DecisionContext, scope: Scope, skipped: StepPath[], cancelled: StepPath[]): void {
  const { state, rules } = context;
  const body = rules.bodies.get(scope.body);
  if (!body || scope.left !== null) return;
  const paths =
    body.body.kind === 'graph'
      ? [...body.steps.keys()].map((id) => pathIn(scope.path, id))
      : scope.counter.at === 'step'
        ? [pathIn(scope.path, scope.counter.step, scope.counter.visit)]
        : [];
  for (const path of paths) {
    const run = state.steps.get(path);
    if (isIn(run, 'settled')) continue;
    if (run?.open && isIn(run, 'open')) {
      for (let index = 0; index < run.open.opened; index += 1) {
        const inner = state.scopes.get(run.open.items === null ? path : itemScope(path, index));
        if (inner) sweep(context, inner, skipped, cancelled);
      }
    }
    (run === undefined || isIn(run, 'pending') ? skipped : cancelled).push(path);
  }
}
