import type { StepPath } from './event.ts';
import type { StepId } from '../model.ts';

/** The path of a step's visit in a scope; the first visit has no number. */
export function pathIn(scope: StepPath, step: StepId, visit = 1): StepPath {
  const entry = visit > 1 ? `${step}#${String(visit)}` : step;
  return scope === '' ? entry : `${scope}/${entry}`;
}

/** The scope that contains a step's path. */
export function scopeOf(path: StepPath): StepPath {
  const at = path.lastIndexOf('/');
  return at === -1 ? '' : path.slice(0, at);
}

/** The step of a path. */
export function stepOf(path: StepPath): StepId {
  const entry = path.slice(path.lastIndexOf('/') + 1);
  const at = entry.indexOf('#');
  return at === -1 ? entry : entry.slice(0, at);
}

/** The scope of one item of a loop. */
export function itemScope(loop: StepPath, index: number): StepPath {
  return `${loop}/${String(index)}`;
}
