import { startContext } from '../../src/workflow/machine/run-start.ts';
import type { LanguageContext } from '../../src/languages/shared/context.ts';
import { orchestrate, played } from '../languages/machine/orchestrate.ts';
import { World } from '../workflow/machine/world.ts';

/*
 * Steps of the orchestrate language in a few words, and what becomes of them.
 */

/** A step that goes on to another, or ends the run. */
export function step(name: string, more: object = {}, to = '_end'): object {
  const says = ['for_each', 'while', 'set_context', 'provider'].some((kind) => kind in more);
  const on = { success: { goto: to }, failure: { goto: '_error' } };
  return { name, ...(says ? {} : { command: [name] }), on, ...more };
}

/** Goes on to `Two`, whatever becomes of it. */
export const one = step('One', { on: { success: { goto: 'Two' }, failure: { goto: 'Two' } } });

export function workOf(more: object, context: Partial<LanguageContext> = {}) {
  return orchestrate([step('One', more)], {}, context).body.steps[0]!;
}

/** What is said of steps that are wrong. */
export function refused(
  steps: readonly object[],
  more: object = {},
  context: Partial<LanguageContext> = {},
): string {
  try {
    orchestrate(steps, more, context);
  } catch (error) {
    return String(error);
  }
  return 'nothing';
}

/** What runs, one after another, and how the run ends, when steps end with these codes; where none is said, with 0. */
export function runs(
  steps: readonly object[],
  codes: Readonly<Record<string, readonly number[]>> = {},
  more: object = {},
): string {
  const workflow = orchestrate(steps, more);
  const { trace, status } = played(workflow, (name, start) => codes[name]?.[start] ?? 0);
  return `${trace.join(', ')}: ${status}`;
}

/** A run that has begun. */
export function world(
  steps: readonly object[],
  more: object = {},
  env: Readonly<Record<string, string>> = {},
): World {
  const workflow = orchestrate(steps, more);
  return new World(workflow, {
    given: { context: startContext(workflow, { context: {}, parameters: {}, env }), env },
  });
}

/** The words that `Two` is started with, after `One` has printed `said`. */
export function words(
  texts: readonly string[],
  more: object = {},
  env: Readonly<Record<string, string>> = {},
): string[] {
  const place = world(
    [one, step('Two', { command: texts, allow_missing_vars: ['context.none'] })],
    more,
    env,
  );
  place.done('One', { output: 'said' });
  const { work } = place.launch('Two');
  return work.kind === 'command' ? [...work.argv] : [];
}

/** Whether `Two` runs under this condition, after `One` has failed with exit code 1. */
export function holds(when: object, more: object = {}, env: Readonly<Record<string, string>> = {}): boolean {
  const place = world([one, step('Two', { when })], more, env);
  place.fails('One');
  return place.running.includes('Two');
}

/** Nothing is given to the run that begins. */
export const alone = { starting: { context: new Set<string>(), only: null } };

export const loop = (kind: object, ...inner: readonly object[]) => ({
  ...step('Loop', kind, 'Last'),
  ...Object.fromEntries(Object.entries(kind).map(([key, value]) => [key, { ...value, steps: inner }])),
});

export const inside = (
  name: string,
  success = '_loop_continue',
  failure = '_loop_break',
  more: object = {},
) => step(name, { ...more, on: { success: { goto: success }, failure: { goto: failure } } });
