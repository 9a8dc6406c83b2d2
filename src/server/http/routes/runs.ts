import * as z from 'zod';
import type { Moment } from '../../../kernel/times.ts';
import { hasWords } from '../../../kernel/words.ts';
import { json } from '../../../documents/common.ts';
import {
  artifactDocument,
  resumptionDocument,
  runDefinitionDocument,
  runDocument,
  runsDocument,
  runVerdict,
  timelineDocument,
  type RunVerdict,
} from '../../../documents/runs.ts';
import { standings } from '../../../documents/standing.ts';
import { commandRun, resumeRun, retryStep } from '../../../workflow/questions/commands.ts';
import { readRunDefinition } from '../../../workflow/runs/run-definition.ts';
import {
  artifactAddress,
  logsOf,
  readResumption,
  readRun,
  readRuns,
} from '../../../workflow/runs/reading.ts';
import { timelineOf } from '../../../workflow/runs/timeline.ts';
import type { ArtifactFiles, StepLog } from '../../../project/definition/contracts.ts';
import { maskedBytes, streamed } from '../log-reading.ts';
import { listed, paging } from '../paging.ts';
import { Refusal } from '../problem.ts';
import { route, type Answer, type Asked, type HttpServices, type Route } from '../route.ts';
import { sourceOf, stepName } from './logs.ts';
import { byId, filters, momentIn, nothing, past } from './shapes.ts';

const runs = '/api/v1/workflow-runs';
const statuses = ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED'] as const;

const byArtifact = byId.extend({ stage: stepName, name: stepName });

const reading: readonly Route[] = [
  route({
    method: 'get',
    path: runs,
    summary: 'Runs, newest first',
    tag: 'runs',
    query: z.strictObject({
      ...paging,
      ...past,
      workflow: z.string().optional(),
      status: z
        .string()
        .transform((text) => text.toUpperCase())
        .pipe(z.enum(statuses))
        .optional(),
      since: z.iso.datetime({ offset: true }).optional(),
      ...filters,
      newest: z.literal('true').optional().describe('Of each workflow only the newest run'),
    }),
    document: runsDocument,
    handle: async ({ project, now }, { query, url }) => {
      const { workflow, status, standing, since, newest, q = '', order } = query;
      const seen = new Set<string>();
      const time = timeOf(project, momentIn(query, now()));
      const all = (await readRuns(project.workflows, { time })).runs.filter(
        (run) =>
          (newest === undefined || (!seen.has(run.workflow) && seen.add(run.workflow))) &&
          (workflow === undefined || run.workflow === workflow) &&
          (status === undefined || run.status === status) &&
          (standing === undefined || run.standing.is === standing) &&
          (since === undefined || Date.parse(run.started_at ?? '') >= Date.parse(since)) &&
          hasWords([run.workflow, run.title, run.run, run.reason].join('\n'), q),
      );
      const place = (run: (typeof all)[number]) => standings.indexOf(run.standing.is);
      if (order === 'standing') all.sort((a, b) => place(a) - place(b));
      return listed(all, ({ run }) => run, query, url);
    },
  }),
  route({
    method: 'get',
    path: `${runs}/{id}`,
    summary: 'A run with its steps',
    tag: 'runs',
    params: byId,
    query: z.strictObject(past),
    document: runDocument,
    handle: async ({ project, now }, { params, query }) => {
      const stored = project.workflows.run(params.id);
      return { document: await readRun(stored, momentIn(query, now())) };
    },
  }),
  route({
    method: 'get',
    path: `${runs}/{id}/timeline`,
    summary: 'What the steps did, and when: attempts, checks, pauses, gates',
    tag: 'runs',
    params: byId,
    document: timelineDocument,
    handle: ({ project }, { params }) => {
      const stored = project.workflows.run(params.id);
      return { document: timelineOf(stored.run, stored.history()) };
    },
  }),
  route({
    method: 'get',
    path: `${runs}/{id}/definition`,
    summary: 'The definition as the run follows it, and whether its file still says the same',
    tag: 'runs',
    params: byId,
    document: runDefinitionDocument,
    handle: async ({ project }, { params }) => ({
      document: await readRunDefinition(project.workflows, project.root, project.workflows.run(params.id)),
    }),
  }),
  route({
    method: 'get',
    path: `${runs}/{id}/logs`,
    summary: 'The output of the steps',
    tag: 'runs',
    params: byId,
    query: z.strictObject({
      stage: stepName.optional().describe('A step; default: all'),
      attempt: z.coerce.number().int().min(1).optional(),
      after: z.coerce.number().int().min(0).default(0).describe('Bytes to leave out'),
    }),
    media: 'text/plain',
    handle: (services, { params, query: { stage = null, attempt = null, after } }) => {
      const logs = logsOf(services.project.workflows.run(params.id), stage, attempt);
      return new Response(streamed(without(allOf(services, logs), after)), {
        headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
      });
    },
  }),
];

