import { computed, signal } from '@preact/signals';

const hash = signal('');

/** Takes the route from the address. */
export function readRoute(): void {
  hash.value = location.hash;
}

/** The parts of the route: `#/runs/8c1d02?step=a%2Fb` has `runs` and `8c1d02`. */
export const parts = computed<readonly string[]>(() => {
  const path = hash.value.replace(/^#\/?/, '').split('?', 1)[0] ?? '';
  return path === '' ? ['inbox'] : path.split('/').map(decoded);
});

/** What follows the question mark of the route. */
export const query = computed(() => new URLSearchParams(hash.value.split('?')[1] ?? ''));

/** A value of what follows the question mark; empty: it has none. */
export function inQuery(name: string): string {
  return query.value.get(name) ?? '';
}

/** A part that is cut in the middle of an escape is taken as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a view. */
export function link(...path: readonly string[]): string {
  return `#/${path.map(encodeURIComponent).join('/')}`;
}

export function go(to: string): void {
  location.hash = to;
}

/** The address of this view with other values after the question mark; empty: without it. */
export function refined(values: Readonly<Record<string, string>>): string {
  const next = new URLSearchParams(query.value);
  for (const [name, value] of Object.entries(values)) {
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  return `${hash.value.split('?', 1)[0] ?? ''}${text === '' ? '' : `?${text}`}`;
}

/** Changes what follows the question mark, without a new entry in the history. */
export function refine(name: string, value: string): void {
  refineAll({ [name]: value });
}

export function refineAll(values: Readonly<Record<string, string>>): void {
  history.replaceState(null, '', refined(values));
  hash.value = location.hash;
}
