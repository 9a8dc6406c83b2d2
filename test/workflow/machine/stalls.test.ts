import { describe, expect, it } from 'vitest';
import { World, type Fails } from './world.ts';

/* A worker that printed nothing for its `idle_timeout`: the host has ended it. */

const silent: Fails = { code: 'E_STALLED', text: 'it printed nothing for 1m', timedOut: true };

describe('a worker that stalls', () => {
  it('has failed permanently with `fail`, and may be tried again with `retry`', () => {
    const fails = new World('a : silent=fail retry=2');
    fails.fails('a', { ...silent, class: 'NON_RETRYABLE' });
    expect(fails.state).toMatchObject({ status: 'FAILED', reason: { code: 'E_STALLED' } });
    const retries = new World('a : silent=retry retry=1');
    retries.fails('a', silent);
    expect(retries.status('a')).toBe('RUNNING');
    retries.pass(60_000);
    retries.done('a');
    expect(retries.state.status).toBe('SUCCEEDED');
  });

  it('leaves its step incomplete, with the outputs so far and no values', () => {
    const world = new World('a : silent=incomplete out\nb <- a : input=a');
    world.fails('a', { ...silent, artifacts: ['out'] });
    expect(world.statuses).toBe('a INCOMPLETE, b RUNNING');
    expect(world.launch('b').inputs).toMatchObject([{ from: 'a', artifact: 'out' }]);
    world.done('b');
    expect(world.state).toMatchObject({ status: 'SUCCEEDED' });
    expect(world.state.steps.get('a')).toMatchObject({
      values: {},
      phase: { reason: { code: 'E_STALLED' } },
    });
  });

  it('does not run again when its run is resumed', () => {
    const world = new World('a : silent=incomplete\nb <- a');
    world.fails('a', silent);
    world.fails('b');
    world.happens({ type: 'resumed', by: 'person' });
    expect([world.statuses, world.running]).toEqual(['a INCOMPLETE, b RUNNING', ['b']]);
  });

  it('does another iteration without its check, and says why', () => {
    const world = new World('a : agent=x silent=incomplete check=2');
    world.fails('a', silent);
    expect(world.running).toEqual(['a']);
    expect(world.state.steps.get('a')).toMatchObject({ iteration: 2, checks: 0 });
    expect(world.launch('a').work).toMatchObject({ leftToDo: expect.stringContaining(silent.text ?? '') });
    world.fails('a', silent);
    expect(world.state).toMatchObject({ status: 'FAILED', reason: { code: 'E_INCOMPLETE' } });
  });

  it('does not come nearer to complete by stalling over and over', () => {
    const world = new World('a : silent=incomplete check=9 stall=2');
    for (let round = 0; round < 4; round += 1) world.fails('a', silent);
    expect(world.state).toMatchObject({ status: 'FAILED', reason: { code: 'E_INCOMPLETE' } });
    expect(world.state.steps.get('a')).toMatchObject({ convergence: { stage: 3, last: ['stalled'] } });
  });

  it('is incomplete after the last iteration where that is no failure', () => {
    const world = new World('a : silent=incomplete check=2 go-on');
    world.fails('a', silent);
    world.fails('a', silent);
    expect(world.statuses).toBe('a INCOMPLETE');
  });
});
