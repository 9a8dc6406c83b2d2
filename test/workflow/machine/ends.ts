import type { Collected, Launch } from '../../../src/workflow/machine/launch.ts';
import { launch as launchOf } from '../files/samples.ts';
import type { Exit, Outcome } from '../../../src/providers/provider.ts';

/*
 * What came of a step, as its outcome is read from it.
 */

export const launch = launchOf('a', {
  run: 'r1',
  work: { kind: 'command', argv: ['make', 'all'], capabilities: null },
});
export const agent: Launch = {
  ...launch,
  work: {
    kind: 'agent',
    provider: 'claude',
    model: null,
    instructions: '',
    capabilities: [],
    maxSteps: null,
    maxCommandTime: null,
    leftToDo: null,
  },
};
export const collected: Collected = {
  artifacts: [],
  missing: [],
  values: null,
  decision: null,
  warnings: [],
};

export function exited(code: number | null, changes: Partial<Exit> = {}): Exit {
  return {
    code,
    signal: null,
    ended: 'exited',
    error: null,
    stdout: '',
    stderr: '',
    durationMs: 5,
    edits: null,
    ...changes,
  };
}

export function said(text: string): Outcome {
  return { is: 'done', text, session: null, usage: { usd: 1, tokens: 2 }, model: 'm', denials: [] };
}
