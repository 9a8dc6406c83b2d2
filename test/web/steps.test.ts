import { describe, expect, it } from 'vitest';
import type { Standing } from '../../src/documents/standing.ts';
import type { StepDocument, Stretch } from '../../src/documents/runs.ts';
import {
  allOf,
  firstToLookAt,
  keptInSight,
  nextToLookAt,
  standingSo,
  timelineOf,
  treeOf,
  unfolded,
  untilThen,
} from '../../src/web/steps.ts';

describe('the steps of a run', () => {
  const step = (from: number | null, to: number | null, more: Partial<StepDocument> = {}): StepDocument => ({
    status: 'SUCCEEDED',
    standing: { is: 'done', word: 'succeeded', for: [], until: null },
    agent: null,
    host: null,
    attempts: 1,
    iterations: 1,
    started_at: from === null ? null : new Date(from).toISOString(),
    completed_at: to === null ? null : new Date(to).toISOString(),
    exit_code: 0,
    error_class: null,
    error_code: null,
    reason: null,
    values: {},
    artifacts: [],
    commit: null,
    cost: { usd: 0, tokens: 0, unpriced: 0 },
    ...more,
  });

  it('include those of sub-workflows and of each iteration, by their paths', () => {
    const items = [0, 1].map((index) => ({ index, item: null, steps: { c: step(0, 1) } }));
    const tree = treeOf({ a: step(0, 1, { steps: { b: step(0, 1) } }), d: step(0, 1, { items }) });
    const rows = allOf(tree);
    expect(rows.map(({ path, depth }) => `${path} ${String(depth)}`)).toEqual([
      'a 0',
      'a/b 1',
      'd 0',
      'd/0 1',
      'd/0/c 2',
      'd/1 1',
      'd/1/c 2',
    ]);
  });

  const failed = { is: 'failed', word: 'failed', for: [], until: null } as const;

  it('fold rounds under their loop: failed ones first, named by their item', () => {
    const items = ['i0', 'i1', null].map((item, index) => ({
      index,
      item,
      steps: { c: step(0, 1, index === 1 ? { status: 'FAILED', standing: failed } : {}) },
    }));
    const tree = treeOf({ d: step(0, 1, { items }) });
    expect(tree[0]?.rounds).toBe('3 rounds, 1 failed');
    expect(tree[0]?.inside.map(({ name }) => name)).toEqual(['i1', 'i0', 'round 2']);
    expect(unfolded(tree, () => false).map(({ path }) => path)).toEqual(['d']);
    expect(unfolded(tree, (path) => path === 'd')).toHaveLength(4);
    const [only, ...others] = standingSo(tree, 'failed');
    expect([only?.title, only?.path, others]).toEqual(['d/1/c (i1)', 'd/1/c', []]);
  });

  it('have one to look at first: what failed, what asks, what runs, or what ended last', () => {
    const asks = { is: 'needs you', word: 'needs you: approval', for: [], until: null } as const;
    const works = { is: 'working', word: 'running', for: [], until: null } as const;
    const done = { a: step(1, 2), b: step(1, 3), c: step(null, 4, { status: 'SKIPPED' }) };
    const first = (more: Readonly<Record<string, StepDocument>>) =>
      firstToLookAt(treeOf({ ...done, ...more }))?.path;
    expect(first({})).toBe('b');
    expect(first({ r: step(1, null, { standing: works }) })).toBe('r');
    expect(first({ r: step(1, null, { standing: works }), g: step(1, null, { standing: asks }) })).toBe('g');
    const inner = step(1, 2, {
      standing: failed,
      steps: { x: step(1, 2), y: step(1, 2, { standing: failed }) },
    });
    expect(first({ g: step(1, null, { standing: asks }), m: inner })).toBe('m/y');
    expect(firstToLookAt([])).toBe(undefined);
  });

  it('lead on once the shown one is done, and not before', () => {
    const works = { is: 'working', word: 'running', for: [], until: null } as const;
    const of = (a: Partial<StepDocument>, b: Partial<StepDocument>) => {
      const tree = treeOf({ a: step(1, 2, a), b: step(2, 3, b) });
      return nextToLookAt(tree, tree[0])?.path;
    };
    expect(of({}, { standing: works })).toBe('b');
    expect(of({}, { standing: failed })).toBe('b');
    expect(of({ standing: works }, { standing: works })).toBe(undefined);
    expect(of({ standing: failed }, { standing: works })).toBe(undefined);
    expect(of({}, {})).toBe(undefined);
    expect(nextToLookAt([], undefined)).toBe(undefined);
  });

  it('keep what was opened in sight, until it is done and another one needs a person or has failed', () => {
    const standing = (is: Standing['is']) => ({ standing: { is, word: is, for: [], until: null } });
    const [works, asks] = [standing('working'), standing('needs you')] as const;
    const shown = (a: Partial<StepDocument>, b: Partial<StepDocument>, isTouched = false) =>
      keptInSight(treeOf({ a: step(1, 2, a), b: step(2, 3, b) }), 'a', isTouched)?.path;
    expect(shown({}, asks)).toBe('b');
    expect(shown({}, { standing: failed })).toBe('b');
    expect(shown({}, works)).toBe('a');
    expect(shown(works, asks)).toBe('a');
    expect(shown({}, {})).toBe('a');
    expect(shown({}, asks, true)).toBe('a');
    expect(keptInSight(treeOf({ b: step(2, 3) }), 'a', true)?.path).toBe('b');
  });

  const time = (second: number) => new Date(second * 1_000).toISOString();
  const stretch = (kind: Stretch['kind'], from: number, to: number | null, more: Partial<Stretch> = {}) => ({
    kind,
    iteration: 1,
    attempt: 1,
    from: time(from),
    to: to === null ? null : time(to),
    until: null,
    provider: null,
    result: null,
    reason: null,
    ...more,
  });

  it('share one axis, on which what lasts ends now', () => {
    const rows = treeOf({
      a: step(1, 2),
      b: step(2, null),
      c: step(null, 3, { status: 'SKIPPED', reason: 'its condition was false', completed_at: time(3) }),
      d: step(null, null),
    });
    const steps = [
      { path: 'a', stretches: [stretch('worker', 1, 2), stretch('pause', 2, 3), stretch('worker', 3, 4)] },
      { path: 'b', stretches: [stretch('gate', 4, null)] },
    ];
    const found = timelineOf(rows, { steps, last: time(4) }, 5_000)!;
    expect([found.start, found.end]).toEqual([1_000, 5_000]);
    expect(found.ticks).toEqual([0, 1_000, 2_000, 3_000, 4_000]);
    expect(
      found.lanes.map(({ path, bars }) => [path, ...bars.map(({ kind, start, end }) => [kind, start, end])]),
    ).toEqual([
      ['a', ['worker', 0, 0.25], ['pause', 0.25, 0.5], ['worker', 0.5, 0.75]],
      ['b', ['gate', 0.75, 1]],
      ['c'],
    ]);
    expect(found.lanes[2]?.skipped).toEqual({ at: 0.5, why: 'its condition was false' });
  });

  it('end with the last record where no process hosts the run', () => {
    const steps = [{ path: 'a', stretches: [stretch('worker', 1, null)] }];
    const found = timelineOf(treeOf({ a: step(1, null) }), { steps, last: time(3) }, null)!;
    expect([found.start, found.end, found.lanes[0]?.bars[0]?.lasts]).toEqual([1_000, 3_000, 2_000]);
  });

  it('draw a round from the first beginning of its steps to the last end', () => {
    const items = [0, 1].map((index) => ({ index, item: null, steps: { c: step(1, 2), e: step(2, 3) } }));
    const steps = [
      { path: 'd', stretches: [stretch('body', 1, 4)] },
      { path: 'd/0/c', stretches: [stretch('queue', 1, 2), stretch('worker', 2, 3, { result: 'failed' })] },
      { path: 'd/0/e', stretches: [stretch('worker', 3, 4)] },
      { path: 'd/1/c', stretches: [stretch('worker', 3, null)] },
    ];
    const rows = allOf(treeOf({ d: step(1, null, { items }) }));
    const lanes = timelineOf(rows, { steps, last: null }, 5_000)?.lanes ?? [];
    const ofRounds = lanes.filter(({ path }) => /^d\/\d$/.test(path));
    expect(
      ofRounds.map(({ path, bars }) => [path, ...bars.map((bar) => [bar.kind, bar.start, bar.end])]),
    ).toEqual([
      ['d/0', ['body', 0, 0.75]],
      ['d/1', ['body', 0.5, 1]],
    ]);
    expect(ofRounds.map(({ bars }) => [bars[0]?.to === null, bars[0]?.result])).toEqual([
      [false, null],
      [true, null],
    ]);
  });

  it('have all visits of a sequence in one lane', () => {
    const steps = [
      { path: 'a', stretches: [stretch('worker', 1, 2)] },
      { path: 'a#2', stretches: [stretch('worker', 3, 4)] },
    ];
    expect(timelineOf(treeOf({ a: step(1, 4) }), { steps, last: null }, 4_000)?.lanes[0]?.bars).toHaveLength(
      2,
    );
  });

  it('are known up to a moment of the past: what began later is not there, what ended later lasts', () => {
    const steps = [
      {
        path: 'a',
        stretches: [
          stretch('worker', 1, 2, { result: 'failed', reason: 'exit 1' }),
          stretch('pause', 2, 4, { reason: 'exit 1' }),
          stretch('worker', 4, 5),
        ],
      },
      { path: 'b', stretches: [stretch('worker', 4, 5)] },
    ];
    expect(untilThen({ schema: 1, run: 'r', complete: true, steps, last: time(5) }, 3_000).steps).toEqual([
      {
        path: 'a',
        stretches: [
          stretch('worker', 1, 2, { result: 'failed', reason: 'exit 1' }),
          stretch('pause', 2, null),
        ],
      },
    ]);
  });

  it('that have not started have no axis', () => {
    expect(timelineOf(treeOf({ a: step(null, null) }), { steps: [], last: null }, 0)).toBe(null);
  });
});
