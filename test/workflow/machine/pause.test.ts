import { describe, expect, it } from 'vitest';
import { RunExplainer } from '../../../src/workflow/machine/explain/explain.ts';
import { unexplained } from './unexplained.ts';
import { World } from './world.ts';

const pause = (world: World, on: boolean) => world.happens({ type: 'paused', on, by: 'ada', command: null });

describe('a run that is paused', () => {
  it('starts nothing, lets go on what runs, and goes on where it was', () => {
    const world = new World('a\nb <- a\nc');
    world.done('c');
    pause(world, true);
    expect(world.running).toEqual(['a']);
    world.done('a');
    expect(world.running).toEqual([]);
    expect(new RunExplainer(world.state, world.rules, world.now).run()).toMatchObject({
      code: 'paused',
      reason: 'the run is paused by ada',
      cause: { record: 'ada' },
      act: { do: 'unpause' },
    });
    expect(unexplained(world.state, world.rules, world.now)).toEqual([]);
    pause(world, false);
    expect(world.running).toEqual(['b']);
    world.done('b');
    expect(world.state.status).toBe('SUCCEEDED');
  });

  it('stays paused when its host dies, and its time stands still', () => {
    const world = new World('a\nb <- a', { given: { timeout: 60_000 } });
    pause(world, true);
    world.done('a');
    world.crash();
    expect(world.running).toEqual([]);
    world.pass(120_000);
    pause(world, false);
    expect(world.running).toEqual(['b']);
    world.pass(61_000);
    expect(world.state.ending).toEqual({ why: 'timed-out' });
  });

  it('is cancelled, and asks at its gates', () => {
    const world = new World('a\nask <- a : gate=1h\nb <- ask');
    pause(world, true);
    world.done('a');
    expect(world.state.steps.get('ask')?.phase.is).toBe('asked');
    world.judge('ask', 'approve');
    expect(world.running).toEqual([]);
    world.happens({ type: 'cancelled', by: 'ada', command: null });
    expect(world.state.status).toBe('CANCELLED');
  });

  it('retries nothing until it goes on', () => {
    const world = new World('a : retry=2');
    pause(world, true);
    world.fails('a', { class: 'RETRYABLE_TRANSIENT' });
    world.pass(60_000);
    expect(world.running).toEqual([]);
    pause(world, false);
    expect(world.running).toEqual(['a']);
  });
});
