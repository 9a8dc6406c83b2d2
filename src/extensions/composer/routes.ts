import * as z from 'zod';
import { locateWorkflow } from '../../workflow/questions/workflow-files.ts';
import { readArtifacts, writeStubs } from './artifacts.ts';
import { composeWorkflow, formsFor } from './composer.ts';
import {
  actBody,
  artifactsDocument,
  completionsDocument,
  composedDocument,
  formsDocument,
  stubsDocument,
} from './documents.ts';
import { Refusal } from '../../server/http/problem.ts';
import { route, type Route } from '../../server/http/route.ts';
import { byWorkflow, definitionBytes, workflows } from '../../server/http/routes/shapes.ts';

/** What a composer asks besides: it keeps the text, and the server knows what the text means. */
export const composerRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: `${workflows}/{id}/compose`,
    summary:
      'The stored or an unsaved text as a graph with its problems, after an act that changes it. Writes nothing',
    tag: 'workflows',
    params: byWorkflow,
    body: z.strictObject({
      text: z.string().exactOptional().describe('Unsaved; default: the stored one'),
      act: actBody.exactOptional(),
    }),
    bodyBytes: definitionBytes,
    document: composedDocument,
    handle: async ({ project }, { params, body: { text = null, act = null } }) => ({
      document: await composeWorkflow(project, params.id, { text, act }),
    }),
  }),
  route({
    method: 'post',
    path: `${workflows}/{id}/stubs`,
    summary: 'Write stubs of the agents, skills and modules that a workflow refers to and that do not exist',
    tag: 'workflows',
    params: byWorkflow,
    body: z.strictObject({
      text: z.string().exactOptional().describe('Unsaved; default: the stored one'),
      reference: z.string().exactOptional().describe('Only this one, such as `agent:writer`'),
    }),
    bodyBytes: definitionBytes,
    document: stubsDocument,
    handle: async ({ project }, { params, body: { text = null, reference = null } }) => ({
      document: await writeStubs(project, params.id, { text, reference }),
    }),
  }),
  route({
    method: 'get',
    path: '/api/v1/forms/{language}',
    summary: 'The keys of the files and steps of a language, for forms',
    tag: 'workflows',
    params: z.strictObject({ language: z.string().regex(/^[a-z]{1,40}$/) }),
    document: formsDocument,
    handle: async ({ project }, { params }) => {
      const forms = formsFor(params.language, await project.workflows.languages());
      if (forms !== null) return { document: forms };
      throw new Refusal(404, 'E_TARGET', 'there are no forms for this language');
    },
  }),
  route({
    method: 'post',
    path: `${workflows}/{id}/complete`,
    summary: 'What may stand at an offset of unsaved text',
    tag: 'workflows',
    params: byWorkflow,
    body: z.strictObject({ text: z.string(), offset: z.int().min(0).describe('In UTF-16 units') }),
    bodyBytes: definitionBytes,
    document: completionsDocument,
    handle: async ({ project }, { params, body: { text, offset } }) => {
      if (offset > text.length) throw new Refusal(422, 'E_VALUE', '`offset` is behind the end of the text');
      const { file } = await locateWorkflow(project.workflows, project.root, params.id);
      const completions = await (await project.editor()).complete(file, text, offset);
      return { document: { schema: 1 as const, completions: [...completions] } };
    },
  }),
  route({
    method: 'get',
    path: '/api/v1/artifacts',
    summary: 'What stages can name, and what they name and is missing',
    tag: 'workflows',
    query: z.strictObject({
      kind: z.string().optional().describe('Kinds, separated by commas: agent, skill, mcp, ctx, memory'),
    }),
    document: artifactsDocument,
    handle: async ({ project }, { query }) => {
      const kinds = query.kind?.split(',');
      const all = await readArtifacts(project);
      return { document: all.filter(({ kind }) => kinds === undefined || kinds.includes(kind)) };
    },
  }),
];
