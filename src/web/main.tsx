import { effect } from '@preact/signals';
import { render } from 'preact';
import { follow } from './api/events.ts';
import { App } from './app.tsx';
import type { PageExtension } from './extension.ts';
import { listen } from './keys.ts';
import { refreshAll } from './state/live.ts';
import { takeMoment } from './state/past.ts';
import { readRoute } from './state/route.ts';
import { saved } from './state/saved.ts';
import { key, takeKey } from './state/session.ts';

/** An address with a new key, opened in this tab, changes only the fragment. */
function readAddress(): void {
  takeKey();
  readRoute();
  if (saved === null && key.value !== null) takeMoment();
}

/** Shows the page in its document, with what extensions add. */
export function startPage(extensions: readonly PageExtension[]): void {
  if (saved !== null && location.hash === '') history.replaceState(null, '', saved.route);
  readAddress();
  addEventListener('hashchange', readAddress);
  if (saved === null) {
    listen();
    effect(() => (key.value === null ? undefined : follow(refreshAll)));
  }
  const root = document.getElementById('app');
  if (root !== null) render(<App extensions={extensions} />, root);
}