/** The bytes of artifacts, as they lie. */
const artifacts: readonly Route[] = [
  route({
    method: 'get',
    path: `${runs}/{id}/artifacts/{stage}/{name}`,
    summary: 'The files of an artifact',
    tag: 'runs',
    params: byArtifact,
    document: artifactDocument,
    handle: ({ project }, { params }) => {
      const { stored, found } = artifactIn(project, params);
      const address = artifactAddress(stored.run, params.stage, params.name);
      const files = [...found.files].map(([path, bytes]) => ({
        path,
        bytes,
        address: `${address}/${encodeURIComponent(path)}`,
      }));
      return {
        document: { schema: 1 as const, run: stored.run, step: params.stage, name: params.name, files },
      };
    },
  }),
  route({
    method: 'get',
    path: `${runs}/{id}/artifacts/{stage}/{name}/{file}`,
    summary: 'A file of an artifact, byte for byte; for keys that may write, as it is not masked',
    tag: 'runs',
    params: byArtifact.extend({ file: stepName }),
    media: 'application/octet-stream',
    handle: ({ project }, { params, key }) => {
      if (key.access !== 'write')
        throw new Refusal(403, 'E_KEY', `the key of ${key.name} may only read what is masked`);
      return download(artifactIn(project, params).found, params.file);
    },
  }),
];

interface ArtifactName {
  readonly id: string;
  readonly stage: string;
  readonly name: string;
}

function artifactIn(project: HttpServices['project'], { id, stage, name }: ArtifactName) {
  const stored = project.workflows.run(id);
  const found = stored.artifact(stage, name);
  if (found === null) throw new Refusal(404, 'E_TARGET', `\`${stage}\` has no artifact \`${name}\``);
  return { stored, found };
}

/** So many bytes of a file are in memory at once. */
const chunk = 256 * 1024;

/** A browser keeps it as a file, and never shows it: it is of an agent. */
function download({ files, read }: ArtifactFiles, path: string): Response {
  const size = files.get(path);
  if (size === undefined) throw new Refusal(404, 'E_TARGET', 'the artifact has no such file');
  let from = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (stream) => {
      if (from === size) return stream.close();
      const bytes = read(path, from, Math.min(chunk, size - from));
      if (bytes === null || bytes.length === 0) return stream.error(new Error('the file became shorter'));
      from += bytes.length;
      stream.enqueue(bytes);
    },
  });
  const name = encodeURIComponent(path.split('/').at(-1) ?? '').replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return new Response(body, {
    headers: {
      'Content-Type': 'application/octet-stream',
      'Content-Length': String(size),
      'Content-Disposition': `attachment; filename*=UTF-8''${name}`,
      'Cache-Control': 'no-store',
    },
  });
}

/** The contents of logs without secrets, each under a heading with its name. */
function* allOf({ api }: HttpServices, logs: readonly StepLog[]): Generator<Buffer> {
  for (const log of logs) {
    const source = sourceOf(log);
    if ((source.size() ?? 0) === 0) continue;
    yield Buffer.from(`== ${api.maskText(log.name)}\n`);
    let last = 0;
    for (const piece of maskedBytes(source, api.masker())) {
      last = piece.at(-1) ?? last;
      yield piece;
    }
    if (last !== 0x0a) yield Buffer.from('\n');
  }
}

