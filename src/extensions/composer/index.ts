import type { Extension } from '../../cli/extension.ts';

/** The composer of the page, which has a list of its own: here is what it asks the server. */
export const composer: Extension = {
  name: 'composer',
  routes: async () => (await import('./routes.ts')).composerRoutes,
};
