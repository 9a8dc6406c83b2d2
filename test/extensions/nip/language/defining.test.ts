import { describe, expect, it } from 'vitest';
import { definitionTemplate, definitionText } from '../../../../src/extensions/nip/language/defining.ts';

const steps = [
  { id: 'translate', agentKind: 5_100, inputMapping: 'input:$input.text', outputName: 'translated' },
  {
    id: 'summarize',
    agentKind: 5_200,
    inputMapping: ['$translated', 'words=50'],
    outputName: 'summary',
    timeout: 30,
    errorPolicy: 'retry',
    maxRetries: 2,
    maxBudget: 500,
  },
];
const edges = [{ from: 'translate', to: 'summarize' }];
const inputs = [{ name: 'text', type: 'string', required: true }];

describe('a new definition', () => {
  it('becomes the tags of an event, with outputs that no one gave', () => {
    const asked = { name: 'Translate & Summarize!', description: 'Both', steps, edges, inputs };
    expect(definitionTemplate(asked, 1_700_000_000_999)).toEqual({
      kind: 30_920,
      created_at: 1_700_000_000,
      tags: [
        ['d', 'translate-summarize'],
        ['name', 'Translate & Summarize!'],
        ['version', '1.0.0'],
        ['step', 'translate', '5100', 'input:$input.text', 'output:translated'],
        [
          'step',
          'summarize',
          '5200',
          'input:$translated',
          'input:words=50',
          'output:summary',
          'timeout:30',
          'policy:retry',
          'retries:2',
          'budget:500',
        ],
        ['edge', 'translate', 'summarize', 'always'],
        ['input', 'text', 'string', 'true'],
        ['output', 'summary', 'any'],
      ],
      content: 'Both',
    });
  });

  it('keeps the id, version, conditions and outputs that are given, and is a string with a line for each tag', () => {
    const condition = '$translated.ok == true';
    const outputs = [{ name: 'translated', type: 'string' }];
    const given = { id: 'mine', name: 'x', version: '2.1.0', outputs };
    const event = definitionTemplate({ ...given, steps, edges: [{ ...edges[0]!, condition }] }, 0);
    expect(event.tags).toEqual(
      expect.arrayContaining([
        ['d', 'mine'],
        ['version', '2.1.0'],
        ['edge', 'translate', 'summarize', condition],
        ['output', 'translated', 'string'],
      ]),
    );
    const text = definitionText(event);
    expect(JSON.parse(text)).toEqual(event);
    expect(text.split('\n')[3]).toBe('    ["d","mine"],');
  });
});
