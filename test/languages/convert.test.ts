import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isJsonObject } from '../../src/kernel/json.ts';
import type { Workflow } from '../../src/workflow/model.ts';
import { writeNative } from '../../src/languages/native/write/write.ts';
import { parseWorkflow } from '../../src/languages/parse.ts';
import { nowhere } from '../support/nowhere.ts';
import { nip, nipContext } from './machine/nip.ts';

const folder = new URL('../../workflows/', import.meta.url);
const readText = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

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

/** What each key of the native language can say that the examples do not. */
const rest = `name: rest
version: "1"
timeout: 1d
triggers:
  nightly: { cron: "0 3 * * *", timezone: Europe/Berlin }
  edited: { files: ["src/**"], debounce: 1s, cooldown: 5m }
  called: { webhook: /ship, secret: KEY }
  polled: { command: [date], every: 1m, on: success }
hooks:
  on_start: { run: [echo, "\${{ run.id }}"] }
  on_complete: { tell: "slack:#\${{ steps.plan.status }}" }
steps:
  plan:
    provider: mine
    model: large
    instructions: Plan it.
    capabilities: [READ]
    max_command_time: 90s
    summary: Shorten \${{ parameters.a }}.
    values: { code: { type: string, pattern: "^a+$" } }
    on_failure: retry
    max_retries: 2
    retry: { base: 1s, never: [busy], missing_outputs: true }
    on_retries_exhausted: skip_dependents
  build:
    worker: CUSTOM
    instructions: echo "\${{ steps.plan.values.code }}" x\${{ parameters.a }}
    capabilities: []
    network: false
    depends_on: [plan]
    max_iterations: 4
    on_iterations_exhausted: continue
    completion_check:
      worker: CUSTOM
      instructions: test \${{ parameters.a }} = b
      capabilities: [READ]
      decision_file: said.json
      budget: { usd: 1 }
    convergence: { enabled: true, stages: [{ stage: 2, append_instructions: Be bold. }], allowed_paths: [src/**] }
    on_failure: skip
  each:
    depends_on: [plan]
    timeout: 1h
    for_each: { items: [x], gives: say, steps: { say: { command: [echo] } } }
  ask:
    depends_on: [build]
    gate:
      message: Publish?
      choices: [approve, changes, reject]
      fields:
        risk: { type: string, enum: [low, high], required: true }
        dry: { type: boolean, default: false }
        areas: { type: array, items: { type: string } }
      timeout: 1h
      on_timeout: reject
  last:
    worker: CODEX_CLI
    instructions: See.
    capabilities: [READ]
    depends_on: [plan, build]
    takes:
      code: { value: "\${{ steps.plan.values.code }}", type: string, required: true, description: What it is. }
      the plan: { value: "\${{ steps.plan.summary }} since \${{ run.started_at }}" }
      the log: { log: build }
    on_failure: retry
    retry: { codes: [1, 124] }
parameters: { a: { type: string, default: b } }
`;

describe('a native workflow', () => {
  const examples = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  // It is written in another language, or needs other files.
  const other = ['orchestrate.yaml', 'stages.yaml', 'nested.yaml', 'until-approved.yaml', 'with-roles.yaml'];

  it.each([
    ...examples.filter((name) => !other.includes(name)).map((name) => [name, readText(name)] as const),
    ['all the rest', rest] as const,
  ])('%s is the same when it is written again', (_name, text) => {
    const workflow = read(text);
    expect(meaning(read(writeNative(workflow)))).toEqual(meaning(workflow));
  });

  it('says of one of nip in comments that there are no events any more', () => {
    const tags = [
      ['step', 'a', '5100', 'output:one', 'budget:7'],
      ['step', 'b', '5100', 'input:$one', 'output:two', 'policy:skip'],
      ['edge', 'a', 'b', '$one.n >= 2'],
    ];
    const text = writeNative(nip(...tags));
    expect(text.split('\n').filter((line) => line.startsWith('#'))).toEqual([
      '# Converted from nip.',
      '# Its runs publish no events, and no request by an event starts one.',
      '# A key in its expressions is found whatever its case, where there is none of that case.',
      '# The results of steps are shown in `context/`.',
    ]);
    const checked = parseWorkflow(text, 'native.yaml', nipContext());
    const [a, b] = checked.ok ? checked.value.body.steps : [];
    expect(a).toMatchObject({ work: { role: 'one', others: ['two', 'three'] }, budget: { msats: 7 } });
    expect(a?.values['one']).toMatchObject({ type: 'any', answer: true });
    expect(b).toMatchObject({
      join: 'any',
      onFailure: 'skip',
      needs: [{ step: 'a', when: { kind: 'logic' } }],
    });
  });

  it('says in comments what has no exact counterpart', () => {
    const on = { success: { goto: '_end' }, failure: { error: 'no ${context.a}' } };
    const steps = [{ name: 'One', command: ['cat', '${{ kept }}'], input_file: '../a.txt', on }];
    const text = writeNative(
      read(JSON.stringify({ version: '1.0', name: 'old', context: { a: 'x' }, steps })),
    );
    expect(text.split('\n').filter((line) => line.startsWith('#'))).toEqual([
      '# Converted from orchestrate.',
      '# Run it with `--workspace workspace`, from the folder above that.',
      '# There are no files in `.orchestrator/runs`: `mailroom show` shows runs.',
      '# Paths must not lead out of the workspace.',
      '# The original has no timeout of the whole run.',
      '# The results of steps are shown in `context/`.',
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
