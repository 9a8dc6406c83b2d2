import * as z from 'zod';
import { convertText, formats } from '../../../workflow/questions/convert-text.ts';
import { convertedDocument, draftDocument, operation, savedDocument } from '../../../documents/workflows.ts';
import {
  createWorkflow,
  draftWorkflow,
  firstWorkflow,
  saveWorkflow,
  type Edit,
} from '../../../workflow/questions/edit-workflow.ts';
import { plainTag } from '../compressing.ts';
import { Refusal } from '../problem.ts';
import { route, type Route } from '../route.ts';
import { byWorkflow, definitionBytes, workflows } from './shapes.ts';

/** A definition in workflows/ that is neither hidden nor a file of agents or overrides. */
const newFile = z
  .string()
  .max(500)
  .regex(/^workflows(?:\/[A-Za-z0-9_][\w.-]*)+(?<!\/(?:agents|overrides))\.(?:ya?ml|json)$/, {
    error: 'it must be a path such as workflows/ship.yaml',
  });

export const editingRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: workflows,
    summary: 'Create the file of a workflow, from its text, or by its names with a first stage',
    tag: 'workflows',
    body: z.strictObject({
      text: z.string().exactOptional(),
      file: newFile.exactOptional().describe('Default: by its id or name'),
      id: z.string().exactOptional(),
      name: z.string().exactOptional().describe('Default: the id'),
      version: z.string().default('1.0.0'),
    }),
    bodyBytes: definitionBytes,
    document: savedDocument,
    statuses: [201],
    handle: async ({ project }, { body: { text, file = null, id, name, version } }) => {
      if ((text === undefined) === (id === undefined))
        throw new Refusal(422, 'E_VALUE', 'give either `text`, or `id` with `name` and `version`');
      const written = text ?? firstWorkflow({ id: id ?? '', name: name ?? id ?? '', version });
      const document = await createWorkflow(project, { text: written, file });
      const headers = { Location: `${workflows}/${encodeURIComponent(document.file)}`, ...tagOf(document) };
      return { status: 201, document, headers };
    },
  }),
  route({
    method: 'put',
    path: `${workflows}/{id}`,
    summary: 'Change the file of a workflow, by a whole text or by operations that keep every other byte',
    tag: 'workflows',
    params: byWorkflow,
    body: z.strictObject({
      text: z.string().exactOptional(),
      operations: z.array(operation).max(10_000).exactOptional(),
    }),
    bodyBytes: definitionBytes,
    document: savedDocument,
    isConditional: true,
    handle: async ({ project, api }, { params, body, headers }) => {
      const save = {
        revision: revisionIn(headers),
        change: editIn(body),
        mask: (text: string) => api.mask(text),
      };
      const saving = await saveWorkflow(project, params.id, save);
      if (saving.is === 'saved') return { document: saving.document, headers: tagOf(saving.document) };
      const { revision, text } = saving;
      throw new Refusal(412, 'E_REFUSED', 'the file has changed since you have read it', {
        hint: 'compare your changes with its current text, and save again with its revision',
        headers: tagOf(saving),
        more: { current: { revision, text } },
      });
    },
  }),
  route({
    method: 'post',
    path: `${workflows}/{id}/draft`,
    summary: 'The workflow with unsaved text, and operations on it. Writes nothing',
    tag: 'workflows',
    params: byWorkflow,
    body: z.strictObject({
      text: z.string().exactOptional().describe('Default: the stored one'),
      operations: z.array(operation).max(10_000).default([]),
    }),
    bodyBytes: definitionBytes,
    document: draftDocument,
    handle: async ({ project }, { params, body: { text = null, operations } }) => ({
      document: await draftWorkflow(project, params.id, text, operations),
    }),
  }),
  route({
    method: 'post',
    path: '/api/v1/convert',
    summary: 'A YAML or JSON text in the other format: the same data in the same order',
    tag: 'workflows',
    body: z.strictObject({
      text: z.string(),
      from: z.enum(formats).exactOptional().describe('Default: as the text looks'),
      to: z.enum(formats),
    }),
    bodyBytes: definitionBytes,
    document: convertedDocument,
    handle: (_desk, { body: { text, from = null, to } }) => ({ document: convertText(text, from, to) }),
  }),
];

function editIn({
  text,
  operations,
}: {
  text?: string;
  operations?: readonly z.output<typeof operation>[];
}): Edit {
  if (text !== undefined && operations === undefined) return { text };
  if (operations !== undefined && text === undefined) return { operations };
  throw new Refusal(422, 'E_VALUE', 'give either `text` or `operations`');
}

/**
 * The revision that the client has read, or the tag of an answer that has it. `*` would replace
 * what no person has seen.
 */
function revisionIn(headers: Headers): string {
  const given = headers.get('if-match');
  const [, revision] = /^\s*"?([0-9a-f]+)(?:\.[\w-]+)?"?\s*$/.exec(plainTag(given ?? '')) ?? [];
  if (revision !== undefined) return revision;
  if (given !== null && given.trim() !== '*') return '';
  throw new Refusal(428, 'E_REFUSED', 'a change needs `If-Match` with the revision that you have read', {
    hint: 'read the workflow: it has the key `revision`',
  });
}

function tagOf({ revision }: { readonly revision: string }): { ETag: string } {
  return { ETag: `"${revision}"` };
}
