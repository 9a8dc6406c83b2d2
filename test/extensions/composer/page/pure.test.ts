import fc from '../../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import type { FormField } from '../../../../src/extensions/composer/graph/documents.ts';
import { layers } from '../../../../src/web/graph.ts';
import { valueAt } from '../../../../src/kernel/json.ts';
import {
  box,
  brought,
  edgePath,
  firstView,
  fitted,
  frameOf,
  placesOf,
  zoomed,
} from '../../../../src/extensions/composer/page/placing.ts';
import {
  editorPatches,
  formOf,
  shown,
  sourceOffset,
} from '../../../../src/extensions/composer/page/source-text.ts';
import { initialOf, shownValue, typedValue } from '../../../../src/extensions/composer/page/values.ts';

describe('a text in an editor', () => {
  const texts = ['a\nb\n', 'a\r\nb\r\n', '\ufeffa\r\nb', 'a\r\nb\n', 'a\rb\r\n', ''];

  it.each(texts)('%j keeps its line ends and its mark', (text) => {
    const form = formOf(text);
    const lines = shown(text, form).split(form.eol);
    expect(form.mark + lines.join(form.eol)).toBe(text);
  });

  it('is changed at the same characters', () => {
    const piece = fc.constantFrom('a', 'b: c', '\r\n', '\ufeff', ' ');
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, fc.nat(40), (whole, place) => {
        const form = formOf(whole);
        const from = Math.max(form.mark.length, place % (whole.length + 1));
        // An offset between the two characters of a line end is none of an editor.
        fc.pre(!(form.eol === '\r\n' && whole[from - 1] === '\r' && whole[from] === '\n'));
        const at = editorPatches(whole, [{ from, to: from, insert: '!' }], form)[0]?.from ?? -1;
        const lines = shown(whole, form).replaceAll(form.eol, '\n');
        const edited = `${lines.slice(0, at)}!${lines.slice(at)}`;
        expect(form.mark + edited.replaceAll('\n', form.eol)).toBe(
          `${whole.slice(0, from)}!${whole.slice(from)}`,
        );
        expect(sourceOffset(whole, at, form)).toBe(from);
      }),
    );
  });
});

