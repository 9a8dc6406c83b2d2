import { describe, expect, it } from 'vitest';
import { resumptionOf } from '../../../src/workflow/machine/resumption.ts';
import { World } from './world.ts';

/* A sub-workflow whose step has a completion check. */

const child = `
  cycle : child check=3 exports=make
    make : out
    more <- make
  after <- cycle`;

function round(world: World): void {
  world.done('cycle/make', { artifacts: ['out'] });
  world.done('cycle/more');
}

describe('a sub-workflow with a check', () => {
  it('runs again from its first step until the check says that it is complete', () => {
    const world = new World(child);
    round(world);
    expect(world.running).toEqual(['cycle?']);
    world.incomplete('cycle');
    expect(world.running).toEqual(['cycle/make']);
    expect(world.state.steps.get('cycle')).toMatchObject({ iteration: 2 });
    round(world);
    world.complete('cycle');
    expect(world.running).toEqual(['after']);
    expect(world.state.steps.get('cycle')).toMatchObject({ artifacts: [{ name: 'made' }] });
    world.done('after');
    expect(world.state.status).toBe('SUCCEEDED');
  });

  it('fails after its last iteration, or is incomplete', () => {
    const world = new World(child.replace('check=3', 'check=2'));
    for (const _ of [1, 2]) {
      round(world);
      world.incomplete('cycle');
    }
    expect(world.state).toMatchObject({ status: 'FAILED', reason: { code: 'E_INCOMPLETE' } });
    const lenient = new World(child.replace('check=3', 'check=2 go-on'));
    for (const _ of [1, 2]) {
      round(lenient);
      lenient.incomplete('cycle');
    }
    expect(lenient.statuses).toBe('cycle INCOMPLETE, after RUNNING');
  });

  it('is not checked when one of its steps fails', () => {
    const world = new World(child);
    world.fails('cycle/make');
    expect(world.statuses).toBe('cycle FAILED, after SKIPPED');
  });

  it('is done again as a whole when its run is resumed, and its iterations count on', () => {
    const world = new World(child.replace('check=3', 'check=2'));
    for (const _ of [1, 2]) {
      round(world);
      world.incomplete('cycle');
    }
    world.crash();
    expect(world.running).toEqual(['cycle/make']);
    round(world);
    world.complete('cycle');
    expect(world.status('cycle')).toBe('SUCCEEDED');
  });

  it('is told to run again by the explanation of a resumption, and its steps that they may', () => {
    const told = (world: World) =>
      resumptionOf(world.state, world.rules, null).map(({ path, does, why }) => `${path} ${does}: ${why}`);
    const world = new World(child.replace('check=3', 'check=2'), { watched: false });
    round(world);
    const again = 'it runs again if its sub-workflow is not complete';
    expect(told(world)).toEqual([
      'cycle runs: it was running',
      'after runs: it was not run yet',
      `cycle/make may run: SUCCEEDED; ${again}`,
      `cycle/more may run: SUCCEEDED; ${again}`,
    ]);
    world.incomplete('cycle');
    round(world);
    world.incomplete('cycle');
    expect(told(world).map((row) => row.split(':')[0])).toEqual([
      'cycle runs',
      'after runs',
      'cycle/make runs',
      'cycle/more runs',
    ]);
  });

  it('checks again after a crash during the check, without its steps', () => {
    const world = new World(child);
    round(world);
    world.crash();
    expect(world.running).toEqual(['cycle?']);
  });

  it('is ended with its run, while it is checked and in between', () => {
    const world = new World(`${child}\n  other`);
    round(world);
    world.fails('other', { class: 'NON_RETRYABLE' });
    expect(world.statuses).toBe('cycle CANCELLED, after SKIPPED, other FAILED');
    world.crash();
    expect(world.running.toSorted()).toEqual(['cycle?', 'other']);
  });
});
