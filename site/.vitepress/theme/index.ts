import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { Drawing } from './drawing.ts';

const theme: Theme = {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    app.component('Drawing', Drawing);
  },
};

export default theme;
