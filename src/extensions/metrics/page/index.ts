import type { PageExtension } from '../../../web/extension.ts';
import { Metrics } from './view.tsx';

/** What is counted, as a view of the page. */
export const metrics: PageExtension = {
  view: { place: 'metrics', name: 'Metrics', key: 'm', from: 'costs', View: Metrics },
};
