import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { Drawing } from './drawing.ts';
import './style.css';

const theme: Theme = {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    app.component('Drawing', Drawing);
  },
};

export default theme;
