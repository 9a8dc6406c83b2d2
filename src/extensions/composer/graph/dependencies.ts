import type { Operation } from '../../../yaml/edit/edit.ts';
import { occurrencesIn } from '../../../editing/occurrences.ts';
import { edited, isIn, refused, type Acted, type Acting } from './acting.ts';
import { needsOf, type WrittenStep } from './written.ts';

/* What steps wait for: the entries of `depends_on`. */

const key = 'depends_on';

/** Lets `to` wait for `from`. Refuses an existing dependency, a step itself, and a cycle. */
export function connect(acting: Acting, from: string, to: string): Acted {
  if (from === to) return refused(`\`${to}\` cannot wait for itself`);
  const step = stepOf(acting, to);
  const needs = needsOf(step.value);
  if (needs.some((need) => need.step === from)) return refused(`\`${to}\` waits for \`${from}\` already`);
  const way = wayBetween(acting.steps, to, from);
  if (way !== null)
    return refused(`this would be a cycle: ${[...way, to].map((name) => `\`${name}\``).join(' → ')}`);
  return edited(acting.text, adding(acting, step, [from]));
}

/** The steps from one to another that waits for it through others; null: it does not wait. */
function wayBetween(steps: readonly WrittenStep[], from: string, to: string): readonly string[] | null {
  const needs = new Map(steps.map(({ id, value }) => [id, needsOf(value).map(({ step }) => step)]));
  const seen = new Set<string>();
  const back = (name: string): readonly string[] | null => {
    if (name === from) return [name];
    if (seen.has(name)) return null;
    seen.add(name);
    for (const need of needs.get(name) ?? []) {
      const found = back(need);
      if (found !== null) return [...found, name];
    }
    return null;
  };
  return back(to);
}

/** Operations that append names to what a step waits for. */
function adding({ layout }: Acting, { path, value }: WrittenStep, names: readonly string[]): Operation[] {
  const own = value[key];
  if (Array.isArray(own))
    return names.map((name, index) => ({ do: 'add', path: [...path, key, own.length + index], value: name }));
  if (own !== undefined) return [{ do: 'set', path: [...path, key], value: [...names] }];
  const after = Object.keys(value).findLast((each) => layout.head.includes(each)) ?? null;
  return [{ do: 'add', path: [...path, key], value: [...names], after }];
}

/** Lets `to` no longer wait for `from`. Names what it reads of `from` nevertheless. */
export function disconnect(acting: Acting, from: string, to: string): Acted {
  const step = stepOf(acting, to);
  const operations = withoutNeeds(acting, step, new Set([from]), false);
  if (operations.length === 0)
    return refused(`\`${to}\` does not wait for \`${from}\` by \`${key}\`: change it in the text`);
  const others = acting.steps.map((each) =>
    each === step ? { ...each, value: { ...each.value, [key]: remaining(each, from) } } : each,
  );
  const stillWaits = wayBetween(others, from, to) !== null;
  return edited(acting.text, operations, stillWaits ? [] : readingOf(acting, from, [step]));
}

function remaining(step: WrittenStep, from: string): string[] {
  return needsOf(step.value)
    .map((need) => need.step)
    .filter((name) => name !== from);
}

/** The steps among some that read another one, each as a sentence that names the places in it. */
export function readingOf(acting: Acting, name: string, within: readonly WrittenStep[]): string[] {
  const paths = occurrencesIn(acting.text, acting.grammar)
    .filter((each) => each.kind === 'step' && !each.defines && each.name === name)
    .map(({ path }) => path)
    .filter((path) => !path.includes(key));
  return within.flatMap((step) => {
    const own = paths.filter((path) => isIn(path, [step]));
    const places = own.map((path) => `\`${path.slice(step.path.length).join('.')}\``);
    const where = [...new Set(places)].join(', ');
    return where === '' ? [] : [`\`${step.id}\` still reads \`${name}\` in ${where}`];
  });
}

/**
 * Operations after which a step waits for none of some steps. `rewire`: it waits for what they
 * waited for.
 */
export function withoutNeeds(
  acting: Acting,
  step: WrittenStep,
  gone: ReadonlySet<string>,
  rewire: boolean,
): Operation[] {
  const needs = needsOf(step.value);
  const removed = [...needs.entries()].filter(([, need]) => gone.has(need.step)).map(([index]) => index);
  if (removed.length === 0) return [];
  const kept = needs.flatMap((need) => (gone.has(need.step) ? [] : need.step));
  const inherited = rewire ? beyond(acting.steps, step, gone).filter((name) => !kept.includes(name)) : [];
  const path = [...step.path, key];
  if (kept.length + inherited.length === 0) return [{ do: 'remove', path }];
  if (kept.length === 0) return [{ do: 'set', path, value: inherited }];
  return [
    // From the last, so that the indices of the others stay.
    ...removed.toReversed().map((index): Operation => ({ do: 'remove', path: [...path, index] })),
    ...inherited.map((name, index): Operation => ({
      do: 'add',
      path: [...path, kept.length + index],
      value: name,
    })),
  ];
}

/** What a step waits for behind the steps that go. */
function beyond(
  steps: readonly WrittenStep[],
  step: WrittenStep,
  gone: ReadonlySet<string>,
): readonly string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const follow = (names: readonly string[]): void => {
    for (const name of names) {
      if (!gone.has(name)) found.add(name);
      else if (!seen.has(name)) {
        seen.add(name);
        const inner = steps.find(({ id }) => id === name);
        follow(inner === undefined ? [] : needsOf(inner.value).map((need) => need.step));
      }
    }
  };
  follow(needsOf(step.value).flatMap((need) => (gone.has(need.step) ? [need.step] : [])));
  return [...found];
}

function stepOf({ steps }: Acting, name: string): WrittenStep {
  return steps.find(({ id }) => id === name)!;
}
