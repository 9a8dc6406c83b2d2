import { signal } from '@preact/signals';

const place = 'mailroom.logs.wrapped';

/** Whether long lines of logs are wrapped; it is remembered. */
export const isWrapped = signal(localStorage.getItem(place) !== 'no');

export function wrapLogs(yes: boolean): void {
  isWrapped.value = yes;
  localStorage.setItem(place, yes ? 'yes' : 'no');
}
