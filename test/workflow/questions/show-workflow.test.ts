import { describe, expect, it } from 'vitest';
import { parseWorkflow } from '../../../src/languages/parse.ts';
import { nowhere } from '../../support/nowhere.ts';
import { showWorkflow } from '../../../src/workflow/questions/show-workflow.ts';

const stages = `
workflow: { id: w, name: W, version: 1.0.0 }
stages:
  - { id: each, type: fan_out, fan_out: { source: '\${{ context.all }}', stage_template: { roles: { primary: { artifact: 'agent:a' } } } } }
`;

function shown(text: string) {
  return showWorkflow('w.yaml', text, parseWorkflow(text, 'w.yaml', nowhere));
}

describe('a workflow as a document', () => {
  it('is what its author wrote, in the keys of its language, with what is warned of', () => {
    expect(shown(stages)).toMatchObject({
      ok: true,
      language: 'swdl',
      definition: {
        workflow: { id: 'w', name: 'W', version: '1.0.0' },
        stages: [
          {
            id: 'each',
            type: 'fan_out',
            fan_out: {
              source: '${{ context.all }}',
              stage_template: { roles: { primary: { artifact: 'agent:a' } } },
            },
          },
        ],
      },
      errors: [],
      warnings: [{ code: 'E_REFERENCE', line: 4 }],
    });
  });

  it('is there with mistakes in it, and without where its YAML cannot be read', () => {
    expect(shown(stages.replace('type: fan_out', 'type: fanout'))).toMatchObject({
      ok: false,
      language: null,
      definition: { stages: [{ type: 'fanout' }] },
      errors: [{ line: 4 }],
    });
    expect(shown('a: [')).toMatchObject({ ok: false, definition: null, errors: [{ code: 'E_YAML' }] });
  });
});
