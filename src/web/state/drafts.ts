import { signal, type Signal } from '@preact/signals';

const prefix = 'mailroom.draft.';
const drafts = new Map<string, Signal<string>>();

/**
 * What a person has typed in one place. It outlives the view, a reload and the server, until it is
 * sent.
 */
export function draft(name: string, start = ''): Signal<string> {
  const found = drafts.get(name);
  if (found !== undefined) return found;
  const text = signal(sessionStorage.getItem(prefix + name) ?? start);
  text.subscribe((value) => {
    if (value === '' || value === start) sessionStorage.removeItem(prefix + name);
    else sessionStorage.setItem(prefix + name, value);
  });
  drafts.set(name, text);
  return text;
}

/** Forgets what was typed in places whose names begin so. */
export function clearDrafts(beginning: string): void {
  for (const [name, text] of drafts) if (name.startsWith(beginning)) text.value = '';
  for (const [name] of drafts) if (name.startsWith(beginning)) drafts.delete(name);
}
