import * as z from 'zod';
import { composeWorkflow, formsFor } from '../../../composer/composer.ts';
import { writeStubs } from '../../../composer/artifacts.ts';
import { actBody, composedDocument, formsDocument, stubsDocument } from '../../../documents/composer.ts';
import { Refusal } from '../problem.ts';
import { route, type Route } from '../route.ts';
import { byWorkflow, definitionBytes, workflows } from './shapes.ts';

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
    handle: (_services, { params }) => {
      const forms = formsFor(params.language);
      if (forms !== null) return { document: forms };
      throw new Refusal(404, 'E_TARGET', 'there are no forms for this language');
    },
  }),
];
