import { expect, it } from 'vitest';
import { MailroomError } from '../../../src/kernel/errors.ts';
import type { Writing } from '../../../src/disk/writers.ts';
import { FileWatch } from '../../../src/workflow/triggers/file-watch.ts';

/** A watch of one trigger; each look at its files takes `cost` milliseconds. */
function watched() {
  const world = {
    now: 1_000,
    cost: 0,
    files: new Map([['a', '1']]),
    writing: new Map<string, Writing>(),
    refused: false,
  };
  const watch = new FileWatch(
    [{ kind: 'files', name: 'onsrc', globs: ['src/**'], debounce: 0, cooldown: 0 }],
    {
      clock: { now: () => world.now },
      files: () => {
        world.now += world.cost;
        if (world.refused) throw new MailroomError('E_VALUE', 'too many', 'fewer');
        return new Map(world.files);
      },
      writing: (files) => files.map((file) => world.writing.get(file) ?? 'none'),
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

it('leaves out what a process still writes until it is closed, and looks again soon', () => {
  const { world, watch } = watched();
  world.files.set('a', '2').set('b', '1').set('c', '1');
  world.writing.set('a', { by: 'process 1 (sh)' }).set('b', { by: 'process 1 (sh)' });
  expect(watch.look(world.now)).toEqual([{ name: 'onsrc', files: ['c'] }]);
  expect(watch.wake).toBe(world.now + 200);
  world.now += 3_600_000;
  expect(watch.look(world.now)).toEqual([]);
  world.writing.clear();
  expect(watch.look(world.now)).toEqual([{ name: 'onsrc', files: ['a', 'b'] }]);
  expect([watch.look(world.now), watch.wake]).toEqual([[], world.now + 30_000]);
});

it('waits two seconds for a file whose writers are not known, from its last change on', () => {
  const { world, watch } = watched();
  world.writing.set('b', 'unknown');
  world.files.set('b', '1');
  expect(watch.look(world.now)).toEqual([]);
  world.now += 1_999;
  world.files.set('b', '2');
  expect(watch.look(world.now)).toEqual([]);
  world.now += 1_999;
  expect(watch.look(world.now)).toEqual([]);
  world.now += 1;
  expect(watch.look(world.now)).toEqual([{ name: 'onsrc', files: ['b'] }]);
});
