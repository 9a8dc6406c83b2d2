import { computed, signal } from '@preact/signals';
import { past } from './past.ts';

/** The present in milliseconds since 1970, to the second, while the page is visible. */
export const clock = signal(Date.now());

/** The time that the page shows: that of a moment of the past, or the present. */
export const now = computed(() => past.value?.time ?? clock.value);

function tick(): void {
  if (!document.hidden) clock.value = Date.now();
}

setInterval(tick, 1_000);
document.addEventListener('visibilitychange', tick);
