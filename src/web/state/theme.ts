import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const name = 'mailroom.theme';
const themes: readonly Theme[] = ['system', 'light', 'dark'];
const stored = localStorage.getItem(name);

/** Whether the page is light or dark; `system`: as the person's desktop. */
export const theme = signal<Theme>(themes.find((each) => each === stored) ?? 'system');

effect(() => {
  localStorage.setItem(name, theme.value);
  document.documentElement.dataset['theme'] = theme.value;
});

export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length]!;
}
