import type { JsonObject } from '../../kernel/json.ts';
import { attempt, type Resolved } from './resolve.ts';
import { Evaluation } from './evaluation.ts';
import type { Hook } from '../automation.ts';
import { dueRollback } from './rollback.ts';
import type { Rules } from './rules.ts';
import { endReason } from './end-reason.ts';
import { contextOf, endDocument } from './scope.ts';
import type { RunState } from './state.ts';

/**
 * The hook to start now; null: none. Each starts once; those of the end start once for each end.
 */
export function dueHook(state: RunState, rules: Rules): Hook | null {
  const { given, status, endedAt, hooks } = state;
  if (given === null || given.only !== null) return null;
  const end = status === 'SUCCEEDED' ? 'complete' : 'failure';
  // A hook of the end must see the workspace in its final state.
  const isOver = endedAt !== null && dueRollback(state, rules) === null;
  const due: Hook['on'][] = isOver ? ['start', end] : ['start'];
  return rules.workflow.hooks.find(({ on }) => due.includes(on) && !hooks.has(on)) ?? null;
}

/** Hooks that are running, or that a host that died had started. */
export function openHooks({ hooks }: RunState): Hook['on'][] {
  return [...hooks].filter(([, hook]) => !hook.over).map(([on]) => on);
}

/** The failures of a run's hooks. */
export function hookWarnings({ hooks }: RunState): string[] {
  return [...hooks].flatMap(([on, { problem }]) => (problem === null ? [] : [`hook on_${on}: ${problem}`]));
}

/** What hooks of the end see of it in `run`. */
function endOf(state: RunState): JsonObject {
  if (state.endedAt === null) return {};
  return endDocument(state, { ...state, reason: state.reason && endReason(state), within: '' });
}

/**
 * The program of a hook with its arguments, which see how each settled step ended. Empty: it has
 * none.
 */
export function hookArguments(state: RunState, rules: Rules, hook: Hook): Resolved<readonly string[]> {
  return attempt(() => {
    if (hook.run === null) return [];
    const seen = seenByHooks(state, rules);
    return hook.run.map((argument) => seen.renderText(argument));
  });
}

/** The address that a hook notifies, and its message; absent: what happened to the run. */
export function hookNotice(
  state: RunState,
  rules: Rules,
  { tell }: Hook,
): Resolved<{ readonly target: string; readonly words?: string }> {
  return attempt(() => {
    if (tell === undefined) return { target: '' };
    const seen = seenByHooks(state, rules);
    const target = seen.renderText(tell.target);
    return tell.words === undefined ? { target } : { target, words: seen.renderText(tell.words) };
  });
}

function seenByHooks(state: RunState, rules: Rules): Evaluation {
  const { root } = rules;
  const scope = state.scopes.get('');
  const [any] = root.steps.values();
  if (scope === undefined || any === undefined) return new Evaluation({}, root.language, true);
  const context = contextOf(state, rules, scope, { ...any, reads: new Set(root.steps.keys()) });
  const plain = new Evaluation(context, root.language, true);
  const env = { ...state.given?.env, ...plain.renderAll(rules.workflow.env) };
  return plain.with({ env, run: { ...(context['run'] as JsonObject), ...endOf(state) } });
}
