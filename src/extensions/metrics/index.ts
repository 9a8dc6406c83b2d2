import type { Extension } from '../../cli/extension.ts';

/** Counts of runs, stages and costs, from the journals. */
export const metrics: Extension = {
  name: 'metrics',
  routes: async (server) => (await import('./routes.ts')).metricsRoutes(server),
};
