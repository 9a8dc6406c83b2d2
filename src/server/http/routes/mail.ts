import * as z from 'zod';
import { json } from '../../../documents/common.ts';
import { backDocument, doneDocument } from '../../../documents/inbox.ts';
import {
  costsDocument,
  differenceDocument,
  sendingDocument,
  shownDocument,
  verdictDocument,
  whyDocument,
  type CommandResult,
  type Sending,
} from '../../../documents/mail.ts';
import { messageDifference } from '../../../mail/questions/message-difference.ts';
import { putAway, putBack } from '../../../mail/questions/done.ts';
import { readCosts } from '../../../mail/questions/read-costs.ts';
import { ask, targetsOf, type Asked as CommandAsked } from '../../../mail/questions/requests.ts';
import { showAt } from '../../../mail/questions/show.ts';
import { replyAs, sendAs, type WrittenMessage } from '../../../mail/questions/speak.ts';
import { partOf } from '../../../mail/questions/text-parts.ts';
import { why } from '../../../mail/questions/why.ts';
import { Refusal } from '../problem.ts';
import { route, type Answer, type Asked, type HttpServices, type Route } from '../route.ts';
import { launchFile, ofLaunch } from './logs.ts';
import { byId, byRole, byTarget, byTurn, momentIn, nothing, past } from './shapes.ts';

const letter = {
  type: z.string().exactOptional().describe('Default: the only type that fits'),
  subject: z.string().exactOptional(),
  text: z.string().describe('Markdown'),
  fields: z.record(z.string(), json).default({}),
  attachments: z.array(z.string()).default([]).describe('Paths inside the project'),
};

const newLetter = z.strictObject({
  ...letter,
  to: z
    .union([z.string(), z.array(z.string()).min(1)], { error: 'expected a role or a list of roles' })
    .transform((to) => (typeof to === 'string' ? [to] : to))
    .describe('A role, or several'),
  thread: z.string().exactOptional().describe('Default: it opens one'),
});

/** Reading mail. */
const reading: readonly Route[] = [
  ...(['thread', 'message'] as const).map((kind) =>
    route({
      method: 'get',
      path: `/api/v1/${kind}s/{id}`,
      summary: kind === 'thread' ? 'A thread with its messages' : 'A message with its copies',
      tag: 'mail',
      params: byId,
      query: z.strictObject(past),
      document: shownDocument,
      handle: ({ project, now }, { params, query }) => ({
        document: showAt(project, params.id, momentIn(query, now()), kind === 'thread' ? kind : null),
      }),
    }),
  ),
  route({
    method: 'get',
    path: '/api/v1/messages/{id}/diff',
    summary: 'What the work of a message changes',
    tag: 'mail',
    params: byId,
    document: differenceDocument,
    handle: difference,
  }),
  route({
    method: 'get',
    path: '/api/v1/turns/{id}/diff',
    summary:
      'What the work of a turn brings onto the branch that it is to land on; of a conflict, both sides',
    tag: 'mail',
    params: byTurn,
    document: differenceDocument,
    handle: difference,
  }),
  route({
    method: 'get',
    path: '/api/v1/turns/{id}',
    summary: 'A turn with what it sent, and the files of its agent',
    tag: 'mail',
    params: byTurn,
    query: z.strictObject(past),
    document: shownDocument,
    handle: ({ project, now }, { params, query }) => ({
      document: showAt(project, params.id, momentIn(query, now())),
    }),
  }),
  route({
    method: 'get',
    path: '/api/v1/turns/{id}/{attempt}/{round}/{file}',
    summary: "The prompt, the output, or the changed files of a turn's agent",
    tag: 'mail',
    params: ofLaunch,
    query: z.strictObject({
      after: z.coerce.number().int().min(0).default(0).describe('Bytes to leave out, as a link says'),
    }),
    media: 'text/plain',
    handle: (services, { params, query: { after }, url }) => {
      const { project, api } = services;
      const path = launchFile(services, params);
      const read = (from: number, most: number) =>
        path === null ? null : project.files.part(path, from, most);
      const part = partOf(read, after, (text) => api.maskText(text));
      if (part === null) throw new Refusal(404, 'E_TARGET', 'the turn has no such file');
      if (part === 'split') throw new Refusal(422, 'E_VALUE', 'no part of the file begins at `after`');
      const link =
        part.next === null ? {} : { Link: `<${url.pathname}?after=${String(part.next)}>; rel="next"` };
      return plainText(part.text, link);
    },
  }),
  route({
    method: 'get',
    path: '/api/v1/why/{target}',
    summary: 'Why something moves, waits or has ended',
    tag: 'mail',
    params: byTarget,
    document: whyDocument,
    handle: async ({ project, now }, { params }) => ({ document: await why(project, params.target, now()) }),
  }),
  route({
    method: 'get',
    path: '/api/v1/costs',
    summary: 'What was paid, and for what',
    tag: 'project',
    query: z.strictObject({
      by: z.string().default('role').describe('Kinds, separated by commas'),
      since: z.string().optional().describe('A day, or how long ago: 7d'),
    }),
    document: costsDocument,
    handle: ({ project, now }, { query: { by, since } }) => ({
      document: readCosts(project, { by, since: since ?? null }, now()),
    }),
  }),
];

