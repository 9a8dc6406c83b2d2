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
import { logsOf, processOf } from '../../../workflow/runs/reading.ts';
import { mostLines, streamed, type LogReading } from '../log-reading.ts';
import type { LogSource } from '../log-rows.ts';
import { Refusal } from '../problem.ts';
import { route, type HttpServices, type Route } from '../route.ts';
import type { ServedLogs } from '../served-logs.ts';
import { byId, byTurn, nothing } from './shapes.ts';

const runs = '/api/v1/workflow-runs';
/** A step, or the name of a log: `build`, `each/3/test`, in an address with `%2F`. */
export const stepName = z.string().regex(/^[^\p{Cc}]{1,500}$/u);

const gone = () => new Refusal(404, 'E_TARGET', 'there is no such log');

/** Logs below a path, which their parameters find. */
interface Logs<Params extends Readonly<Record<string, string>>> {
  readonly path: string;
  readonly what: string;
  readonly tag: string;
  readonly params: z.ZodType<Params>;
  readonly find: (services: HttpServices, params: Params) => LogReading;
}

function routesOf<Params extends Readonly<Record<string, string>>>(
  logs: Logs<Params>,
  served: ServedLogs,
): Route[] {
  const { path, what, tag, params, find } = logs;
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
    ...wholeOf(logs, served),
  ];
}

/** The whole log, for programs, and by a link for a browser. */
function wholeOf<Params extends Readonly<Record<string, string>>>(
  { path, what, tag, params, find }: Logs<Params>,
  served: ServedLogs,
): Route[] {
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
      method: 'post',
      path: `${path}/link`,
      summary: `An address that gives the whole of ${what} once, within a minute, without a key`,
      tag,
      params,
      body: nothing,
      document: logLinkDocument,
      isReading: true,
      handle: (services, { params: given }) => {
        const name = Object.values(given)
          .join('-')
          .replaceAll(/[^\w.-]+/g, '-');
        const { secret, until } = served.link(find(services, given), name, services.now());
        return {
          document: { schema: 1 as const, address: `/api/v1/downloads/${secret}`, until: iso(until) },
        };
      },
    }),
  ];
}

/** Text of agents: a browser shows it as text, or saves it. */
function whole(log: LogReading, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(streamed(log.bytes()), {
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', ...headers },
  });
}

function download(served: ServedLogs): Route {
  return route({
    method: 'get',
    path: '/api/v1/downloads/{secret}',
    summary: 'The log of a link',
    tag: 'project',
    params: z.strictObject({ secret: z.string().regex(/^[\w-]{1,100}$/) }),
    media: 'text/plain',
    isPublic: true,
    handle: ({ now }, { params: { secret } }) => {
      const link = served.take(secret, now());
      if (link === null) throw new Refusal(404, 'E_TARGET', 'the link was used, or its minute is over');
      return whole(link.log, { 'Content-Disposition': `attachment; filename="${link.name}.txt"` });
    },
  });
}

function fileOf(log: StepLog): LogFile[] {
  const seen = log.look();
  if (seen === null) return [];
  return [
    {
      name: log.name,
      step: log.path,
      ...processOf(log),
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

function ofRuns(served: ServedLogs): Route[] {
  const logs = {
    path: `${runs}/{id}/logs/{log}`,
    what: 'a log of a run',
    tag: 'runs',
    params: byId.extend({ log: stepName }),
    find: (services: HttpServices, { id, log }: { readonly id: string; readonly log: string }) => {
      const stored = services.project.workflows.run(id);
      const found = stored.logs().find(({ name }) => name === log);
      if (found === undefined) throw gone();
      return served.reading(services, `${stored.run}/${log}`, sourceOf(found));
    },
  };
  return routesOf(logs, served);
}

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

function ofTurns(served: ServedLogs): Route[] {
  const logs = {
    path: '/api/v1/turns/{id}/{attempt}/{round}/{file}',
    what: "a file of a turn's agent",
    tag: 'mail',
    params: ofLaunch,
    find: (services: HttpServices, asked: z.infer<typeof ofLaunch>) => {
      const path = launchFile(services, asked);
      if (path === null) throw gone();
      const { files: of } = services.project;
      return served.reading(services, path, {
        size: () => of.look(path)?.size ?? null,
        read: (from, most) => of.part(path, from, most),
      });
    },
  };
  return routesOf(logs, served);
}

export function logRoutes(served: ServedLogs): readonly Route[] {
  return [files, ...ofRuns(served), ...ofTurns(served), download(served)];
}
