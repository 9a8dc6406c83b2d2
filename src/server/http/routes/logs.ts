import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import {
  logFilesDocument,
  logHitsDocument,
  logLinesDocument,
  logLinkDocument,
  type LogFile,
} from '../../../documents/logs.ts';
import { iso } from '../../../kernel/times.ts';
import { showAt } from '../../../mail/questions/show.ts';
import type { StepLog } from '../../../project/definition/contracts.ts';
import { logsOf } from '../../../workflow/runs/reading.ts';
import { LogReading, mostLines, streamed } from '../log-reading.ts';
import { LineIndex, type LogSource } from '../log-rows.ts';
import { Refusal } from '../problem.ts';
import { route, type HttpServices, type Route } from '../route.ts';
import { byId, byTurn } from './shapes.ts';

const runs = '/api/v1/workflow-runs';
/** A step, or the name of a log: `build`, `each/3/test`, in an address with `%2F`. */
export const stepName = z.string().regex(/^[^\p{Cc}]{1,500}$/u);

/** The logs whose lines are known, by project and name, the most recently read last. */
const readings = new WeakMap<object, Map<string, LogReading>>();
const mostReadings = 64;

function readingOf({ project, api }: HttpServices, name: string, source: LogSource): LogReading {
  const known = readings.get(project) ?? new Map<string, LogReading>();
  readings.set(project, known);
  const reading = known.get(name) ?? new LogReading(source, new LineIndex(source), api);
  known.delete(name);
  known.set(name, reading);
  const [oldest] = known.keys();
  if (known.size > mostReadings && oldest !== undefined) known.delete(oldest);
  return reading;
}

const gone = () => new Refusal(404, 'E_TARGET', 'there is no such log');

/** Links to whole logs by their secret; each works once, for a minute. */
const links = new Map<string, { readonly until: number; readonly name: string; readonly log: LogReading }>();
const linkMilliseconds = 60_000;

/** Logs below a path, which their parameters find. */
interface Logs<Params extends Readonly<Record<string, string>>> {
  readonly path: string;
  readonly what: string;
  readonly tag: string;
  readonly params: z.ZodType<Params>;
  readonly find: (services: HttpServices, params: Params) => LogReading;
}

/** The lines and the search of logs. */
function linesOf<Params extends Readonly<Record<string, string>>>({
  path,
  what,
  tag,
  params,
  find,
}: Logs<Params>): Route[] {
  const number = z.coerce.number().int().min(1);
  return [
    route({
      method: 'get',
      path: `${path}/lines`,
      summary: `Lines of ${what}`,
      tag,
      params,
      query: z.strictObject({
        from: number.optional().describe('The first line, counted from 1; default: 1'),
        around: z.enum(['end', 'failure']).optional().describe('Instead of `from`'),
        lines: number.max(mostLines).default(200).describe('How many at most, and no more than 1 MiB'),
      }),
      document: logLinesDocument,
      handle: async (services, { params: given, query: { from = 1, around, lines }, signal }) => {
        const found = await find(services, given).lines(around ?? { first: from }, lines, signal);
        if (found === null) throw gone();
        return { document: found };
      },
    }),
    route({
      method: 'get',
      path: `${path}/search`,
      summary: `The lines of ${what} that hold some words`,
      tag,
      params,
      query: z.strictObject({
        text: z.string().max(500).default('').describe('In upper or lower case; empty: no line'),
        from: number.default(1).describe('The first line that is searched'),
      }),
      document: logHitsDocument,
      handle: async (services, { params: given, query: { text, from }, signal }) => {
        const found = await find(services, given).search(text, from, signal);
        if (found === null) throw gone();
        return { document: found };
      },
    }),
  ];
}

/** The whole of logs, and a link to it. */
function wholesOf<Params extends Readonly<Record<string, string>>>({
  path,
  what,
  tag,
  params,
  find,
}: Logs<Params>): Route[] {
  return [
    route({
      method: 'get',
      path: `${path}/content`,
      summary: `The whole of ${what}`,
      tag,
      params,
      media: 'text/plain',
      handle: (services, { params: given }) => whole(find(services, given)),
    }),
    route({
      method: 'get',
      path: `${path}/link`,
      summary: `An address that gives the whole of ${what} once, within a minute, without a key`,
      tag,
      params,
      document: logLinkDocument,
      handle: (services, { params: given }) => {
        const now = services.now();
        for (const [secret, { until }] of links) if (until < now) links.delete(secret);
        const secret = randomBytes(32).toString('base64url');
        const name = Object.values(given)
          .join('-')
          .replaceAll(/[^\w.-]+/g, '-');
        links.set(secret, { until: now + linkMilliseconds, name, log: find(services, given) });
        const address = `/api/v1/downloads/${secret}`;
        return { document: { schema: 1 as const, address, until: iso(now + linkMilliseconds) } };
      },
    }),
  ];
}

