import { computed } from '@preact/signals';
import { clock } from './clock.ts';
import { past } from './past.ts';

/** The time that the page shows: that of a moment of the past, or the present. */
export const now = computed(() => past.value?.time ?? clock.value);
