import { signal } from '@preact/signals';

/** The `Date` of an answer has whole seconds, and is some time on its way, in milliseconds. */
const unsure = 3_000;

/** Milliseconds that the server is ahead of the browser. */
let ahead = 0;

/** The server's present in milliseconds since 1970, to the second, while the page is visible. */
export const clock = signal(Date.now());

/** Takes the time from the `Date` of an answer: records have times of the server. */
export function hearTime(date: string | null): void {
  const difference = Date.parse(date ?? '') - Date.now();
  if (Number.isNaN(difference) || Math.abs(difference - ahead) < unsure) return;
  ahead = Math.abs(difference) < unsure ? 0 : difference;
  tick();
}

function tick(): void {
  if (!document.hidden) clock.value = Date.now() + ahead;
}

setInterval(tick, 1_000);
document.addEventListener('visibilitychange', tick);
