import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isJsonObject } from '../../../src/core/json.ts';
import type { Workflow } from '../../../src/core/workflow/model.ts';
import { writeNative } from '../../../src/spec/workflow/native/write/write.ts';
import { parseWorkflow } from '../../../src/spec/workflow/index.ts';
import { nowhere } from '../../../src/spec/workflow/surroundings.ts';

const folder = new URL('../../../workflows/', import.meta.url);

function read(text: string): Workflow {
  const checked = parseWorkflow(text, 'sample.yaml', nowhere);
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems.map(({ message }) => message)));
  return checked.value;
}

/** A definition without the places in the text that its expressions came from. */
function meaning(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(meaning);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => !['span', 'nameSpan'].includes(key));
  return Object.fromEntries(entries.map(([key, inner]) => [key, meaning(inner)]));
}

/** What can be written whole: no sub-workflows in other files, checks, scripts with variables, triggers or hooks. */
const whole = ['decide.yaml', 'hand-over.yaml', 'ask-first.yaml', 'secrets.yaml'];

describe('a native workflow', () => {
  it.each(readdirSync(folder).filter((name) => whole.includes(name)))(
    '%s is the same when it is written again',
    (name) => {
      const workflow = read(readFileSync(new URL(name, folder), 'utf8'));
      expect(meaning(read(writeNative(workflow)))).toEqual(meaning(workflow));
    },
  );

  it('says in comments what has no exact counterpart', () => {
    const on = { success: { goto: '_end' }, failure: { error: 'no ${context.a}' } };
    const steps = [{ name: 'One', command: ['cat', '${{ kept }}'], input_file: '../a.txt', on }];
    const text = writeNative(
      read(JSON.stringify({ version: '1.0', name: 'old', context: { a: 'x' }, steps })),
    );
    expect(text.split('\n').filter((line) => line.startsWith('#'))).toEqual([
      '# Converted from orchestrate.',
      '# Run it with `--workspace workspace`, from the folder above that.',
      '# Nothing is shown in `.orchestrator/runs`: `mailroom show` tells of runs.',
      '# Paths may not lead out of the workspace.',
      '# The original has no timeout of the whole run.',
      '# Step `One`: `../a.txt` leads out of the workspace, which a native workflow refuses.',
    ]);
    const converted = read(text.replaceAll('../a.txt', 'a.txt'));
    const [one] = converted.body.steps;
    expect(one?.work).toMatchObject({
      argv: [[{ text: 'cat' }], [{ kind: 'expression' }, { text: ' kept }}' }]],
    });
    expect(one?.next?.failure).toMatchObject({ to: 'fail' });
  });
});
