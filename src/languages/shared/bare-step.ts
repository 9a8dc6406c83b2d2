import type { Step } from '../../workflow/model.ts';

/** What a step has that its language cannot say. */
export const bareStep = {
  description: null,
  needs: [],
  when: null,
  workspace: null,
  env: {},
  secrets: null,
  stdin: null,
  stdout: null,
  inputs: [],
  outputs: [],
  values: {},
  grace: null,
  check: null,
  budget: null,
  next: null,
} satisfies Partial<Step>;
