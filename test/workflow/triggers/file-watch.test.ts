import { expect, it } from 'vitest';
import { MailroomError } from '../../../src/kernel/errors.ts';
import { FileWatch } from '../../../src/workflow/triggers/file-watch.ts';

/** A watch of one trigger; each look at its files takes `cost` milliseconds. */
function watched() {
  const world = { now: 1_000, cost: 0, files: new Map([['a', '1']]), refused: false };
  const watch = new FileWatch(
    [{ kind: 'files', name: 'onsrc', globs: ['src/**'], debounce: 0, cooldown: 0 }],
    {
      clock: { now: () => world.now },
      files: () => {
        world.now += world.cost;
        if (world.refused) throw new MailroomError('E_VALUE', 'too many', 'fewer');
        return new Map(world.files);
      },
    },
  );
  return { world, watch };
}

it('rests after a long look, whatever hints come, and not after a short one', () => {
  const { world, watch } = watched();
  watch.look(world.now);
  watch.hint();
  expect(watch.isDue(world.now)).toBe(true);
  world.cost = 300;
  watch.look(world.now);
  watch.hint();
  const waits = (watch.wake ?? 0) - world.now;
  expect([waits, watch.isDue(world.now), watch.isDue(world.now + waits)]).toEqual([3_000, false, true]);
});

it('says that there are too many files, and takes none for removed', () => {
  const { world, watch } = watched();
  world.refused = true;
  expect(watch.look(world.now)).toEqual([]);
  expect(watch.problem).toBe('the trigger `onsrc` sees no changes: too many; fewer');
  world.refused = false;
  world.files.set('b', '1');
  expect(watch.look(world.now)).toEqual([{ name: 'onsrc', files: ['b'] }]);
  expect(watch.problem).toBe(null);
});
