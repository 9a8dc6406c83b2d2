import * as z from 'zod';
import { workersDocument } from '../../../documents/status.ts';
import { route, type Route } from '../route.ts';
import { nothing } from './shapes.ts';

/** A worker by its id, or all of a host. */
const byWorker = z.strictObject({ worker: z.string().regex(/^[\w.-]{1,253}$/) });

const orders = {
  drain: 'Lets a worker end when its running turns have ended',
  pause: 'A worker takes no more turns',
  unpause: 'A worker takes turns again',
} as const;

/** The workers of the project, as its queue has them. */
export const workerRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/v1/workers',
    summary: 'Workers, and what each of them runs',
    tag: 'workers',
    document: workersDocument,
    handle: async ({ project }) => ({
      document: { schema: 1 as const, workers: await project.workers.list() },
    }),
  }),
  ...(['drain', 'pause', 'unpause'] as const).map((order) =>
    route({
      method: 'post',
      path: `/api/v1/workers/{worker}/${order}`,
      summary: `${orders[order]}; answers with those that got the order, as they were`,
      tag: 'workers',
      params: byWorker,
      body: nothing,
      document: workersDocument,
      handle: async ({ project }, { params }) => ({
        document: { schema: 1 as const, workers: await project.workers.order(order, params.worker) },
      }),
    }),
  ),
];