function routesOf<Params extends Readonly<Record<string, string>>>(logs: Logs<Params>): Route[] {
  return [...linesOf(logs), ...wholesOf(logs)];
}

/** Text of agents: a browser shows it as text, or saves it. */
function whole(log: LogReading, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(streamed(log.bytes()), {
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', ...headers },
  });
}

const download = route({
  method: 'get',
  path: '/api/v1/downloads/{secret}',
  summary: 'The log of a link',
  tag: 'project',
  params: z.strictObject({ secret: z.string().regex(/^[\w-]{1,100}$/) }),
  media: 'text/plain',
  isPublic: true,
  handle: ({ now }, { params: { secret } }) => {
    const link = links.get(secret);
    links.delete(secret);
    if (link === undefined || link.until < now())
      throw new Refusal(404, 'E_TARGET', 'the link was used, or its minute is over');
    return whole(link.log, { 'Content-Disposition': `attachment; filename="${link.name}.txt"` });
  },
});

function fileOf(log: StepLog): LogFile[] {
  const seen = log.look();
  const [, process = '', stream] = /([\d.]+)\/(stdout|stderr)$/.exec(log.name) ?? [];
  if (seen === null) return [];
  const [iteration = 1, attempt = 1, check = null] = process.split('.').map(Number);
  return [
    {
      name: log.name,
      step: log.path,
      iteration,
      attempt,
      check,
      stream: stream === 'stderr' ? 'stderr' : 'stdout',
      size: seen.size,
      changed_at: iso(seen.mtimeMs),
    },
  ];
}

const files = route({
  method: 'get',
  path: `${runs}/{id}/logs/files`,
  summary: 'The logs of a run, or of a step with all below it',
  tag: 'runs',
  params: byId,
  query: z.strictObject({ stage: stepName.optional().describe('A step; default: all') }),
  document: logFilesDocument,
  handle: ({ project }, { params, query: { stage = null } }) => ({
    document: {
      schema: 1 as const,
      files: logsOf(project.workflows.run(params.id), stage, null).flatMap(fileOf),
    },
  }),
});

/** The file of a step's log. */
export function sourceOf(log: StepLog): LogSource {
  return { size: () => log.look()?.size ?? null, read: (from, most) => log.part(from, most) };
}

const ofRuns = routesOf({
  path: `${runs}/{id}/logs/{log}`,
  what: 'a log of a run',
  tag: 'runs',
  params: byId.extend({ log: stepName }),
  find: (services, { id, log }) => {
    const stored = services.project.workflows.run(id);
    const found = stored.logs().find(({ name }) => name === log);
    if (found === undefined) throw gone();
    return readingOf(services, `${stored.run}/${log}`, sourceOf(found));
  },
});

/** The files of a launch of a turn. */
export const ofLaunch = byTurn.extend({
  attempt: z.string(),
  round: z.string(),
  file: z.enum(['prompt', 'stdout', 'stderr', 'changes']),
});

/** The path of a file of a launch in the project; null: there is none. */
export function launchFile({ project }: HttpServices, asked: z.infer<typeof ofLaunch>): string | null {
  const shown = showAt(project, asked.id, null);
  if (shown.kind !== 'turn') return null;
  const launch = shown.invocations.find(
    ({ attempt, round }) => String(attempt) === asked.attempt && String(round) === asked.round,
  );
  return launch?.[asked.file] ?? null;
}

const ofTurns = routesOf({
  path: '/api/v1/turns/{id}/{attempt}/{round}/{file}',
  what: "a file of a turn's agent",
  tag: 'mail',
  params: ofLaunch,
  find: (services, asked) => {
    const path = launchFile(services, asked);
    if (path === null) throw gone();
    const { files: of } = services.project;
    return readingOf(services, path, {
      size: () => of.look(path)?.size ?? null,
      read: (from, most) => of.part(path, from, most),
    });
  },
});

export const logRoutes: readonly Route[] = [files, ...ofRuns, ...ofTurns, download];