function* without(pieces: Iterable<Buffer>, bytes: number): Generator<Buffer> {
  let left = bytes;
  for (const piece of pieces) {
    yield piece.subarray(Math.min(left, piece.length));
    left -= Math.min(left, piece.length);
  }
}

/** Runs have journals of their own: a record of the mail's journal means its time. */
function timeOf(project: HttpServices['project'], moment: Moment | null): number | null {
  if (moment === null) return null;
  return 'time' in moment ? moment.time : project.journal.past(moment).state.now;
}

const gateAnswer = z.strictObject({
  comment: z.string().max(10_000).exactOptional(),
  choice: z.string().exactOptional().describe('Default: `approve`'),
  fields: z.record(z.string(), json).default({}),
});

const writing: readonly Route[] = [
  ...(['approve', 'reject'] as const).map((verb) =>
    route({
      method: 'post',
      path: `${runs}/{id}/gates/{stage}/${verb}`,
      summary: verb === 'approve' ? 'Answer a gate' : 'Reject a gate',
      tag: 'runs',
      params: byId.extend({ stage: stepName }),
      body: gateAnswer,
      document: runVerdict,
      statuses: [200, 202],
      handle: async (services, asked) => {
        const { comment = null, choice = null, fields } = asked.body;
        const wish = { verb, path: asked.params.stage, comment, choice, fields };
        return verdict(await commandRun(commander(services, asked), asked.params.id, wish));
      },
    }),
  ),
  ...(['cancel', 'pause', 'unpause'] as const).map((verb) =>
    route({
      method: 'post',
      path: `${runs}/{id}/${verb}`,
      summary: verb === 'cancel' ? 'Cancel a run permanently' : `\`mailroom ${verb}\` of a run`,
      tag: 'runs',
      params: byId,
      body: z.strictObject({ comment: z.string().max(10_000).exactOptional() }),
      document: runVerdict,
      statuses: [200, 202],
      handle: async (services, asked) => {
        const wish = { verb, path: '', comment: asked.body.comment ?? null };
        return verdict(await commandRun(commander(services, asked), asked.params.id, wish));
      },
    }),
  ),
  route({
    method: 'post',
    path: `${runs}/{id}/retry/{stage}`,
    summary: 'Run a failed step and the steps after it again',
    tag: 'runs',
    params: byId.extend({ stage: stepName }),
    body: z.strictObject({ instructions: z.string().exactOptional() }),
    document: runVerdict,
    statuses: [200, 202],
    handle: async (services, asked) => {
      const { id, stage } = asked.params;
      return verdict(await retryStep(commander(services, asked), id, stage, asked.body.instructions ?? null));
    },
  }),
  route({
    method: 'get',
    path: `${runs}/{id}/resumption`,
    summary: 'What a resume would do, step by step',
    tag: 'runs',
    params: byId,
    document: resumptionDocument,
    handle: ({ project }, { params }) => ({
      document: readResumption(project.workflows.run(params.id)),
    }),
  }),
  route({
    method: 'post',
    path: `${runs}/{id}/resume`,
    summary: 'Resume a run, in a process of its own',
    tag: 'runs',
    params: byId,
    body: nothing,
    document: runDocument,
    statuses: [202],
    handle: async (services, asked) => {
      const stored = await resumeRun(commander(services, asked), asked.params.id);
      const document = await readRun(stored);
      return { status: 202, document, headers: { Location: `${runs}/${stored.run}` } };
    },
  }),
];

function commander(
  { project, now }: HttpServices,
  { key, id }: Pick<Asked<unknown, unknown, unknown>, 'key' | 'id'>,
) {
  return { project, now, by: key.name, id };
}

function verdict(document: RunVerdict): Answer<RunVerdict> {
  return document.state === 'done' ? { document } : { status: 202, document };
}

export const runRoutes: readonly Route[] = [...reading, ...artifacts, ...writing];
