import { describe, expect, it } from 'vitest';
import type { Step, Work } from '../../../src/workflow/model.ts';
import { mermaidOf } from '../../../src/operations/graph/mermaid.ts';
import { diagramOf } from '../../../src/operations/graph/diagram.ts';
import { svgOf } from '../../../src/operations/graph/svg.ts';
import { step as anyStep, workflow } from '../../workflow/machine/graph.ts';

const step = (id: string, needs: readonly string[], work: Work): Step =>
  anyStep(id, { work, needs: needs.map((name) => ({ step: name, when: null })) });

const command: Work = { kind: 'command', argv: [], capabilities: null };
const asked = { message: [], approvers: ['ada'], choices: ['approve', 'reject'], fields: {} };
const gate: Work = { kind: 'gate', ...asked, timeout: null, onTimeout: 'abort' };
const loop: Work = {
  kind: 'for-each',
  items: [1, 2],
  as: 'file',
  concurrency: 1,
  body: { kind: 'graph', steps: [step('lint', [], command), step('fix', ['lint'], command)] },
};

const shown = workflow(
  {
    kind: 'graph',
    steps: [
      step('plan', [], command),
      step('each', ['plan'], loop),
      step('end "now" & here', ['each'], gate),
    ],
  },
  { name: 'ship <it>' },
);

describe('mermaid', () => {
  it('draws steps, frames and dependencies, and quotes what people wrote', () => {
    expect(mermaidOf(diagramOf(shown))).toBe(
      [
        'flowchart TD',
        '  n1["plan<br/>command"]',
        '  n4{{"end #34;now#34; #38; here<br/>gate: ada"}}',
        '  subgraph n0 ["each: for each file"]',
        '    n2["lint<br/>command"]',
        '    n3["fix<br/>command"]',
        '  end',
        '  n2 --> n3',
        '  n1 --> n0',
        '  n0 --> n4',
        '',
      ].join('\n'),
    );
  });
});

describe('svg', () => {
  const svg = svgOf(diagramOf(shown));

  it('shows every step and frame by name, with nothing in it that a page would run', () => {
    for (const name of ['plan', 'lint', 'fix', 'each: for each file', 'end &#34;now&#34; &#38; here'])
      expect(svg).toContain(`>${name}</text>`);
    expect(svg).toContain('<title>ship &#60;it&#62;</title>');
    expect(svg.match(/marker-end/g)).toHaveLength(3);
    expect(svg).not.toMatch(/<script|href|NaN|undefined/);
  });

  it('keeps the steps of a frame inside it', () => {
    const rectangles = [
      ...svg.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g),
    ];
    const [frame, , lint, fix] = rectangles.map((found) => found.slice(1).map(Number));
    for (const inner of [lint, fix]) {
      expect(inner![1]).toBeGreaterThan(frame![1]!);
      expect(inner![1]! + inner![3]!).toBeLessThan(frame![1]! + frame![3]!);
    }
  });

  it('makes a frame as wide as its label, which no line crosses', () => {
    const label = 'parser: a sub-workflow with a long name';
    const picture = {
      title: 'w',
      nodes: [{ path: 'p/a', name: 'a', who: 'command', shape: 'step', frame: 'p' } as const],
      frames: [{ path: 'p', label, frame: null }],
      edges: [{ from: 'p/a', to: 'p/a', label: 'until complete, at most 3 times', line: 'solid' as const }],
    };
    const drawn = svgOf(picture);
    const [, frame = ''] =
      /<rect x="[\d.]+" y="[\d.]+" width="([\d.]+)"[^>]* stroke-dasharray/.exec(drawn) ?? [];
    // The width of a letter is at least half its height.
    expect(Number(frame)).toBeGreaterThan((label.length * 13) / 2);
    expect(drawn).toMatch(new RegExp(`<text [^>]*paint-order="stroke"[^>]*>${label}</text>`));
    const [, width = ''] = /^<svg [^>]*width="([\d.]+)"/.exec(drawn) ?? [];
    const [, x = ''] = /<text x="([\d.]+)"[^>]*>until complete/.exec(drawn) ?? [];
    expect(Number(x) + (31 * 11) / 2).toBeLessThan(Number(width));
  });

  it('stretches no step to make that room, and leads every edge to the step itself', () => {
    const node = (path: string, frame: string | null) =>
      ({ path, name: path, who: 'command', shape: 'step', frame }) as const;
    const drawn = svgOf({
      title: 'w',
      nodes: [node('a', null), node('b', null), node('p/c', 'p')],
      frames: [{ path: 'p', label: 'parser: a sub-workflow with quite a long name', frame: null }],
      edges: ['a', 'b'].map((from) => ({ from, to: 'p/c', label: '', line: 'solid' as const })),
    });
    const boxes = [...drawn.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"[^>]* rx="6"/g)];
    const [a, , c] = boxes.map((found) => found.slice(1).map(Number));
    expect(c![2]).toBe(a![2]);
    const ends = [...drawn.matchAll(/L([\d.]+) ([\d.]+)" [^>]*marker-end/g)].map((found) => Number(found[1]));
    expect(ends).toHaveLength(2);
    for (const end of ends) {
      expect(end).toBeGreaterThanOrEqual(c![0]!);
      expect(end).toBeLessThanOrEqual(c![0]! + c![2]!);
    }
  });
});
