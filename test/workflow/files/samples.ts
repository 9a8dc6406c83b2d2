import type { Launch, LaunchInput, LaunchOutput } from '../../../src/workflow/machine/launch.ts';
import type { Body, Output, Step, Work, Workflow } from '../../../src/workflow/model.ts';
import { step as anyStep, workflow as anyWorkflow } from '../machine/graph.ts';

const script: Work = { kind: 'command', argv: [], capabilities: [] };

export function step(id: string, outputs: readonly string[] = [], work: Work = script): Step {
  return anyStep(id, {
    work,
    outputs: outputs.map((name) => ({ name, type: null, required: false }) as unknown as Output),
    values: {},
  });
}

export function workflow(...steps: readonly Step[]): Workflow {
  return anyWorkflow(graph(...steps), { name: 'sample', contextDir: './context' });
}

export function loop(id: string, ...steps: readonly Step[]): Step {
  return step(id, [], {
    kind: 'for-each',
    items: [],
    as: 'item',
    concurrency: 1,
    body: graph(...steps),
  });
}

export function child(id: string, ...steps: readonly Step[]): Step {
  return step(id, [], { kind: 'workflow', workflow: workflow(...steps), with: {}, exports: [] });
}

function graph(...steps: readonly Step[]): Body {
  return { kind: 'graph', steps };
}

export function output(name: string, path: string): LaunchOutput {
  return { name, path, type: 'code', required: false };
}

export function input(from: string, artifact: string, as = artifact): LaunchInput {
  return { from, artifact, as, required: false };
}

/** What a process of a step is to do; the first attempt of the worker unless said otherwise. */
export function launch(
  path: string,
  changes: Partial<Launch> & { readonly iteration?: number } = {},
): Launch {
  const { iteration = 1, ...rest } = changes;
  return {
    run: 'run-1',
    key: { path, iteration, attempt: 1, check: 0 },
    step: path.slice(path.lastIndexOf('/') + 1),
    work: { kind: 'command', argv: [], capabilities: null },
    workspace: null,
    env: {},
    secrets: [],
    inherit: [],
    network: true,
    stdin: null,
    stdout: null,
    inputs: [],
    outputs: [],
    values: {},
    timeout: null,
    grace: null,
    stall: null,
    budget: null,
    session: null,
    check: null,
    promptInputs: [],
    convergence: null,
    ...rest,
  };
}
