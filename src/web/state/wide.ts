import { signal } from '@preact/signals';

const wide = matchMedia('(width >= 1100px)');

/** Whether two things have room beside each other. */
export const isWide = signal(wide.matches);
wide.addEventListener('change', () => (isWide.value = wide.matches));
