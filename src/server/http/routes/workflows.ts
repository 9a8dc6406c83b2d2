import * as z from 'zod';
import { json } from '../../../operations/documents/common.ts';
import {
  planDocument,
  startedDocument,
  validateDocument,
  workflowDocument,
  workflowsDocument,
} from '../../../operations/documents/workflows.ts';
import { planWorkflow, startWorkflow } from '../../../operations/runs/start.ts';
import { validate } from '../../../operations/validate.ts';
import { findWorkflow, listWorkflows, readWorkflowFile } from '../../../operations/workflow-files.ts';
import { route, type Route } from '../route.ts';

const workflows = '/api/v1/workflows';
/** A definition may be larger than other bodies, in bytes. */
const definitionBytes = 4 * 1024 * 1024;

/** The id or name of a workflow, or its file in workflows/: in an address with `%2F`. */
const byWorkflow = z.strictObject({ id: z.string().regex(/^[^\p{Cc}]{1,500}$/u) });

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
    query: z.strictObject({ language: z.string().optional() }),
    document: workflowsDocument,
    handle: async ({ project }, { query }) => {
      const all = await listWorkflows(project.workflows, project.root);
      return {
        document: all.filter((each) => query.language === undefined || each.language === query.language),
      };
    },
  }),
  route({
    method: 'get',
    path: `${workflows}/{id}`,
    summary: 'A workflow with its text, parameters, steps and diagnostics',
    tag: 'workflows',
    params: byWorkflow,
    document: workflowDocument,
    handle: async ({ project }, { params }) => {
      const found = await findWorkflow(project.workflows, project.root, params.id);
      return { document: await readWorkflowFile(project.workflows, found) };
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
      const stored = await findWorkflow(project.workflows, project.root, params.id);
      const read = body.text === undefined ? stored : await project.workflows.check(body.text, stored.file);
      return { document: validate([read]).document };
    },
  }),
  route({
    method: 'post',
    path: `${workflows}/{id}/plan`,
    summary: 'What a run would do, and its worst case. Starts nothing',
    tag: 'workflows',
    params: byWorkflow,
    body: z.strictObject(given),
    document: planDocument,
    handle: async ({ project }, { params, body }) => ({
      document: await planWorkflow(project, params.id, body),
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