async function difference(
  { project, api }: HttpServices,
  { params }: Asked<{ readonly id: string }, unknown, unknown>,
) {
  const found = await messageDifference(project, params.id);
  return { document: { ...found, patch: api.maskText(found.patch) } };
}

/** Text of agents: a browser shows it as text, whatever it contains. */
function plainText(text: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(text, {
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', ...headers },
  });
}

const noticeIds = z.array(z.string()).min(1).max(1_000).describe('Of notices');

/** Writing mail. A person speaks under the name of the key. */
const writing: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/v1/messages',
    summary: 'Send a message',
    tag: 'mail',
    body: newLetter,
    document: sendingDocument,
    statuses: [201, 202],
    handle: async (services, asked) => sent(await sendAs(speaking(services, asked), asked.body)),
  }),
  route({
    method: 'post',
    path: '/api/v1/messages/{id}/reply',
    summary: 'Answer a message',
    tag: 'mail',
    params: byId,
    body: z.strictObject(letter),
    document: sendingDocument,
    statuses: [201, 202],
    handle: async (services, asked) =>
      sent(await replyAs(speaking(services, asked), asked.params.id, asked.body)),
  }),
  route({
    method: 'post',
    path: '/api/v1/inbox/done',
    summary: 'Put notices away',
    tag: 'mail',
    body: z.strictObject({ ids: noticeIds }),
    document: doneDocument,
    handle: async ({ project }, { body }) => ({ document: await putAway(project, null, body.ids) }),
  }),
  route({
    method: 'post',
    path: '/api/v1/inbox/back',
    summary: 'Put notices back that were put away',
    tag: 'mail',
    body: z.strictObject({ ids: noticeIds }),
    document: backDocument,
    handle: async ({ project }, { body }) => ({ document: await putBack(project, body.ids) }),
  }),
];

function speaking({ project, now }: HttpServices, { key, id }: Asked<unknown, unknown, WrittenMessage>) {
  return { project, now, name: key.name, mark: id === null ? undefined : id.slice(-12) };
}

function sent(document: Sending): Answer<Sending> {
  if (document.state !== 'accepted') return { status: 202, document };
  return { status: 201, document, headers: { Location: `/api/v1/messages/${document.id}` } };
}

type Verb = CommandResult['verb'];

/** A command for what a word names, as the person of the key gives it. */
async function command(
  { project, now }: HttpServices,
  verb: Verb,
  word: string,
  asked: Asked<unknown, unknown, unknown>,
  said: Pick<CommandAsked, 'comment' | 'changes'> = {},
) {
  const verdicts: CommandResult[] = [];
  for (const [index, target] of (await targetsOf(project, verb, word)).entries()) {
    const id = asked.id === null ? project.newId() : `${asked.id}-${String(index)}`;
    const by = asked.key.name;
    verdicts.push(await ask(project, { verb, target, now: false, by, ...said }, now, id));
  }
  const refused = verdicts.find(({ state }) => state === 'refused');
  if (refused) throw new Refusal(409, 'E_REFUSED', `${verb} ${word}: ${refused.reason ?? 'no reason given'}`);
  const [first] = verdicts;
  const document = { ...first!, targets: verdicts.map(({ target }) => target) };
  return { status: document.state === 'done' ? (200 as const) : (202 as const), document };
}

function commandRoute<Params extends Readonly<Record<string, string>>>(
  verb: Verb,
  path: string,
  params: z.ZodType<Params>,
): Route {
  return route({
    method: 'post',
    path: `/api/v1/${path}/${verb}`,
    summary: `\`mailroom ${verb}\``,
    tag: 'mail',
    params,
    body: nothing,
    document: verdictDocument,
    statuses: [200, 202],
    handle: (services, asked) => command(services, verb, Object.values(asked.params)[0] ?? '', asked),
  });
}

const commands: readonly Route[] = [
  ...(['pause', 'unpause'] as const).flatMap((verb) => [
    route({
      method: 'post',
      path: `/api/v1/${verb}`,
      summary: `\`mailroom ${verb} all\``,
      tag: 'mail',
      body: nothing,
      document: verdictDocument,
      statuses: [200, 202],
      handle: (services, asked) => command(services, verb, 'all', asked),
    }),
    commandRoute(verb, 'roles/{role}', byRole),
    commandRoute(verb, 'threads/{id}', byId),
  ]),
  commandRoute('cancel', 'threads/{id}', byId),
  commandRoute('cancel', 'turns/{id}', byTurn),
  ...(['approve', 'reject'] as const).map((verb) =>
    route({
      method: 'post',
      path: `/api/v1/turns/{id}/${verb}`,
      summary:
        verb === 'approve'
          ? 'Let the work of a turn land, or allow what its agent asks for'
          : 'Give the work of a turn back, or refuse what its agent asks for',
      tag: 'mail',
      params: byTurn,
      body: z.strictObject({ comment: z.string().exactOptional(), changes: z.string().exactOptional() }),
      document: verdictDocument,
      statuses: [200, 202],
      handle: (services, asked) => command(services, verb, asked.params.id, asked, asked.body),
    }),
  ),
  commandRoute('retry', 'messages/{id}', byId),
];

export const mailRoutes: readonly Route[] = [...reading, ...writing, ...commands];
