import { describe, expect, it } from 'vitest';
import { group, outage, Player } from '../playing.ts';
import { classify } from './classify.ts';
import type { EffectName } from './effects.ts';
import type { RunKind } from './kinds.ts';
import { runs } from './runs.ts';

const player = new Player<RunKind, EffectName>(runs);

describe('the kill matrix of runs', () => {
  it('holds in a sample of crashes', async () => {
    const failures = await player.failures([
      ['command', 'hook.spawn', 1, 'during'],
      ['script', 'values.hide', 1, 'before', group],
      ['agent', 'answer.write', 1, 'after'],
      ['nip', 'event.append', 2, 'during', outage],
      ['check', 'check.spawn', 2, 'during'],
      ['for_each', 'journal.sync', 3, 'before', outage],
      ['gate', 'person.notify', 1, 'before'],
      ['workflow', 'meta.write', 1, 'after', outage],
      ['rollback', 'rollback.restore', 1, 'before', outage],
      ['rotation', 'snapshot.write', 1, 'after', outage],
      ['recovery', 'journal.append', 1, 'during'],
      ['triggered', 'trigger.note', 1, 'before'],
      ['triggered', 'card.write', 2, 'before'],
      ['triggered', 'meta.write', 2, 'before', outage],
      ['replacing', 'older.cancel', 1, 'before'],
      ['replacing', 'older.cancel', 1, 'after', outage],
    ]);
    expect(failures).toEqual([]);
  });
});

it('has no name for what it does not know', () => {
  expect(classify({ kind: 'write', path: 'context/one/_meta.json' })).toBeNull();
  expect(classify({ kind: 'rename', path: 'context/one/made', to: 'elsewhere' })).toBeNull();
  expect(
    classify({ kind: 'spawn', argv: ['curl'], mark: null, behindBarrier: false, forgotten: false }),
  ).toBeNull();
});
