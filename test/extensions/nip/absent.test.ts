import { afterEach, expect, it } from 'vitest';
import { nip } from '../../../src/extensions/nip/index.ts';
import type { Hooks } from '../../../src/project/definition/hooks.ts';
import { Project } from '../../../src/project/project.ts';
import { packageRoot } from '../../support/project.ts';
import { NipProject } from './nip-project.ts';

/* What becomes of a workflow that is an event where a program has only a part of this extension, or none. */

let place: NipProject;

afterEach(() => place.remove());

function open(hooks: readonly Hooks[]) {
  place = new NipProject();
  return Project.at(place.root, { packageRoot, environment: process.env, hooks }).workflows;
}

it('without the language it is no workflow', async () => {
  const { checked } = await open([]).read('workflows/measure.json', place.root);
  expect(checked).toMatchObject({
    ok: false,
    problems: [{ code: 'E_WORKFLOW', message: 'not a known workflow format' }],
  });
});

it('without what announces its runs none begins, and nothing is left of it', async () => {
  const workflows = open([{ language: nip.language! }]);
  const workflow = await workflows.read('workflows/measure.json', place.root);
  if (!workflow.checked.ok) throw new Error(JSON.stringify(workflow.checked.problems));
  const begun = workflows.begin({
    workflow,
    definition: workflow.checked.value,
    parameters: { text: 'a b' },
    context: {},
    workspace: place.root,
    budget: { usd: null, tokens: null },
    only: null,
    record: null,
    replay: null,
    watch: () => {},
  });
  await expect(begun).rejects.toMatchObject({
    code: 'E_WORKFLOW',
    message: 'no extension announces runs of workflows that are events',
  });
  expect(workflows.runs()).toEqual([]);
});
