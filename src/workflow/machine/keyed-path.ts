import type { StepPath } from './event.ts';
import type { RunState } from './state.ts';

/** The path of a step that may name items by their keys: `packages/web/test`, `packages/2/test`. */
export function numberedPath(state: RunState, path: string): StepPath {
  return walk(state, path).path;
}

/** The keys of the items that a step belongs to, outermost first: `linux`, `22`. */
export function keysOf(state: RunState, path: StepPath): readonly string[] {
  return walk(state, path).keys;
}

function walk(state: RunState, path: string): { readonly path: StepPath; readonly keys: readonly string[] } {
  const entries: string[] = [];
  const found: string[] = [];
  for (let rest = path; rest !== '';) {
    const keys = state.steps.get(entries.join('/'))?.open?.keys ?? [];
    const [first = ''] = rest.split('/', 1);
    // A key may be a number, and contain a slash.
    const isNumber = /^\d+$/.test(first) && Number(first) < keys.length;
    const index = isNumber ? Number(first) : keys.findIndex((key) => `${rest}/`.startsWith(`${key}/`));
    const key = keys[index];
    entries.push(key === undefined ? first : String(index));
    if (key !== undefined) found.push(key);
    rest = rest.slice((key === undefined || isNumber ? first : key).length + 1);
  }
  return { path: entries.join('/'), keys: found };
}
