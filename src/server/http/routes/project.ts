import * as z from 'zod';
import { inboxDocument } from '../../../operations/documents/inbox.ts';
import { statusDocument } from '../../../operations/documents/status.ts';
import { inboxDocument as documentOf, readInbox } from '../../../operations/inbox.ts';
import { readStatus } from '../../../operations/read-status.ts';
import { route, type Route } from '../route.ts';

const session = z.strictObject({
  schema: z.literal(1),
  version: z.string().describe('The version of Mailroom'),
  project: z.string().describe('The folder of the project'),
  name: z.string().describe('Whose key it is: the name that approves'),
  access: z.enum(['read', 'write']),
});

/** The project as a whole. */
export const projectRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/v1/session',
    summary: 'The project, and whose key this is',
    tag: 'project',
    document: session,
    handle: ({ project, version }, { key }) => ({
      document: { schema: 1, version, project: project.root, name: key.name, access: key.access },
    }),
  }),
  route({
    method: 'get',
    path: '/api/v1/status',
    summary: 'Roles, threads, turns, runs, triggers, and who waits for whom',
    tag: 'project',
    document: statusDocument,
    handle: async ({ project, now }) => ({
      document: await readStatus(project, project.workflows, now()),
    }),
  }),
  route({
    method: 'get',
    path: '/api/v1/inbox',
    summary: 'What waits for people',
    tag: 'project',
    query: z.strictObject({ as: z.string().optional().describe('A human role; default: all of them') }),
    document: inboxDocument,
    handle: async ({ project }, { query }) => ({
      document: documentOf(await readInbox(project, project.workflows, query.as ?? null)),
    }),
  }),
];