describe('the places of steps', () => {
  const step = (id: string, position: [number, number] | null = null) => ({
    id,
    position,
    name: null,
    kind: 'agent',
    path: null,
    lines: null,
    badges: [],
    condition: null,
    color: null,
    icon: null,
  });
  const edge = (from: string, to: string) => ({ from, to, when: null, implied: false });

  it('are their own, else by layers, and never the same', () => {
    const steps = [step('a'), step('b'), step('c', [500, 10]), step('d', [500, 10])];
    const places = placesOf({ steps, edges: [edge('a', 'b')] });
    expect(places.get('c')).toEqual({ x: 500, y: 10 });
    expect(places.get('d')).toEqual({ x: 524, y: 34 });
    expect(places.get('b')!.x).toBeGreaterThan(places.get('a')!.x + box.width);
    expect(places.get('a')!.y).toBeGreaterThan(34 + box.height);
  });

  it('go down where the graph goes from top to bottom, and lines leave and enter at its ends', () => {
    const graph = { steps: [step('a'), step('b')], edges: [edge('a', 'b')] };
    const places = placesOf(graph, 'down');
    const [a, b] = [places.get('a')!, places.get('b')!];
    expect([b.x - a.x, b.y - a.y > box.height]).toEqual([0, true]);
    const middle = a.x + box.width / 2;
    expect(edgePath(a, b, 'down')).toMatch(
      new RegExp(`^M${middle} ${a.y + box.height}C.* ${middle} ${b.y}$`),
    );
    expect(edgePath(a, b, 'right')).toMatch(new RegExp(`^M${a.x + box.width} ${a.y + box.height / 2}C`));
  });

  it('are not crossed by lines that lead past them', () => {
    const graph = {
      steps: [step('a'), step('b'), step('c')],
      edges: [edge('a', 'b'), edge('b', 'c'), edge('a', 'c')],
    };
    for (const direction of ['right', 'down'] as const) {
      const places = placesOf(graph, direction);
      const [b, lane] = [places.get('b')!, edgePath(places.get('a')!, places.get('c')!, direction)];
      const [x = 0, y = 0] = /L(\S+) ([^C]+)C/.exec(lane)!.slice(1).map(Number);
      expect(direction === 'right' ? y - b.y - box.height : x - b.x - box.width).toBeGreaterThan(5);
      expect(edgePath(places.get('a')!, b, direction)).not.toContain('L');
    }
  });

  it('of a chain that is longer than the stack are found', () => {
    const names = Array.from({ length: 20_000 }, (_each, index) => String(index));
    const edges = names.slice(1).map((to, index) => edge(String(index), to));
    expect(layers(names, edges).get('19999')).toEqual({ column: 19_999, row: 0 });
  });

  it('are brought into view by the smallest way', () => {
    const camera = { x: 0, y: 0, scale: 0.5 };
    const room = { width: 400, height: 300 };
    expect(brought({ x: 100, y: 100 }, camera, room)).toEqual(camera);
    expect(brought({ x: 800, y: 100 }, camera, room)).toEqual({ x: 208, y: 0, scale: 0.5 });
    expect(brought({ x: -100, y: 100 }, camera, room)).toEqual({ x: -124, y: 0, scale: 0.5 });
    // Where it has no room with its margins, it is in the middle.
    expect(brought({ x: 0, y: 0 }, camera, { width: 100, height: 300 }).x).toBe(-8);
  });

  it('of any graph without places of its own do not overlap, and are the same each time', () => {
    const graph = fc.array(fc.array(fc.nat(9), { maxLength: 3 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(graph, (needs) => {
        const steps = needs.map((_own, index) => step(String(index)));
        const edges = needs.flatMap((own, to) =>
          own.filter((from) => from < to).map((from) => edge(String(from), String(to))),
        );
        const places = [...placesOf({ steps, edges }).values()];
        for (const [index, one] of places.entries())
          for (const other of places.slice(index + 1))
            expect(Math.abs(one.x - other.x) >= box.width || Math.abs(one.y - other.y) >= box.height).toBe(
              true,
            );
        expect([...placesOf({ steps, edges }).values()]).toEqual(places);
      }),
    );
  });

  it('are all seen when the graph is fitted, and what is under the pointer stays there', () => {
    const frame = frameOf(
      [
        { x: 0, y: 0 },
        { x: 2_000, y: 300 },
      ],
      60,
    );
    const camera = fitted(frame, 800, 600);
    expect(camera.x).toBeLessThanOrEqual(frame.x + 1e-6);
    expect(camera.x + 800 / camera.scale).toBeGreaterThanOrEqual(frame.x + frame.width - 1e-6);
    const fixed = { x: 700, y: 100 };
    const nearer = zoomed(camera, 1.5, fixed);
    expect((fixed.x - nearer.x) * nearer.scale).toBeCloseTo((fixed.x - camera.x) * camera.scale);
    expect(zoomed(camera, 1e6, fixed).scale).toBe(2);
  });

  it('begin where the graph begins when all of it would be too small to read', () => {
    const wide = { x: -50, y: 10, width: 20_000, height: 300 };
    expect(fitted(wide, 800, 600).scale).toBe(0.1);
    const camera = firstView(wide, 800, 600);
    expect(camera).toMatchObject({ scale: 0.85, x: -50 });
    // In the middle of the height, which is enough for all of it.
    expect(camera.y + 600 / camera.scale / 2).toBeCloseTo(10 + 300 / 2);
    const small = { x: 0, y: 0, width: 700, height: 300 };
    expect(firstView(small, 800, 600)).toEqual(fitted(small, 800, 600));
  });
});

describe('a value in a field', () => {
  it.each([
    ['text', '', null],
    ['text', '1.0', '1.0'],
    ['number', '2.5', 2.5],
    ['switch', 'false', false],
    ['list', 'a\n\n b \n', ['a', 'b']],
    ['json', '{"a": [1]}', { a: [1] }],
  ] as const)('as %s, %j is %j', (control, typed, value) => {
    expect(typedValue({ control }, typed)).toEqual({ ok: true, value });
  });

  it.each([
    ['number', '2.5.1', 'Type a number.'],
    ['json', '{a: 1}', 'This is not JSON: strings need double quotes.'],
  ] as const)('as %s, %j is refused', (control, typed, problem) => {
    expect(typedValue({ control }, typed)).toEqual({ ok: false, problem });
  });

  it('is shown as it is typed', () => {
    expect(shownValue({ control: 'list' }, ['a', 'b'])).toBe('a\nb');
    expect(shownValue({ control: 'text' }, true)).toBe('true');
    expect(shownValue({ control: 'json' }, { a: 1 })).toBe('{\n  "a": 1\n}');
    expect(shownValue({ control: 'text' }, undefined)).toBe('');
    expect(valueAt({ a: [{ b: 1 }] }, ['a', 0, 'b'])).toBe(1);
    expect(valueAt({ a: 1 }, ['a', 'b'])).toBeUndefined();
  });

  it('of a new entry has the required keys', () => {
    const field = (key: string, more: Partial<FormField>): FormField => ({
      key,
      control: 'text',
      choices: [],
      required: true,
      description: null,
      usual: null,
      names: null,
      fields: [],
      ...more,
    });
    const fields = [
      field('type', {}),
      field('source', {}),
      field('required', { control: 'switch', required: false }),
    ];
    expect(initialOf(fields)).toEqual({ type: 'string', source: '' });
    expect(initialOf([field('', { control: 'number' })])).toBe(0);
  });
});
