import type { Fact, Happening } from '../event.ts';
import type { RunState } from '../state.ts';
import { enter, isIn, put } from './steps.ts';

type Of<T extends (Fact | Happening)['type']> = Extract<Fact | Happening, { type: T }>;

/** A step waits for somebody to look whether a file is there. */
export function look(state: RunState, { path, file }: Of<'looking'>): void {
  const run = enter(state, path);
  if (!isIn(run, 'pending', 'waiting', 'open')) return;
  put(state, run, { is: 'looking', file, before: run.phase, problem: null }, false);
}

/** Somebody has looked: the step is considered again. */
export function seen(state: RunState, { path, file, exists, problem }: Of<'looked'>): void {
  const run = state.steps.get(path);
  if (!isIn(run, 'looking') || run.phase.file !== file) return;
  if (problem !== null) return put(state, run, { ...run.phase, problem }, true);
  run.looks = { ...run.looks, [file]: exists };
  const { before } = run.phase;
  put(state, run, before, before.is !== 'waiting');
  if (before.is === 'pending') state.active.delete(path);
}
