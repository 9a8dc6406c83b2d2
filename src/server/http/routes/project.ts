import * as z from 'zod';
import { protocolDocument as protocolSchema } from '../../../documents/protocol.ts';
import { ProblemsError } from '../../../project/definition/problems.ts';
import { protocolDocument } from '../../../mail/questions/protocol-document.ts';
import { listed, paging } from '../paging.ts';
import { inboxDocument } from '../../../documents/inbox.ts';
import { sessionDocument, statusDocument, type StatusDocument } from '../../../documents/status.ts';
import { inboxDocument as documentOf, readInbox } from '../../../mail/questions/inbox.ts';
import { readStatus } from '../../../mail/questions/read-status.ts';
import { pastStatus } from '../../../mail/questions/past-status.ts';
import { route, type HttpServices, type Route } from '../route.ts';
import { momentIn, past } from './shapes.ts';

/** The status now, or at the moment of the query. */
async function statusAt(
  { project, now }: HttpServices,
  query: { readonly at?: string | undefined },
): Promise<StatusDocument> {
  const moment = momentIn(query, now());
  return moment === null ? readStatus(project, now()) : pastStatus(project, moment);
}

/** The project as a whole. */
export const projectRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/v1/session',
    summary: 'The project, and whose key this is',
    tag: 'project',
    document: sessionDocument,
    handle: ({ project, version }, { key }) => ({
      document: { schema: 1 as const, version, project: project.root, name: key.name, access: key.access },
    }),
  }),
  route({
    method: 'get',
    path: '/api/v1/status',
    summary: 'Roles, threads, turns, runs, triggers, and who waits for whom',
    tag: 'project',
    query: z.strictObject(past),
    document: statusDocument,
    handle: async (services, { query }) => ({ document: await statusAt(services, query) }),
  }),
  route({
    method: 'get',
    path: '/api/v1/threads',
    summary: 'Threads, newest first',
    tag: 'mail',
    query: z.strictObject({
      ...paging,
      ...past,
      state: z.enum(['open', 'quiet', 'closed', 'failed']).optional(),
    }),
    document: statusDocument.shape.threads,
    handle: async (services, { query, url }) => {
      const { threads } = await statusAt(services, query);
      const all = threads.filter(({ state }) => query.state === undefined || state === query.state);
      return listed(all.toReversed(), ({ id }) => id, query, url);
    },
  }),
  route({
    method: 'get',
    path: '/api/v1/roles',
    summary: 'Roles, and who waits for whom',
    tag: 'mail',
    query: z.strictObject(past),
    document: statusDocument.shape.roles,
    handle: async (services, { query }) => ({ document: [...(await statusAt(services, query)).roles] }),
  }),
  route({
    method: 'get',
    path: '/api/v1/protocol',
    summary: 'The protocol with its defaults',
    tag: 'project',
    document: protocolSchema,
    handle: async ({ project }) => {
      const definition = await project.definition();
      if (!definition.ok) throw new ProblemsError(definition.problems);
      return { document: protocolDocument(definition.value.protocol) };
    },
  }),
  route({
    method: 'get',
    path: '/api/v1/inbox',
    summary: 'What waits for people',
    tag: 'project',
    query: z.strictObject({ as: z.string().optional().describe('A human role; default: all of them') }),
    document: inboxDocument,
    handle: async ({ project }, { query }) => ({
      document: documentOf(await readInbox(project, query.as ?? null)),
    }),
  }),
];
