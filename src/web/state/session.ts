import { signal } from '@preact/signals';

const name = 'mailroom.key';

/** The key of the API; null: the page has none, and shows how to get it. */
export const key = signal<string | null>(null);

/**
 * Takes the key out of the address, so that it stays neither in the history nor in a copied link,
 * or the one that this tab had before.
 */
export function takeKey(): void {
  const given = new URLSearchParams(location.hash.slice(1)).get('key');
  if (given !== null) {
    sessionStorage.setItem(name, given);
    history.replaceState(null, '', `${location.pathname}#/inbox`);
  }
  key.value = sessionStorage.getItem(name);
}

/** Uses a key that a person has entered. */
export function useKey(given: string): void {
  sessionStorage.setItem(name, given);
  key.value = given;
}

/** The server does not accept the key: it was started again since. */
export function forgetKey(): void {
  sessionStorage.removeItem(name);
  key.value = null;
}
