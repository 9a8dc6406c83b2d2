import * as z from 'zod';
import { json } from '../../../documents/common.ts';
import {
  planDocument,
  startedDocument,
  validateDocument,
  workflowDocument,
  workflowsDocument,
} from '../../../documents/workflows.ts';
import { formats } from '../../../workflow/questions/convert-text.ts';
import { planWorkflow, startWorkflow } from '../../../workflow/questions/start.ts';
import { validate } from '../../../project/definition/validate.ts';
import {
  findWorkflow,
  listWorkflows,
  locateWorkflow,
  readWorkflowFile,
  workflowText,
} from '../../../workflow/questions/workflow-files.ts';
import { route, type Route } from '../route.ts';
import { byWorkflow, definitionBytes, workflows } from './shapes.ts';

const given = {
  parameters: z.record(z.string(), json).default({}),
  context: z.record(z.string(), json).default({}),
};

export const workflowRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: workflows,
    summary: 'The workflows of the project, also those with errors',
    tag: 'workflows',
    query: z.strictObject({ tag: z.string().optional(), language: z.string().optional() }),
    document: workflowsDocument,
    handle: async ({ project }, { query: { tag, language } }) => {
      const all = await listWorkflows(project.workflows, project.root);
      return {
        document: all.filter(
          (each) =>
            (language === undefined || each.language === language) &&
            (tag === undefined || each.tags.includes(tag)),
        ),
      };
    },
  }),
  route({
    method: 'get',
    path: `${workflows}/{id}`,
    summary: 'A workflow with its text, parameters, steps and diagnostics',
    tag: 'workflows',
    params: byWorkflow,
    query: z.strictObject({
      format: z.enum(formats).optional().describe('`yaml`: the text; default: as `Accept` asks'),
      overrides: z
        .literal('applied')
        .optional()
        .describe('The definition, or the text in YAML, with the changes of override files'),
    }),
    document: workflowDocument,
    media: 'application/yaml',
    handle: async ({ project }, { params, query, headers }) => {
      const found = await findWorkflow(project.workflows, project.root, params.id);
      const isApplied = query.overrides === 'applied';
      if (query.format === undefined ? wantsYaml(headers) : query.format === 'yaml') {
        const { text, revision } = await workflowText(project.workflows, found, isApplied);
        const tag = revision === null ? {} : { ETag: `"${revision}"` };
        return { text, type: 'application/yaml; charset=utf-8', headers: tag };
      }
      const document = await readWorkflowFile(project.workflows, found);
      const shown = isApplied ? { ...document, definition: document.effective } : document;
      return { document: shown, revision: document.revision };
    },
  }),
  route({
    method: 'post',
    path: `${workflows}/{id}/validate`,
    summary: 'The diagnostics of the stored text, or of one that is not saved',
    tag: 'workflows',
    params: byWorkflow,
    body: z.strictObject({ text: z.string().exactOptional().describe('Default: the stored one') }),
    bodyBytes: definitionBytes,
    document: validateDocument,
    handle: async ({ project }, { params, body }) => {
      const { workflows: all, root } = project;
      const { file } = await locateWorkflow(all, root, params.id);
      const read = await (body.text === undefined ? all.read(file, root) : all.check(body.text, file));
      return { document: validate([read]).document };
    },
  }),
  route({
    method: 'post',
    path: `${workflows}/{id}/plan`,
    summary: 'What a run would do, and its worst case. Starts nothing',
    tag: 'workflows',
    params: byWorkflow,
    body: z.strictObject({
      ...given,
      text: z.string().exactOptional().describe('Unsaved; default: the stored one'),
    }),
    bodyBytes: definitionBytes,
    document: planDocument,
    handle: async ({ project }, { params, body: { text = null, ...asked } }) => ({
      document: await planWorkflow(project, params.id, asked, text),
    }),
  }),
  route({
    method: 'post',
    path: `${workflows}/{id}/run`,
    summary: 'Start a run, in a process of its own',
    tag: 'workflows',
    params: byWorkflow,
    body: z.strictObject({
      ...given,
      budget: z
        .strictObject({
          usd: z.number().min(0).exactOptional(),
          tokens: z.int().min(0).exactOptional(),
        })
        .default({}),
      max_usd: z.number().min(0).exactOptional().describe('Refuse to start if the worst case costs more'),
    }),
    document: startedDocument,
    statuses: [202],
    handle: async ({ project }, { params, body, key, id }) => {
      const { parameters, context, budget, max_usd: maxUsd = null } = body;
      const limits = { usd: budget.usd ?? null, tokens: budget.tokens ?? null, maxUsd };
      const asked = { parameters, context, ...limits, person: key.name, id };
      const document = await startWorkflow(project, params.id, asked);
      return { status: 202, document, headers: { Location: `/api/v1/workflow-runs/${document.run}` } };
    },
  }),
];

/** Whether a client that accepts no JSON, or asks for YAML first, wants the text. */
function wantsYaml(headers: Headers): boolean {
  const accepted = (headers.get('accept') ?? '').split(',').map((each) => each.replace(/;.*/, '').trim());
  const asYaml = accepted.findIndex((each) => /^(?:application|text)\/(?:x-)?yaml$/.test(each));
  const asJson = accepted.indexOf('application/json');
  return asYaml !== -1 && (asJson === -1 || asYaml < asJson);
}
