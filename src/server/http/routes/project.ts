import * as z from 'zod';
import { protocolDocument as protocolSchema } from '../../../documents/protocol.ts';
import { ProblemsError } from '../../../project/definition/problems.ts';
import { protocolDocument } from '../../../mail/questions/protocol-document.ts';
import { listed, paging } from '../paging.ts';
import { momentsDocument } from '../../../documents/mail.ts';
import { handledDocument, inboxDocument } from '../../../documents/inbox.ts';
import {
  overviewDocument,
  sessionDocument,
  threadsDocument,
  type Overview,
} from '../../../documents/status.ts';
import { inboxDocument as documentOf, readInbox } from '../../../mail/questions/inbox.ts';
import { handledBy, handledItems } from '../../../mail/questions/done.ts';
import { filteredThreads, textOf } from '../../../mail/questions/listed-threads.ts';
import { readOverview, readThreads, type ThreadList } from '../../../mail/questions/read-status.ts';
import { momentsOf } from '../../../mail/questions/moments.ts';
import { pastStatus } from '../../../mail/questions/past-status.ts';
import { route, type HttpServices, type Route } from '../route.ts';
import { filters, momentIn, past } from './shapes.ts';

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
  ...filters,
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
    path: '/api/v1/moments',
    summary: 'When the mail changed: marks for a line of the past',
    tag: 'project',
    document: momentsDocument,
    handle: ({ project }) => ({ document: momentsOf(project) }),
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
      const filter = { ...query, ids: query.ids?.split(',') };
      // The state with all messages is read only where their words are looked for.
      const text = query.q === undefined ? undefined : textOf(services.project.journal.state());
      const threads = filteredThreads(list.threads, filter, text);
      const part = listed(threads, ({ id }) => id, query, url);
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
  route({
    method: 'get',
    path: '/api/v1/inbox/done',
    summary: 'What people have put away or answered, newest first',
    tag: 'project',
    query: z.strictObject(paging),
    document: handledDocument,
    handle: async ({ project }, { query, url }) => {
      const part = listed(await handledBy(project, null), ([id]) => id, query, url);
      return { ...part, document: await handledItems(project, part.document) };
    },
  }),
];
