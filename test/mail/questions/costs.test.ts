import { describe, expect, it } from 'vitest';
import { charge } from '../../../src/kernel/money.ts';
import type { Bill, Bills } from '../../../src/kernel/cost.ts';
import { emptyState, type MailState } from '../../../src/mail/machine/state.ts';
import { emptyRunState, type RunState } from '../../../src/workflow/machine/state.ts';
import { costsCsv, costsOf } from '../../../src/mail/questions/costs.ts';
import type { CostKind } from '../../../src/kernel/cost.ts';

function bill(changes: Partial<Bill>, usd: number): Bill {
  const cost = { usd, tokens: usd * 100, unpriced: 0 };
  const kind = {
    day: '2026-11-21',
    provider: 'claude',
    model: null,
    role: 'qa',
    run: null,
    step: null,
    host: null,
  };
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

function rows(by: CostKind, since: string | null = null) {
  const { rows: all } = costsOf(mail, [run], [by], since);
  return all.map(({ key, launches, cost }) => [key[by], launches, cost.usd]);
}

describe('what was paid', () => {
  it('is of a workflow, with what roles did for its runs', () => {
    const { rows: all } = costsOf(mail, [run], ['workflow'], null, new Map([['r1', 'release']]));
    expect(all.map(({ key, cost }) => [key.workflow, cost.usd])).toEqual([
      ['release', 48],
      [null, 15],
    ]);
  });

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
    ['model', [[null, 6, 63]]],
    ['week', [['2026-W47', 6, 63]]],
  ] as const)('is told by %s', (by, expected) => {
    expect(rows(by)).toEqual(expected);
  });

  it('is most expensive first, of what has no price that of most tokens', () => {
    const free = (provider: string, tokens: number) =>
      bill({ provider, cost: { usd: 0, tokens, unpriced: 1 } }, 0);
    const some = bills(free('a', 5), free('b', 9), bill({ provider: 'claude' }, 1));
    const paid = { ...emptyState(), bills: new Map([['th', some]]) };
    expect(costsOf(paid, [], ['provider'], null).rows.map(({ key }) => key.provider)).toEqual([
      'claude',
      'b',
      'a',
    ]);
  });

  it('is the same in all, whatever it is listed by', () => {
    for (const by of [['role'], ['thread'], ['week', 'model'], ['day', 'run', 'step', 'provider']] as const)
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

  it('is listed by several keys at once, in the order of time, then the most expensive first', () => {
    const some = bills(
      bill({ day: '2026-11-22', model: 'opus' }, 1),
      bill({ day: '2026-11-16', model: 'haiku' }, 2),
      bill({ day: '2026-11-23', model: 'opus' }, 4),
      bill({ day: '2026-11-23', model: 'opus', role: 'engineer' }, 8),
      bill({ day: '2026-11-15' }, 16),
    );
    const paid = { ...emptyState(), bills: new Map([['th', some]]) };
    const { rows: all } = costsOf(paid, [], ['week', 'model'], null);
    expect(all.map(({ key, launches, cost }) => [key.week, key.model, launches, cost.usd])).toEqual([
      ['2026-W46', null, 1, 16],
      ['2026-W47', 'haiku', 1, 2],
      ['2026-W47', 'opus', 1, 1],
      ['2026-W48', 'opus', 2, 12],
    ]);
  });

  it.each([
    ['2024-12-30', '2025-W01'],
    ['2026-12-31', '2026-W53'],
    ['2027-01-03', '2026-W53'],
    ['2027-01-04', '2027-W01'],
  ])('belongs on %s to the week %s', (day, week) => {
    const paid = { ...emptyState(), bills: new Map([['th', bills(bill({ day }, 1))]]) };
    expect(costsOf(paid, [], ['week'], null).rows).toMatchObject([{ key: { week } }]);
  });
});

describe('costs as CSV', () => {
  it('have a column for each key and figure, and no name that a spreadsheet would compute', () => {
    const named = (role: string | null, usd: number) =>
      bill({ role, model: 'a, "b"', cost: { usd, tokens: 10, unpriced: 1 } }, usd);
    const names = ['=1+1', '+1', '-1', '@x', '\t=1', 'plain', 'two\nlines', null];
    const some = bills(...names.map((name, index) => named(name, 8 - index)));
    const paid = { ...emptyState(), bills: new Map([['th', some]]) };
    const model = '"a, ""b"""';
    expect(costsCsv(costsOf(paid, [], ['role', 'model'], null)).split('\r\n')).toEqual([
      'role,model,launches,tokens,usd,unpriced',
      `'=1+1,${model},1,10,8,1`,
      `'+1,${model},1,10,7,1`,
      `'-1,${model},1,10,6,1`,
      `'@x,${model},1,10,5,1`,
      `'\t=1,${model},1,10,4,1`,
      `plain,${model},1,10,3,1`,
      `"two\nlines",${model},1,10,2,1`,
      `,${model},1,10,1,1`,
      '',
    ]);
  });
});
