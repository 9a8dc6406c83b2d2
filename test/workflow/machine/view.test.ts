import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runDocument } from '../../../src/languages/swdl/run-record.ts';
import { metaOf, summaryOf } from '../../../src/workflow/machine/view.ts';
import { graph, workflow } from './graph.ts';
import { World } from './world.ts';

/*
 * What people and other programs read of a run in its context folder: `_meta.json` and `_workflow.json`.
 */

const meta = (world: World, path: string) => metaOf(world.state, world.rules, path);

describe('_meta.json', () => {
  it('tells how a step ended, with its times, attempts, artifacts and what its last run came to', () => {
    const world = new World('a : agent=claude retry=1');
    const began = world.now;
    world.pass(500);
    world.fails('a');
    world.pass(1_000);
    world.done('a', { artifacts: ['plan'], output: 'All done.' });
    expect(meta(world, 'a')).toEqual({
      stepId: 'a',
      status: 'SUCCEEDED',
      startedAt: began,
      completedAt: began + 1_500,
      wallTimeMs: 1_500,
      attempts: 2,
      workerKind: 'CLAUDE_CODE',
      artifacts: [{ name: 'plan', path: 'plan/plan.txt' }],
      workerResult: {
        status: 'SUCCEEDED',
        artifacts: [{ name: 'plan', path: 'plan/plan.txt' }],
        observations: [{ summary: 'All done.' }],
        cost: { estimatedTokens: 0, wallTimeMs: 1 },
      },
    });
  });

  it.each([
    [
      { changed: { paths: ['a.ts'], more: 0 }, output: 'Done.' },
      { filesChanged: ['a.ts'], summary: 'Done.' },
    ],
    [{ changed: { paths: [], more: 0 } }, { filesChanged: [] }],
    [{ changed: { paths: ['a.ts'], more: 7 } }, { filesChanged: ['a.ts'], moreFilesChanged: 7 }],
  ])('tells of %j what the agent changed', (ends, observed) => {
    const world = new World('a : agent=claude');
    world.done('a', ends);
    expect(meta(world, 'a')).toMatchObject({ workerResult: { observations: [observed] } });
  });

  it('counts the iterations of a step with a check, and says why it is incomplete', () => {
    const world = new World('a : check=2 go-on');
    for (const _ of [1, 2]) {
      world.done('a', { artifacts: ['out'] });
      world.incomplete('a', ['two tests fail']);
    }
    expect(meta(world, 'a')).toMatchObject({
      status: 'INCOMPLETE',
      iterations: 2,
      maxIterations: 2,
      attempts: 2,
      artifacts: [{ name: 'out' }],
      reason: 'incomplete after 2 iterations: two tests fail',
    });
  });

  it('counts an attempt of a step that was cancelled while it ran, and no iteration of one that never ran', () => {
    const world = new World('a : check=2\nb <- a : check=2');
    world.happens({ type: 'cancelled', by: 'ada', command: null });
    expect(meta(world, 'a')).toMatchObject({ status: 'CANCELLED', attempts: 1, iterations: 1 });
    expect(meta(world, 'b')).toMatchObject({ status: 'SKIPPED', attempts: 0, iterations: 0 });
    const { run } = parse(runDocument(world.state, world.rules)) as { run: { stages: unknown } };
    expect(run.stages).toMatchObject({ a: { attempt: 1 }, b: { attempt: 0 } });
  });

  it('has the cost of the last run of the worker, like all of its result', () => {
    const world = new World('a : agent=claude retry=1');
    world.fails('a', { tokens: 70 });
    world.pass(1_000);
    world.done('a', { tokens: 5 });
    const { workerResult } = meta(world, 'a');
    expect(workerResult).toMatchObject({ cost: { estimatedTokens: 5, wallTimeMs: 1 } });
    expect(world.state.steps.get('a')?.cost.tokens).toBe(75);
  });

  it('names the class of a failure, and is there for a step that was skipped, too', () => {
    const world = new World('a\nb <- a');
    world.fails('a', { class: 'NON_RETRYABLE', text: 'exit code 2' });
    expect(meta(world, 'a')).toMatchObject({
      status: 'FAILED',
      errorClass: 'NON_RETRYABLE',
      reason: 'exit code 2',
    });
    expect(meta(world, 'b')).toMatchObject({
      status: 'SKIPPED',
      startedAt: null,
      wallTimeMs: 0,
      attempts: 0,
      artifacts: [],
      reason: 'the run ended first',
      workerResult: null,
    });
  });

  it.each([
    ['a : agent=codex', 'CODEX_CLI'],
    ['a : agent=gemini', 'GEMINI_CLI'],
    ['a : agent=opencode', 'OPENCODE'],
    ['a', 'COMMAND'],
    ['a : role=maker', 'ROLE'],
    ['a : gate=1h', 'GATE'],
    ['a : each=[1]\n  i', 'FOR_EACH'],
    ['a : child\n  i', 'WORKFLOW'],
  ])('%j is done by %s', (text, kind) => {
    const world = new World(text);
    world.happens({ type: 'cancelled', by: 'ada', command: null });
    expect(meta(world, 'a')).toMatchObject({ stepId: 'a', status: 'CANCELLED', workerKind: kind });
  });
});

describe('_workflow.json', () => {
  it('has the run in epoch milliseconds, and every step of its own with its status', () => {
    const world = new World(
      workflow(graph('a\nb : check=2\nl : each=[1]\n  i\nlater <- a\nn : when="1 == 2"')),
      { slots: 3 },
    );
    const began = world.now;
    world.done('b');
    world.pass(250);
    const summary = () => summaryOf(world.state, world.rules);
    expect(summary()).toEqual({
      id: 'r1',
      name: 'test',
      version: '1',
      status: 'RUNNING',
      startedAt: began,
      completedAt: null,
      wallTimeMs: world.state.now - began,
      steps: { a: 'RUNNING', b: 'CHECKING', l: 'RUNNING', later: 'PENDING', n: 'SKIPPED' },
    });
    world.complete('b');
    world.allDone('a', 'l/0/i', 'later');
    expect(summary()).toMatchObject({ status: 'SUCCEEDED', completedAt: world.now, wallTimeMs: 250 });
  });

  it('distinguishes what could run from what waits for others', () => {
    const world = new World('a\nb\nc <- a', { slots: 1 });
    expect(world.statuses).toBe('a RUNNING, b READY, c PENDING');
  });
});
