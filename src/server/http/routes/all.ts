import { openApiDocument } from '../openapi.ts';
import { route, type Route } from '../route.ts';
import type { Streams } from '../stream.ts';
import * as z from 'zod';
import { mailRoutes } from './mail.ts';
import { projectRoutes } from './project.ts';
import { runRoutes } from './runs.ts';
import { workflowRoutes } from './workflows.ts';

/** Every operation of the API. */
export function allRoutes(streams: Streams): readonly Route[] {
  const routes: Route[] = [
    ...projectRoutes,
    ...mailRoutes,
    ...runRoutes,
    ...workflowRoutes,
    route({
      method: 'get',
      path: '/healthz',
      summary: 'Whether the server answers',
      tag: 'project',
      isPublic: true,
      document: z.strictObject({ ok: z.literal(true), version: z.string() }),
      handle: ({ version }) => ({ document: { ok: true as const, version } }),
    }),
    route({
      method: 'get',
      path: '/api/v1/events',
      summary: 'A stream of hints: which topic is at which record. `Last-Event-ID` resumes it',
      tag: 'events',
      media: 'text/event-stream',
      handle: (_desk, { headers }) => streams.follow(headers.get('last-event-id')),
    }),
    route({
      method: 'get',
      path: '/api/v1/openapi.json',
      summary: 'This description',
      tag: 'project',
      document: z.looseObject({ openapi: z.string() }),
      handle: ({ version }) => ({ document: { openapi: '', ...openApiDocument(routes, version) } }),
    }),
  ];
  return routes;
}
