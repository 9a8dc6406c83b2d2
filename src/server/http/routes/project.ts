import * as z from 'zod';
import { protocolDocument as protocolSchema } from '../../../documents/protocol.ts';
import { ProblemsError } from '../../../project/definition/problems.ts';
import { protocolDocument } from '../../../mail/questions/protocol-document.ts';
import { listed, paging } from '../paging.ts';
import { inboxDocument } from '../../../documents/inbox.ts';
import { standings } from '../../../documents/standing.ts';
import {
  overviewDocument,
  sessionDocument,
  threadsDocument,
  type Overview,
} from '../../../documents/status.ts';
import { inboxDocument as documentOf, readInbox } from '../../../mail/questions/inbox.ts';
import { filteredThreads } from '../../../mail/questions/listed-threads.ts';
import { readOverview, readThreads, type ThreadList } from '../../../mail/questions/read-status.ts';
import { pastStatus } from '../../../mail/questions/past-status.ts';
import { route, type HttpServices, type Route } from '../route.ts';
import { momentIn, past } from './shapes.ts';

/** The status now, or at the moment of the query, without its threads. */
async function overviewAt({ project, now }: HttpServices, query: AtQuery): Promise<Overview> {
  const moment = momentIn(query, now());
  if (moment === null) return readOverview(project, now());
  const { threads: _list, ...overview } = await pastStatus(project, moment);
  return overview;
}

interface AtQuery {
  readonly at?: string | undefined;
}

/** The threads now, or at the moment of the query. */
async function threadsAt({ project, now }: HttpServices, query: AtQuery): Promise<ThreadList> {
  const moment = momentIn(query, now());
  if (moment === null) return readThreads(project, now());
  const { threads } = await pastStatus(project, moment);
  return { threads, explained: (some) => some.map((thread) => ({ ...thread, why: null })) };
}

const threadQuery = z.strictObject({
  ...paging,
  ...past,
  q: z.string().max(200).optional().describe('Words of the subject'),
  standing: z.enum(standings).optional().describe('What a person does about it'),
  under: z.string().optional().describe('This thread and those that it opened, also by others'),
  ids: z.string().max(8_000).optional().describe('These threads, separated by commas'),
});

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
    summary: 'Roles, turns, runs, triggers, who waits for whom, and how many threads there are',
    tag: 'project',
    query: z.strictObject(past),
    document: overviewDocument,
    handle: async (services, { query }) => ({ document: await overviewAt(services, query) }),
  }),
  route({
    method: 'get',
    path: '/api/v1/threads',
    summary: 'Threads, newest first, each followed by those that it opened',
    tag: 'mail',
    query: threadQuery,
    document: threadsDocument,
    handle: async (services, { query, url }) => {
      const list = await threadsAt(services, query);
      const found = filteredThreads(list.threads, { ...query, ids: query.ids?.split(',') });
      const part = listed(found, ({ id }) => id, query, url);
      return { ...part, document: list.explained(part.document) };
    },
  }),
  route({
    method: 'get',
    path: '/api/v1/roles',
    summary: 'Roles, and who waits for whom',
    tag: 'mail',
    query: z.strictObject(past),
    document: overviewDocument.shape.roles,
    handle: async (services, { query }) => ({ document: [...(await overviewAt(services, query)).roles] }),
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
