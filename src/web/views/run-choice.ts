import { refineAll } from '../state/route.ts';

/* The chosen step of a run is in the address, so all parts of the screen show the same. */

/**
 * Chooses a step. Where the parts of the screen are below each other, its panel comes into sight.
 */
function chooseStep(path: string): void {
  refineAll({ step: path, log: '', line: '' });
  if (matchMedia('(width >= 1100px)').matches) return;
  requestAnimationFrame(() => document.querySelector('.run-step')?.scrollIntoView());
}

/** A click that opens no other tab or window chooses the step at once. */
export function onStepClick(path: string) {
  return (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    chooseStep(path);
  };
}

/** The path of the step that has the focus; null: none has. */
export function focusedStep(event: KeyboardEvent): string | null {
  const { target } = event;
  return target instanceof Element ? target.getAttribute('data-path') : null;
}

/** Chooses a step, and moves the focus to it within a part of the screen. */
export function moveTo(path: string, within: EventTarget | null): void {
  refineAll({ step: path, log: '', line: '' });
  requestAnimationFrame(() => {
    if (!(within instanceof Element)) return;
    const found = [...within.querySelectorAll<HTMLElement>('[data-path]')];
    found.find((each) => each.dataset['path'] === path)?.focus({ preventScroll: true });
  });
}

/** Up and down move the choice among rows. Returns whether the key did so. */
export function moveAmong(paths: readonly string[], chosen: string | null, event: KeyboardEvent): boolean {
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const at = paths.indexOf(focusedStep(event) ?? chosen ?? '');
  const next = paths[at + by];
  if (by === 0 || at === -1) return false;
  event.preventDefault();
  if (next !== undefined) moveTo(next, event.currentTarget);
  return true;
}
