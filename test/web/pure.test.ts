import fc from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { EventParser } from '../../src/web/api/sse.ts';
import { rank } from '../../src/web/find.ts';
import {
  borderOf,
  cycleIn,
  layers,
  marginOf,
  neighbour,
  ring,
  ringBox,
  ringHeight,
} from '../../src/web/graph.ts';
import { clock } from '../../src/kernel/local-time.ts';
import { agoOf } from '../../src/web/times.ts';
import { Pace } from '../../src/web/state/pace.ts';

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

describe('the pace of readings', () => {
  /** The times of the readings when something changes at these times; `f`: a file, without its record. */
  function readings(changes: readonly (readonly [number, 'f' | 'record'])[]): number[] {
    const pace = new Pace();
    const read: number[] = [];
    let due: number | null = null;
    const until = (now: number): void => {
      if (due === null || due > now) return;
      pace.read(due);
      read.push(due);
      due = null;
    };
    for (const [at, what] of changes) {
      until(at);
      due = pace.changed(what === 'record', at) ?? due;
    }
    until(Number.POSITIVE_INFINITY);
    return read;
  }

  it('reads at a record at once', () => {
    expect(readings([[5, 'record']])).toEqual([5]);
  });

  it('reads a file that has arrived together with its record', () => {
    expect(
      readings([
        [0, 'f'],
        [30, 'record'],
      ]),
    ).toEqual([30]);
  });

  it('reads a file without a record soon, however many arrive', () => {
    expect(
      readings([
        [0, 'f'],
        [60, 'f'],
      ]),
    ).toEqual([100]);
  });

  it('does not let a record wait for the rest after another one', () => {
    expect(
      readings([
        [0, 'record'],
        [10, 'record'],
        [20, 'record'],
      ]),
    ).toEqual([0, 10, 20]);
  });

  it('reads ten times a second in a flood, and its last change, too', () => {
    const flood = Array.from({ length: 1_000 }, (_, at) => [at, 'record'] as const);
    const read = readings(flood);
    expect(read).toHaveLength(13);
    expect(read.at(-1)).toBe(1_000);
  });
});

describe('how long ago something was', () => {
  const now = Date.parse('2026-11-29T20:00:00Z');
  it.each([
    ['2026-11-29T19:59:50Z', '10s ago'],
    ['2026-11-29T20:00:01Z', '0s ago'],
    ['2026-11-29T20:10:00Z', clock('2026-11-29T20:10:00Z', now)],
  ])('%s is %s', (at, words) => {
    expect(agoOf(at, now)).toBe(words);
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

  it('do not touch on a ring, also in a narrow window', () => {
    // Of an odd number two are beside each other at the bottom, where no height helps.
    for (const width of [300, 358, 720])
      for (let count = 2; count <= 12; count += 2) {
        const names = Array.from({ length: count }, (_, index) => String(index));
        const box = ringBox(width);
        const height = ringHeight(names, width, box, 190);
        const places = [...ring(names, width, height, marginOf(box)).values()];
        const touching = places.filter((one, index) =>
          places.some(
            (other, at) =>
              at > index && Math.abs(one.x - other.x) < box.width && Math.abs(one.y - other.y) < box.height,
          ),
        );
        expect({ width, count, touching }).toEqual({ width, count, touching: [] });
      }
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
        const edges = needs.flatMap((own, index) =>
          own.filter((need) => need < index).map((need) => ({ from: String(need), to: String(index) })),
        );
        const names = needs.map((_, index) => String(index)).toReversed();
        const cells = layers(names, edges);
        for (const { from, to } of edges)
          expect(cells.get(to)!.column).toBeGreaterThan(cells.get(from)!.column);
        expect(
          new Set([...cells.values()].map(({ column, row }) => `${String(column)} ${String(row)}`)).size,
        ).toBe(names.length);
      }),
    );
  });

  it('of steps in a cycle follow the order in which they are entered', () => {
    const edges = ['ab', 'bc', 'ca', 'cd', 'bb'].map((pair) => ({
      from: pair.charAt(0),
      to: pair.charAt(1),
    }));
    const cells = layers(['a', 'b', 'c', 'd'], edges);
    expect([...cells].map(([name, { column }]) => `${name}${String(column)}`)).toEqual([
      'a0',
      'b1',
      'c2',
      'd3',
    ]);
  });
});

describe('the arrow keys in a graph of steps', () => {
  // a leads to b and c, and these to d.
  const edges = ['ab', 'ac', 'bd', 'cd'].map(([from = '', to = '']) => ({ from, to }));
  const cells = layers(['a', 'b', 'c', 'd'], edges);

  it.each([
    ['a', 'ArrowRight', 'b'],
    ['b', 'ArrowDown', 'c'],
    ['c', 'ArrowUp', 'b'],
    ['c', 'ArrowRight', 'd'],
    ['d', 'ArrowLeft', 'b'],
    ['a', 'ArrowUp', null],
    ['a', 'constructor', null],
    ['gone', 'ArrowRight', null],
  ])('lead from %s by %s to %s', (from, key, to) => {
    expect(neighbour(cells, from, key)).toBe(to);
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

  it('keeps what the server found by words that are not shown', () => {
    const thread = { kind: 'thread', text: 'The blue door', isFound: true };
    expect(rank([thread, ...all], 'memory')).toEqual([thread]);
  });
});
