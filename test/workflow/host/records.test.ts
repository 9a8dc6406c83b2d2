import { expect, it } from 'vitest';
import { DiskGuard } from '../../../src/disk/disk-guard.ts';
import { DiskRecords } from '../../../src/workflow/files/record-files.ts';
import { Records } from '../../../src/workflow/host/records.ts';
import { records as format } from '../../../src/languages/orchestrate/records.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { workflow } from '../files/samples.ts';
import { World } from '../machine/world.ts';

const log = 'records/run-1/logs/events.jsonl';

/** A run of one step, shown on a disk that refuses when it is told to. */
function shown() {
  const world = new World('a\nb <- a');
  const disk = new MemoryDisk(() => world.now);
  const ownWorkspace = { workspace: 'workspace', records: 'records' };
  const run = { run: 'run-1', workspace: '/base/workspace', definition: { ...workflow(), ownWorkspace } };
  const guard = new DiskGuard();
  const records = new Records(new DiskRecords(disk, () => disk, run, format), format, world.rules, guard);
  let seen = 0;
  const project = () => {
    records.observe(world.state, world.history.slice(seen), world.now);
    seen = world.history.length;
  };
  const lines = () =>
    (disk.read(log, 1_000_000)?.toString('utf8') ?? '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { event_seq: number; event: string; step?: string });
  return { world, disk, guard, project, lines };
}

it.each([
  ['nothing', 0],
  ['half of the first line', 40],
  ['the first line and a part of the second', 200],
])('loses no line of the log to a disk that has taken %s when it refuses', (_what, free) => {
  const undisturbed = shown();
  const refused = shown();
  for (const { world, project } of [undisturbed, refused]) {
    project();
    world.done('a');
  }
  undisturbed.project();
  refused.disk.free = free;
  refused.project();
  expect(refused.guard.problem).toMatch(/no space left/);
  refused.disk.free = Number.POSITIVE_INFINITY;
  refused.guard.retry();
  for (const { world, project } of [undisturbed, refused]) {
    world.done('b');
    project();
  }
  expect(refused.guard.problem).toBeNull();
  expect(refused.lines()).toEqual(undisturbed.lines());
  expect(refused.lines().map(({ event_seq }) => event_seq)).toEqual(
    refused.lines().map((_line, index) => index + 1),
  );
});
