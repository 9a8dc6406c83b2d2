import { describe, expect, it } from 'vitest';
import type { Operation } from '../operation.ts';
import { outage, Player } from '../playing.ts';
import { playedKinds, render } from '../report.ts';
import { classify } from './classify.ts';
import type { EffectName } from './effects.ts';
import type { MailKind } from './kinds.ts';
import { mail } from './mail.ts';

const player = new Player<MailKind, EffectName>(mail);

describe('the kill matrix', () => {
  it('holds in a sample of crashes', async () => {
    const failures = await player.failures([
      ['delivery', 'accept.keep', 1, 'before'],
      ['turn running', 'turn.release', 1, 'after'],
      ['trail commit', 'trail.ref', 1, 'during'],
      ['rotation', 'journal.remove', 1, 'before', outage],
      ['other kinds', 'other.refuse', 2, 'after'],
      ['recovery', 'journal.sync', 2, 'before'],
      ['landing', 'land.swap', 1, 'after'],
      ['conflict', 'conflict.note', 1, 'after'],
    ]);
    expect(failures).toEqual([]);
  });
});

describe('the table of places', () => {
  it.each<[string, Operation]>([
    ['a file of the project that is no mail', { kind: 'begin', path: 'src/a.ts' }],
    ['a write over a waiting message', { kind: 'write', path: 'agents/a/inbox/b.md' }],
    ['a move out of the journal', { kind: 'rename', path: '.mailroom/journal/1.log', to: '.mailroom/x' }],
    ['a program', { kind: 'spawn', argv: ['curl'], mark: null, behindBarrier: false, forgotten: false }],
    ['an unknown order to git', spawnGit('push')],
    ['a signal that is no end', { kind: 'signal', signal: 'SIGSTOP', starting: false }],
  ])('has no name for %s', (_what, operation) => {
    expect(classify(operation)).toBeNull();
  });

  it('distinguishes the sweep from the end of a turn, and agents from gates', () => {
    const spawn = { kind: 'spawn', argv: ['sh'], mark: 'mailroom', forgotten: false } as const;
    expect(classify({ kind: 'signal', signal: 'SIGKILL', starting: true })).toBe('sweep.kill');
    expect(classify({ kind: 'signal', signal: 'SIGKILL', starting: false })).toBe('turn.kill');
    expect(classify({ ...spawn, behindBarrier: true })).toBe('turn.spawn');
    expect(classify({ ...spawn, behindBarrier: false })).toBe('gate.spawn');
    expect(classify(spawnGit('-c', 'a.b=c', 'fast-import', '--quiet'))).toBe('trail.import');
    expect(classify(spawnGit('rev-parse', 'HEAD'))).toBe('inward');
  });
});

function spawnGit(...words: string[]): Operation {
  return { kind: 'spawn', argv: ['git', ...words], mark: null, behindBarrier: false, forgotten: false };
}

it('draws a cell with a cross where anything did not hold', () => {
  const crash = player.crash(['recovery', 'journal.cut', 1, 'before']);
  const played = (...problems: string[][]) =>
    playedKinds(
      mail,
      problems.map((each) => ({ crash, problems: each, unreached: false })),
      'all',
      '2026-01-31',
    );
  const cells = (...problems: string[][]): unknown =>
    render(mail, played(...problems))
      .split('\n')
      .find((line) => line.includes('`journal.cut`'))
      ?.match(/✓|✗/g);
  expect(cells([], ['lost'])).toEqual(['✗']);
  expect(cells([])).toEqual(['✓']);
});
