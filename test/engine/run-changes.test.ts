import { describe, expect, it } from 'vitest';
import { describeRunEvent } from '../../src/engine/operations/runs/changes.ts';
import { World } from '../workflow/world.ts';

/** All that is told of a run. */
function told(world: World): (string | undefined)[] {
  const changes = world.history.map((event) => describeRunEvent(event, world.state));
  return changes.filter((change) => change !== null).map(({ text }) => text);
}

describe('what is told of a run', () => {
  it('says how to open a gate, by the end of the id, and who did', () => {
    const run = '01a2016e-6cf7-73bd-a8ca-4cdc87d98434';
    const world = new World('ship : gate=1h say="Ship it?"', { given: { run } });
    world.judge('ship', 'approve');
    expect(told(world)).toEqual([
      'ship asks: Ship it? (mailroom approve d98434 ship)',
      'ship is approved by ada',
      'ship SUCCEEDED in 0.0s',
    ]);
  });

  it('gives the reason of a failure once', () => {
    const world = new World('a');
    world.fails('a', { class: 'NON_RETRYABLE', text: 'it broke' });
    expect(told(world)).toEqual(['a', 'a FAILED in 0.0s: it broke', 'the run ends: a failed']);
  });
});
