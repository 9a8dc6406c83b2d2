import { describe, expect, it } from 'vitest';
import { charge } from '../../src/mail/machine/money.ts';
import type { Bill, Bills } from '../../src/kernel/cost.ts';
import { emptyState, type MailState } from '../../src/mail/machine/state.ts';
import { emptyRunState, type RunState } from '../../src/workflow/machine/state.ts';
import { costKinds, costsOf } from '../../src/operations/costs.ts';

function bill(changes: Partial<Bill>, usd: number): Bill {
  const cost = { usd, tokens: usd * 100, unpriced: 0 };
  const kind = { day: '2026-11-21', provider: 'claude', role: 'qa', run: null, step: null };
  return { ...kind, launches: 1, cost, ...changes };
}

function bills(...all: readonly Bill[]): Bills {
  const made: Bills = new Map();
  for (const each of all) charge(made, each);
  return made;
}

const mail: MailState = {
  ...emptyState(),
  bills: new Map([
    ['', bills(bill({ day: '2026-11-19' }, 8))],
    ['th1', bills(bill({}, 1), bill({}, 2), bill({ role: 'engineer', provider: 'codex' }, 4))],
    ['th2', bills(bill({ run: 'r1', step: 'review' }, 16))],
  ]),
};
const run: RunState = {
  ...emptyRunState(),
  bills: bills(bill({ role: null, run: 'r1', step: 'build', day: '2026-11-20', provider: 'codex' }, 32)),
};

function rows(by: (typeof costKinds)[number], since: string | null = null) {
  return costsOf(mail, [run], by, since).rows.map(({ name, launches, cost }) => [name, launches, cost.usd]);
}

describe('what was paid', () => {
  it.each([
    [
      'role',
      [
        [null, 1, 32],
        ['qa', 4, 27],
        ['engineer', 1, 4],
      ],
    ],
    [
      'thread',
      [
        [null, 2, 40],
        ['th2', 1, 16],
        ['th1', 3, 7],
      ],
    ],
    [
      'run',
      [
        ['r1', 2, 48],
        [null, 4, 15],
      ],
    ],
    [
      'step',
      [
        ['build', 1, 32],
        ['review', 1, 16],
        [null, 4, 15],
      ],
    ],
    [
      'provider',
      [
        ['codex', 2, 36],
        ['claude', 4, 27],
      ],
    ],
    [
      'day',
      [
        ['2026-11-19', 1, 8],
        ['2026-11-20', 1, 32],
        ['2026-11-21', 4, 23],
      ],
    ],
  ] as const)('is told by %s', (by, expected) => {
    expect(rows(by)).toEqual(expected);
  });

  it('is dearest first, of what has no price that of most tokens', () => {
    const free = (provider: string, tokens: number) =>
      bill({ provider, cost: { usd: 0, tokens, unpriced: 1 } }, 0);
    const some = bills(free('a', 5), free('b', 9), bill({ provider: 'claude' }, 1));
    const paid = { ...emptyState(), bills: new Map([['th', some]]) };
    expect(costsOf(paid, [], 'provider', null).rows.map(({ name }) => name)).toEqual(['claude', 'b', 'a']);
  });

  it('is the same in all, whatever it is told by', () => {
    for (const by of costKinds)
      expect(costsOf(mail, [run], by, null).total).toEqual({
        launches: 6,
        cost: { usd: 63, tokens: 6300, unpriced: 0 },
      });
  });

  it('leaves out the days before', () => {
    expect(rows('day', '2026-11-20')).toEqual([
      ['2026-11-20', 1, 32],
      ['2026-11-21', 4, 23],
    ]);
  });
});
