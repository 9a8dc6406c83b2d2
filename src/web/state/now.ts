import { signal } from '@preact/signals';

/** The time in milliseconds since 1970, to the second, while the page is visible. */
export const now = signal(Date.now());

function tick(): void {
  if (!document.hidden) now.value = Date.now();
}

setInterval(tick, 1_000);
document.addEventListener('visibilitychange', tick);
