import { expect, it } from 'vitest';
import type { LeftOut } from '../order.ts';
import { group, outage, Player, type CrashWords } from '../playing.ts';
import type { EffectName } from './effects.ts';
import type { RunKind } from './kinds.ts';
import { runs } from './runs.ts';

const player = new Player<RunKind, EffectName>(runs);

it.each<[string, LeftOut, CrashWords<EffectName>, string]>([
  [
    'leaves out the sync of the journal',
    'sync',
    ['command', 'step.spawn', 2, 'after', outage],
    'one was asked again after two',
  ],
  [
    'leaves out the sync of an artifact',
    'copy sync',
    ['script', 'step.spawn', 2, 'during', outage],
    'half of',
  ],
  ['leaves out the sweep', 'sweep', ['recovery', 'lock.take', 1, 'before', group], 'left running'],
  [
    'forgets what is finished',
    'memory',
    ['command', 'step.spawn', 2, 'after', group],
    'one was asked again after two',
  ],
])('notices a host that %s', async (_what, leftOut, crash, problem) => {
  const [whole, broken] = await player.compare(crash, leftOut);
  expect(whole).toEqual({ problems: [], unreached: false });
  expect(broken.problems.join('\n')).toContain(problem);
});

it('holds in a further sample of crashes', async () => {
  const failures = await player.failures([
    ['script', 'artifact.place', 1, 'before', outage],
    ['script', 'values.hide', 1, 'after'],
    ['role', 'letter.take', 1, 'before'],
    ['nip request', 'event.note', 1, 'before'],
    ['retry', 'dead.write', 1, 'before'],
    ['gate', 'control.remove', 1, 'before'],
    ['gate', 'person.notify', 1, 'during', outage],
    ['cancelling', 'step.kill', 1, 'before', group],
    ['rollback', 'meta.write', 2, 'before', group],
    ['rotation', 'journal.remove', 1, 'before'],
    ['script', 'other.refuse', 1, 'after'],
    ['triggered', 'trigger.note', 1, 'after'],
    ['triggered', 'trigger.note', 3, 'before', group],
  ]);
  expect(failures).toEqual([]);
});
