import { describe, expect, it } from 'vitest';
import { unpassedVariables } from '../../../src/workflow/runs/unpassed.ts';
import type { Step, Workflow } from '../../../src/workflow/model.ts';
import { step, template, workflow } from '../machine/graph.ts';

const shell = { A: '1', B: '2', PWD: '/here', HOME: '/home/ada', MAILROOM_RUN: 'x' };

function script(text: string, changes: Partial<Step> = {}): Step {
  return step('one', {
    work: { kind: 'script', script: { text, variables: {} }, capabilities: [] },
    ...changes,
  });
}

function unpassed(one: Step, changes: Partial<Workflow> = {}): unknown {
  return [...unpassedVariables(workflow({ kind: 'graph', steps: [one] }, changes), shell)];
}

const a = [['A', ['one']]];

describe('the variables of a shell that scripts read and do not get', () => {
  it.each([
    ['echo $A', a],
    ['echo "${A}/x"', a],
    ['echo ${#A}', a],
    ['A="${A:-none}"', a],
    ['echo ${C:-${A-none}}', a],
    ['cat $B$A', [['B', ['one']], ...a]],
    ['A=1; echo $A', []],
    ['export A=1\necho $A', []],
    ['for A in 1 2; do echo $A; done', []],
    ['read -r A; echo $A', []],
    ['echo \\$A $C $1 $(A)', []],
    ['cd $HOME; echo $PWD $MAILROOM_RUN', []],
  ])('of `%s` are %j', (text, expected) => {
    expect(unpassed(script(text))).toEqual(expected);
  });

  it('are none that the workflow or the step passes', () => {
    const reads = script('echo $A');
    expect(unpassed(reads, { inherit: ['A'] })).toEqual([]);
    expect(unpassed(reads, { env: { A: template('x') } })).toEqual([]);
    expect(unpassed(reads, { secrets: ['A'] })).toEqual([]);
    expect(unpassed({ ...reads, env: { A: template('x') } })).toEqual([]);
    expect(unpassed({ ...reads, secrets: ['A'] })).toEqual([]);
    expect(unpassed({ ...reads, secrets: [] }, { secrets: ['A'] })).toEqual(a);
  });

  it('are looked for in loops and sub-workflows, by what each passes', () => {
    const child = workflow({ kind: 'graph', steps: [script('echo $A $B')] }, { inherit: ['B'] });
    const outer = step('part', { work: { kind: 'workflow', workflow: child, with: {}, exports: [] } });
    expect(unpassed(outer, { inherit: ['A'] })).toEqual([['A', ['part/one']]]);
    const body = { kind: 'graph', steps: [script('echo $A $B')] } as const;
    const loop = step('each', { work: { kind: 'for-each', items: [1], as: 'x', concurrency: 1, body } });
    expect(unpassed(loop, { inherit: ['A'] })).toEqual([['B', ['each/one']]]);
  });
});
