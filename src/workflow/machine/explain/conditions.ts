import { pathText } from '../../../expressions/evaluate.ts';
import { referencesOf } from '../../../expressions/references.ts';
import type { Tree } from '../../../expressions/tree.ts';
import type { StepPath, SkipReason } from '../event.ts';
import { scopeOf, stepOf } from '../path.ts';
import { attempt, evaluationOf } from '../resolve.ts';
import type { Rules } from '../rules.ts';
import type { StepVisit } from '../scope.ts';
import type { RunState } from '../state.ts';

/** The conditions that kept a step from running, with what they read; empty: there are none. */
export function falseConditions(
  state: RunState,
  rules: Rules,
  visit: StepVisit,
  skipped: SkipReason,
): string {
  const { when, needs } = visit.rule.step;
  const trees = skipped.why === 'condition' ? [when] : needs.map((need) => need.when);
  if (skipped.why !== 'condition' && skipped.why !== 'edges') return '';
  return trees
    .flatMap((tree) =>
      tree === null ? [] : [`: \`${written(tree)}\`${valuesIn(state, rules, visit, tree)}`],
    )
    .join('');
}

/** The longest value that is shown whole. */
const longest = 60;

/** The values of the paths in an expression, but for variables, which may be private. */
function valuesIn(state: RunState, rules: Rules, visit: StepVisit, tree: Tree): string {
  const values = new Map<string, string>();
  for (const { node, path } of referencesOf(tree, visit.rule.body.language)) {
    if (path[0]?.name === 'env') continue;
    const read = attempt(() => JSON.stringify(evaluationOf(state, rules, visit).value(node)));
    const text = read.ok ? read.value : 'absent';
    values.set(pathText(node), text.length > longest ? `${text.slice(0, longest)}…` : text);
  }
  const all = [...values].map(([path, value]) => `${path} is ${value}`);
  return all.length === 0 ? '' : `, where ${all.join(', ')}`;
}

/** An expression as its author could have written it. */
function written(tree: Tree): string {
  const part = (inner: Tree) =>
    ['logic', 'choice', 'arithmetic', 'comparison'].includes(inner.kind)
      ? `(${written(inner)})`
      : written(inner);
  switch (tree.kind) {
    case 'literal':
      return typeof tree.value === 'string' ? `'${tree.value.replaceAll("'", "''")}'` : String(tree.value);
    case 'name':
      return tree.name;
    case 'index':
      return tree.object.kind === 'name' || tree.object.kind === 'index'
        ? pathText(tree)
        : `${part(tree.object)}[…]`;
    case 'not':
      return `!${part(tree.operand)}`;
    case 'comparison':
    case 'arithmetic':
      return `${part(tree.left)} ${tree.operator} ${part(tree.right)}`;
    case 'logic':
      return tree.operands
        .map((each) => (each.kind === 'comparison' ? written(each) : part(each)))
        .join(` ${tree.operator} `);
    case 'choice':
      return `${part(tree.test)} ? ${part(tree.whenTrue)} : ${part(tree.whenFalse)}`;
    case 'call':
      return `${tree.name}(${tree.operands.map(written).join(', ')})`;
  }
}

/** The step that a sequence entered after this one; null: it ended there. */
export function wayTaken(state: RunState, path: StepPath): string | null {
  const after = [...state.steps.values()].filter((run) => run.scope === scopeOf(path));
  const next = after[after.findIndex((run) => run.path === path) + 1];
  const isReached =
    next !== undefined && !(next.phase.is === 'settled' && next.phase.skipped?.why === 'run-ended');
  return isReached ? stepOf(next.path) : null;
}
