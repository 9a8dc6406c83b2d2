import { signal } from '@preact/signals';
import { go, link } from './state/route.ts';
import { isPastShown } from './state/past.ts';
import { nextTheme } from './state/theme.ts';
import { toasts, undo } from './state/toasts.ts';

/** The dialog that is open; null: none. */
export const dialog = signal<'palette' | 'help' | null>(null);

export interface Shortcut {
  /** Keys in a row, or one with `Ctrl+`. */
  readonly keys: string;
  readonly does: string;
  readonly act: () => unknown;
}

/** What the keyboard does; the help and the palette list it. `addShortcuts` adds to it. */
export const shortcuts: Shortcut[] = [
  { keys: 'Ctrl+K', does: 'Find a view, role, thread or run', act: () => (dialog.value = 'palette') },
  { keys: '?', does: 'Show the keys', act: () => (dialog.value = 'help') },
  { keys: 'n', does: 'Send a new task', act: () => go(link('send')) },
  { keys: 'g i', does: 'Go to the inbox', act: () => go(link('inbox')) },
  { keys: 'g r', does: 'Go to the roles', act: () => go(link('roles')) },
  { keys: 'g t', does: 'Go to the threads', act: () => go(link('threads')) },
  { keys: 'g u', does: 'Go to the runs', act: () => go(link('runs')) },
  { keys: 'g w', does: 'Go to the workflows', act: () => go(link('workflows')) },
  { keys: 'g c', does: 'Go to the costs', act: () => go(link('costs')) },
  { keys: 'h', does: 'Show the past', act: showPast },
  { keys: 'j', does: 'Next line of a list', act: () => step(1) },
  { keys: 'k', does: 'Previous line of a list', act: () => step(-1) },
  { keys: 'a', does: 'Go to the answer, or to what makes it move', act: toRemedy },
  { keys: 'e', does: 'Put away a notice and those like it', act: putAway },
  { keys: 'z', does: 'Undo: the notices come back', act: undoLast },
  { keys: '/', does: 'Find in this list', act: () => focus('input[type=search]') },
  { keys: 'd', does: 'Switch between dark, light and as the desktop', act: nextTheme },
];

function showPast(): void {
  isPastShown.value = true;
  // The slider is there after this task, before the next key.
  queueMicrotask(() => focus('#past'));
}

function undoLast(): void {
  const last = toasts.value.findLast((toast) => toast.undo !== null);
  if (last !== undefined) void undo(last);
}

/** In a table with remedies, that of the row that has the focus, else a link in it. */
function toRemedy(): void {
  const [remedy, row] = ['.act button, .act .button', document.activeElement?.closest('tr')];
  if (row?.closest('table')?.querySelector('.act')) void (focus(remedy, row) || focus('td a', row));
  else focus(`:is(.answer, .start) :is(textarea, input, select, button), .retry button, ${remedy}`);
}

/** Whether there was something to focus. */
function focus(selector: string, within: ParentNode = document): boolean {
  const found = within.querySelector<HTMLElement>(selector);
  found?.focus();
  return found !== null;
}

/**
 * Presses the button of the row that has the focus, else of the chosen notice, else of the first.
 */
function putAway(): void {
  const row = document.activeElement?.closest('.waiting-row');
  const button = (of: ParentNode | null | undefined) =>
    of?.querySelector<HTMLElement>('.put-away button') ?? undefined;
  const found =
    button(row) ??
    button(document.querySelector('.detail')) ??
    button(document.querySelector('.list .waiting-row:has(.put-away)'));
  // The row leaves, and the focus with it.
  const next = row?.nextElementSibling ?? row?.previousElementSibling;
  found?.click();
  next?.querySelector<HTMLElement>('[data-row]')?.focus();
}

/** Moves the focus among the lines of the view. */
function step(by: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const rows = all.filter((row) => row.checkVisibility());
  const focused = rows.findIndex((row) => row === document.activeElement);
  const at = focused === -1 ? rows.findIndex((row) => row.ariaCurrent === 'true') : focused;
  const next = at === -1 ? (by === 1 ? 0 : rows.length - 1) : at + by;
  rows[next]?.focus();
}

/** Milliseconds within which the second of two keys must follow. */
const together = 1_200;
let before: { readonly key: string; readonly at: number } | null = null;

/** Whether a key belongs to what is being typed. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input:not([type=range]), textarea, select, dialog, [contenteditable]') !== null
  );
}

export function listen(): void {
  document.addEventListener('keydown', (event) => {
    const isPalette = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey;
    if (!isPalette && (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))) return;
    const first = before !== null && event.timeStamp - before.at < together ? `${before.key} ` : '';
    const found = (isPalette ? null : find(first + event.key)) ?? find(isPalette ? 'Ctrl+K' : event.key);
    before = found === undefined ? { key: event.key, at: event.timeStamp } : null;
    if (found === undefined) return;
    event.preventDefault();
    found.act();
  });
}

function find(keys: string): Shortcut | undefined {
  return shortcuts.find((each) => each.keys === keys);
}
