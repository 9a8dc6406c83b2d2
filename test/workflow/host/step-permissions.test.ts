import { expect, it } from 'vitest';
import type { Launch } from '../../../src/workflow/machine/launch.ts';
import { StepPermissions } from '../../../src/workflow/host/step-permissions.ts';
import type { Capability } from '../../../src/kernel/capabilities.ts';

const place = {
  workspace: '/project',
  inputs: [{ artifact: 'plan', from: 'plan', path: '/project/given' }],
  decisionFile: '/project/decision.json',
};

function agent(capabilities: readonly Capability[]): Pick<Launch, 'work' | 'outputs'> {
  const work = { kind: 'agent', provider: 'claude', model: null, instructions: '' } as const;
  return {
    work: {
      ...work,
      capabilities,
      maxSteps: null,
      maxCommandTime: null,
      budget: null,
      leftToDo: null,
    } as Launch['work'],
    outputs: [{ name: 'made', path: 'made.txt', type: null, required: false }],
  };
}

const changesOf = (paths: readonly string[]) => ({ paths, untracked: [] });
const changed = changesOf(['context/a/_meta.json', 'given/plan.md', 'decision.json', 'made.txt', 'src/a.ts']);

it('tells what an agent changed, what it owed among it, and not what was laid there for it', () => {
  const rights = new StepPermissions('/project', 'context');
  for (const capabilities of [['READ'], ['EDIT']] as const) {
    const step = agent(capabilities);
    rights.begin('a', step, '/project');
    const { changed: told, breach } = rights.end('a', step, place, changed);
    expect(told).toEqual({ paths: ['made.txt', 'src/a.ts'], more: 0 });
    expect(breach.is).toBe(capabilities[0] === 'READ' ? 'reported' : 'none');
  }
});

it('tells nothing where another that may change the folder was there, and nothing where git cannot tell', () => {
  const rights = new StepPermissions('/project', 'context');
  const step = agent(['EDIT']);
  rights.begin('a', step, '/project');
  rights.begin('b', step, '/project');
  expect(rights.end('a', step, place, changed).changed).toBeNull();
  expect(rights.end('b', step, place, null).changed).toBeNull();
});

it('blames no one for what a neighbour owes, or what one with the right to it may have changed', () => {
  const reader = agent(['READ']);
  const owing = { ...reader, outputs: [{ name: 'log', path: 'src/a.ts', type: null, required: false }] };
  const beside = (other: Pick<Launch, 'work' | 'outputs'>, first: boolean) => {
    const rights = new StepPermissions('/project', 'context');
    const order = first
      ? ([
          ['b', other],
          ['a', reader],
        ] as const)
      : ([
          ['a', reader],
          ['b', other],
        ] as const);
    for (const [key, step] of order) rights.begin(key, step, '/project');
    rights.end('b', other, place, changesOf([]));
    return rights.end('a', reader, place, changed);
  };
  for (const first of [true, false]) {
    expect(beside(owing, first)).toEqual({
      changed: { paths: ['made.txt'], more: 0 },
      breach: { is: 'none' },
    });
    expect(beside(agent(['EDIT']), first)).toEqual({ changed: null, breach: { is: 'none' } });
    expect(beside(reader, first).breach).toEqual({
      is: 'reported',
      text: 'while it ran, files were changed without permission: `src/a.ts`',
    });
  }
});

it('names a thousand of very many, and counts the rest', () => {
  const rights = new StepPermissions('/project', null);
  const step = agent(['EDIT']);
  rights.begin('a', step, '/project');
  const many = Array.from({ length: 1_007 }, (_, index) => `file-${String(index)}`);
  const { changed: told } = rights.end('a', step, place, changesOf(many));
  expect(told?.paths).toHaveLength(1_000);
  expect(told?.more).toBe(7);
});

it('lets nothing pass as unchanged that git cannot compare', () => {
  const rights = new StepPermissions('/project', null);
  const text = 'its changes cannot be compared, so unpermitted changes cannot be detected: no git';
  for (const [workspace, breach] of [
    ['/project', { is: 'reported', text }],
    ['/project/.mailroom/worktrees/t1', { is: 'failed', reason: { code: 'E_PERMISSIONS', text } }],
  ] as const) {
    const step = agent(['READ']);
    rights.begin('a', step, workspace);
    expect(rights.end('a', step, { ...place, workspace }, 'no git')).toEqual({ changed: null, breach });
  }
  const editor = agent(['EDIT']);
  rights.begin('a', editor, '/project');
  expect(rights.end('a', editor, place, 'no git')).toEqual({ changed: null, breach: { is: 'none' } });
});

it('lets tests leave files that git does not track in a worktree, and nothing else', () => {
  const workspace = '/project/.mailroom/worktrees/t1';
  const breach = (...paths: string[]) => {
    const rights = new StepPermissions('/project', null);
    const step = agent(['READ', 'RUN_TESTS']);
    rights.begin('a', step, workspace);
    return rights.end('a', step, { ...place, workspace }, { paths, untracked: ['coverage.txt'] }).breach;
  };
  expect(breach('coverage.txt', 'made.txt')).toEqual({
    is: 'reported',
    text: 'it left files that git does not track: `coverage.txt`',
  });
  expect(breach('coverage.txt', 'src/a.ts').is).toBe('failed');
});
