import { describe, expect, it } from 'vitest';
import type { Step, Work } from '../../src/workflow/model.ts';
import { mermaidOf } from '../../src/graph/mermaid.ts';
import { diagramOf } from '../../src/graph/diagram.ts';
import { step as anyStep, workflow } from '../workflow/machine/graph.ts';

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

const shown = workflow({
  kind: 'graph',
  steps: [step('plan', [], command), step('each', ['plan'], loop), step('end "now" & here', ['each'], gate)],
});

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
