import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventParser } from '../../src/web/api/sse.ts';
import type { StepDocument } from '../../src/web/api/documents.ts';
import { rank } from '../../src/web/find.ts';
import { borderOf, cycleIn, layers, ring } from '../../src/web/graph.ts';
import { rowsOf, timelineOf } from '../../src/web/steps.ts';

describe('the stream of events', () => {
  const stream =
    ': hello\nid: mail:1\nevent: mail\ndata: {"n":1}\n\n:\n\r\nid: run:a:2\r\ndata: one\r\ndata: two\r\n\r\n';
  const events = [
    { id: 'mail:1', event: 'mail', data: '{"n":1}' },
    { id: 'run:a:2', event: 'message', data: 'one\ntwo' },
  ];

  it('gives the same events however it is cut', () => {
    const cuts = fc.array(fc.nat(stream.length), { maxLength: 6 });
    fc.assert(
      fc.property(cuts, (places) => {
        const parser = new EventParser();
        const ends = [...places.toSorted((a, b) => a - b), stream.length];
        const chunks = ends.map((end, index) => stream.slice(ends[index - 1] ?? 0, end));
        expect(chunks.flatMap((chunk) => parser.push(chunk))).toEqual(events);
      }),
    );
  });

  it('holds back an event that is not complete', () => {
    const parser = new EventParser();
    expect(parser.push('id: 1\ndata: a\n')).toEqual([]);
    expect(parser.push('\n')).toEqual([{ id: '1', event: 'message', data: 'a' }]);
  });
});

describe('a cycle of waits', () => {
  const edges = (text: string) =>
    text.split(' ').map((pair) => ({ from: pair.charAt(0), to: pair.charAt(1) }));

  it.each([
    ['ab bc', null],
    ['ab bc ca', ['a', 'b', 'c']],
    ['xa ab bc cb', ['b', 'c']],
    ['aa', ['a']],
    ['ab ac bd cd', null],
  ])('of %s is %j', (text, cycle) => {
    expect(cycleIn(edges(text))).toEqual(cycle);
  });
});

describe('the places of a graph', () => {
  it('are in the box, the first at its top', () => {
    const places = ring(['a', 'b', 'c', 'd'], 400, 200, { x: 50, y: 20 });
    expect([...places.values()].map(({ x, y }) => [Math.round(x), Math.round(y)])).toEqual([
      [200, 20],
      [350, 100],
      [200, 180],
      [50, 100],
    ]);
  });

  it('are left on the border of a node', () => {
    expect(borderOf({ x: 0, y: 0 }, { x: 100, y: 0 }, 40, 20)).toEqual({ x: 20, y: 0 });
    expect(borderOf({ x: 0, y: 0 }, { x: 0, y: -50 }, 40, 20).y).toBeCloseTo(-10);
    expect(borderOf({ x: 1, y: 1 }, { x: 1, y: 1 }, 40, 20)).toEqual({ x: 1, y: 1 });
  });

  it('of steps are right of all that they need, and none has that of another', () => {
    const graph = fc.array(fc.array(fc.nat(9), { maxLength: 3 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(graph, (needs) => {
        // A step needs only earlier ones, so there is no cycle.
        const steps = new Map(
          needs.map((own, index) => [String(index), own.filter((need) => need < index).map(String)]),
        );
        const cells = layers(steps);
        for (const [name, own] of steps)
          for (const need of own) expect(cells.get(name)!.column).toBeGreaterThan(cells.get(need)!.column);
        expect(
          new Set([...cells.values()].map(({ column, row }) => `${String(column)} ${String(row)}`)).size,
        ).toBe(steps.size);
      }),
    );
  });

  it('of steps in a cycle exist', () => {
    expect(
      layers(
        new Map([
          ['a', ['b']],
          ['b', ['a']],
        ]),
      ).size,
    ).toBe(2);
  });
});

describe('the steps of a run', () => {
  const step = (from: number | null, to: number | null, more: Partial<StepDocument> = {}): StepDocument => ({
    status: 'SUCCEEDED',
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
    cost: { usd: 0, tokens: 0, unpriced: 0 },
    ...more,
  });

  it('include those of sub-workflows and of each iteration, by their paths', () => {
    const items = [0, 1].map((index) => ({ index, item: null, steps: { c: step(0, 1) } }));
    const rows = rowsOf({ a: step(0, 1, { steps: { b: step(0, 1) } }), d: step(0, 1, { items }) });
    expect(rows.map(({ path, depth }) => `${path} ${String(depth)}`)).toEqual([
      'a 0',
      'a/b 1',
      'd 0',
      'd/0/c 1',
      'd/1/c 1',
    ]);
  });

  it('share one axis, on which a step that runs ends now', () => {
    const rows = rowsOf({ a: step(1_000, 2_000), b: step(2_000, null), c: step(null, null) });
    expect(timelineOf(rows, 5_000)).toEqual({
      start: 1_000,
      end: 5_000,
      bars: [
        { path: 'a', status: 'SUCCEEDED', from: 0, to: 0.25 },
        { path: 'b', status: 'SUCCEEDED', from: 0.25, to: 1 },
      ],
    });
  });

  it('that have not started have no bars', () => {
    expect(timelineOf(rowsOf({ a: step(null, null) }), 0).bars).toEqual([]);
  });
});

describe('the palette', () => {
  const all = ['Go to the roles', 'engineer', 'Add totals', 'release engine'].map((text) => ({
    kind: 'x',
    text,
  }));

  it.each([
    ['', ['Go to the roles', 'engineer', 'Add totals', 'release engine']],
    ['eng', ['engineer', 'release engine']],
    ['eng rel', ['release engine']],
    ['adtt', ['Add totals']],
    ['zz', []],
  ])('finds by %j', (typed, found) => {
    expect(rank(all, typed).map(({ text }) => text)).toEqual(found);
  });
});
