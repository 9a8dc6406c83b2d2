import { describe, expect, it } from 'vitest';
import { metaOf } from '../../../src/workflow/machine/view.ts';
import { World } from './world.ts';

describe('the reason of a step that failed because a step in it did', () => {
  it.each([
    ['a loop', 'each : each=[1,2]\n  a', 'each/0/a'],
    ['a loop in a loop', 'out : each=[1]\n  in : each=[1,2]\n    a', 'out/0/in/0/a'],
    ['a sub-workflow', 'child : child\n  a', 'child/a'],
    ['a sequence in a loop', 'each : each=[1]\n  a : ok=_end fail=_error', 'each/0/a'],
  ])('names that step once, in %s', (_, steps, path) => {
    const world = new World(steps);
    world.fails(path, { class: 'NON_RETRYABLE' });
    const reason = `${path}: it broke`;
    expect(world.state).toMatchObject({ status: 'FAILED', reason: { text: reason } });
    const [outer = ''] = path.split('/');
    expect(metaOf(world.state, world.rules, outer)).toMatchObject({ reason });
  });

  it('names the first item that failed where the others continue', () => {
    const world = new World('each : each=[1,2,3] continue\n  a');
    for (const path of ['each/0/a', 'each/1/a', 'each/2/a'])
      if (path === 'each/0/a') world.done(path);
      else world.fails(path, { class: 'NON_RETRYABLE' });
    expect(metaOf(world.state, world.rules, 'each')).toMatchObject({
      reason: '2 of 3 items failed, first each/1/a: it broke',
    });
  });

  it('names no step where the time of the outer one is over', () => {
    const world = new World('child : child limit=1m\n  make');
    world.pass(60_000);
    expect(world.state.reason?.text).toBe('`child` timed out');
  });
});
