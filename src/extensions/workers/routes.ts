import * as z from 'zod';
import { version } from '../../documents/common.ts';
import { workerStatus } from '../../documents/status.ts';
import { route, type Route } from '../../server/http/route.ts';
import { nothing } from '../../server/http/routes/shapes.ts';
import { Workers } from './workers.ts';

/** A worker by its id, or all of a host. */
const byWorker = z.strictObject({ worker: z.string().regex(/^[\w.-]{1,253}$/) });

const workersDocument = z.strictObject({ schema: version, workers: z.array(workerStatus) });

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
      document: { schema: 1 as const, workers: await new Workers(project).list() },
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
        document: { schema: 1 as const, workers: await new Workers(project).order(order, params.worker) },
      }),
    }),
  ),
];
