import { effect, signal } from '@preact/signals';
import { Problem } from '../api/client.ts';
import { connection } from '../api/events.ts';

export interface Toast {
  readonly id: number;
  readonly kind: 'done' | 'problem';
  readonly text: string;
  readonly hint: string | null;
  /** The code of a problem, which docs/errors.md explains; null: it is none. */
  readonly code: string | null;
  /** The address of its explanation. */
  readonly help: string;
  /** Takes back what was done; null: that is not possible here. */
  readonly undo: (() => Promise<void>) | null;
}

export const toasts = signal<readonly Toast[]>([]);
let last = 0;

/** Milliseconds for which a message stays that needs no action, and one that can be undone. */
const [shown, undoable] = [6_000, 15_000];

export function notify(text: string, back: Toast['undo'] = null): void {
  const toast = add({ kind: 'done', text, hint: null, code: null, help: '', undo: back });
  setTimeout(() => dismiss(toast), back === null ? shown : undoable);
}

/** Takes back what a message says, once. */
export async function undo({ id, undo: back }: Pick<Toast, 'id' | 'undo'>): Promise<void> {
  dismiss(id);
  try {
    await back?.();
  } catch (error) {
    complain(error);
  }
}

/** Shows why something failed, until the person has dismissed it. */
export function complain(error: unknown): void {
  const problem = error instanceof Problem ? error : new Problem('E_INTERNAL', 0, String(error));
  const { message: text, hint, code } = problem;
  add({ kind: 'problem', text, hint, code, help: `/docs/errors.md#${code.toLowerCase()}`, undo: null });
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((each) => each.id !== id);
}

// That the server did not answer is old news once it does.
effect(() => {
  if (connection.value === 'live') toasts.value = toasts.peek().filter(({ code }) => code !== 'E_OFFLINE');
});

function add(toast: Omit<Toast, 'id'>): number {
  last += 1;
  toasts.value = [...toasts.value.slice(-3), { ...toast, id: last }];
  return last;
}
