import { runEventDocument } from '../../../documents/runs.ts';
import { openApiDocument } from '../openapi.ts';
import { route, type Route } from '../route.ts';
import { runStream } from '../run-stream.ts';
import { ServedLogs } from '../served-logs.ts';
import type { Streams } from '../stream.ts';
import * as z from 'zod';
import { logRoutes } from './logs.ts';
import { mailRoutes } from './mail.ts';
import { projectRoutes } from './project.ts';
import { runRoutes } from './runs.ts';
import { byId } from './shapes.ts';
import { editingRoutes } from './workflow-editing.ts';
import { workflowRoutes } from './workflows.ts';

/** Every operation of the API. `added`: those of extensions. */
export function allRoutes(streams: Streams, added: readonly Route[]): readonly Route[] {
  const routes: Route[] = [
    ...projectRoutes,
    ...mailRoutes,
    ...runRoutes,
    ...logRoutes(new ServedLogs()),
    ...workflowRoutes,
    ...editingRoutes,
    ...added,
    route({
      method: 'get',
      path: '/healthz',
      summary: 'Whether the server answers',
      tag: 'project',
      isPublic: true,
      document: z.strictObject({ ok: z.literal(true), version: z.string() }),
      handle: ({ version }) => ({ document: { ok: true as const, version } }),
    }),
    ...following(streams),
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

/** The `data` of an event of the stream of changes. */
const hintDocument = z.strictObject({
  topic: z.string().describe('`mail`, `project`, `workflows`, `artifacts`, or `run:` and an id'),
  n: z.int().min(0).describe('The number of the last record of the topic, or of its last change'),
});

/** What changes, as it changes. */
function following(streams: Streams): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/events',
      summary: 'A stream of hints: which topic is at which record. `Last-Event-ID` resumes it',
      tag: 'events',
      media: 'text/event-stream',
      data: hintDocument,
      handle: (_services, asked) => streams.follow(asked),
    }),
    route({
      method: 'get',
      path: '/api/v1/workflow-runs/{id}/events',
      summary: 'A stream of what happens in a run, to its end. `Last-Event-ID` resumes it',
      tag: 'events',
      params: byId,
      media: 'text/event-stream',
      data: runEventDocument,
      handle: (services, asked) =>
        runStream(services, streams, services.project.workflows.run(asked.params.id), asked),
    }),
  ];
}
