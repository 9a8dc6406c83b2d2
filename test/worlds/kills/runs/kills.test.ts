import { describe, expect, it } from 'vitest';
import { group, outage, Player } from '../playing.ts';
import { classify } from './classify.ts';
import type { EffectName } from './effects.ts';
import type { RunKind } from './kinds.ts';
import { runs } from './runs.ts';

const player = new Player<RunKind, EffectName>(runs);

describe('the kill matrix of runs', () => {
  it('holds in a sample of crashes', { timeout: 300_000 }, async () => {
    const failures = await player.failures([
      ['command', 'hook.spawn', 1, 'during'],
      ['script', 'artifact.place', 1, 'before', outage],
      ['script', 'values.hide', 1, 'before', group],
      ['script', 'values.hide', 1, 'after'],
      ['agent', 'answer.write', 1, 'after'],
      ['role', 'letter.take', 1, 'before'],
      ['nip', 'event.append', 2, 'during', outage],
      ['nip request', 'event.note', 1, 'before'],
      ['check', 'check.spawn', 2, 'during'],
      ['retry', 'dead.write', 1, 'before'],
      ['for_each', 'journal.sync', 3, 'before', outage],
      ['gate', 'control.remove', 1, 'before'],
      ['gate', 'person.notify', 1, 'before'],
      ['gate', 'person.notify', 1, 'during', outage],
      ['workflow', 'meta.write', 1, 'after', outage],
      ['cancelling', 'step.kill', 1, 'before', group],
      ['rollback', 'rollback.restore', 1, 'before', outage],
      ['rollback', 'meta.write', 2, 'before', group],
      ['rotation', 'snapshot.write', 1, 'after', outage],
      ['rotation', 'journal.remove', 1, 'before'],
      ['recovery', 'journal.append', 1, 'during'],
      ['script', 'other.refuse', 1, 'after'],
      ['triggered', 'trigger.note', 1, 'before'],
      ['triggered', 'trigger.note', 1, 'after'],
      ['triggered', 'card.write', 2, 'before'],
      ['triggered', 'trigger.note', 3, 'before', group],
      ['triggered', 'meta.write', 2, 'before', outage],
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
