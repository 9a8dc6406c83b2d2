import type { Path } from './event.ts';
import type { StepId } from '../model.ts';

/** The path of a step's visit in a scope; the first visit has no number. */
export function pathIn(scope: Path, step: StepId, visit = 1): Path {
  const entry = visit > 1 ? `${step}#${String(visit)}` : step;
  return scope === '' ? entry : `${scope}/${entry}`;
}

/** The scope that contains a step's path. */
export function scopeOf(path: Path): Path {
  const at = path.lastIndexOf('/');
  return at === -1 ? '' : path.slice(0, at);
}

/** The step of a path. */
export function stepOf(path: Path): StepId {
  const entry = path.slice(path.lastIndexOf('/') + 1);
  const at = entry.indexOf('#');
  return at === -1 ? entry : entry.slice(0, at);
}

/** The scope of one item of a loop. */
export function itemScope(loop: Path, index: number): Path {
  return `${loop}/${String(index)}`;
}
