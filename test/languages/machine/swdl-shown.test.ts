import picocolors from 'picocolors';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { shownPlan } from '../../../src/cli/plan-text.ts';
import { runDocument } from '../../../src/languages/swdl/run-record.ts';
import { mermaidOf } from '../../../src/graph/mermaid.ts';
import { diagramOf } from '../../../src/graph/diagram.ts';
import { describeRunEvent } from '../../../src/workflow/runs/changes.ts';
import { planDocument } from '../../../src/workflow/runs/plan.ts';
import { found, stage, swdl } from '../../docs/swdl-plays.ts';
import { result, World } from '../../workflow/machine/world.ts';

/*
 * What people see of a workflow of the swdl language: its plan, and the record of its run.
 */

const by = (agent: string, model: string, more: object = {}) => ({
  roles: { primary: { artifact: `agent:${agent}`, model }, ...more },
});
const text = { type: 'string' };

const stages = [
  stage('plan', {
    name: 'Architecture',
    ...by('x', 'opus'),
    outputs: { spec: text, risky: { type: 'boolean' } },
  }),
  stage('front', {
    name: 'Frontend',
    depends_on: ['plan'],
    ...by('x', 'opus', { tools: ['skill:git', 'mcp:hub'] }),
    inputs: { spec: { ...text, source: '${{ stages.plan.outputs.spec }}' } },
    error_policy: { timeout: '1h' },
  }),
  stage('back', { depends_on: ['plan'], ...by('x', 'sonnet'), context: { modules: ['ctx:more'] } }),
  stage('review', {
    depends_on: ['front', 'back'],
    condition: '${{ stages.plan.outputs.risky == true }}',
    ...by('x', 'opus'),
  }),
  stage('approval', {
    name: 'Approval',
    depends_on: ['review'],
    type: 'gate',
    gate: { kind: 'manual_approval', approvers: ['ada', 'bob'], timeout: '24h' },
  }),
];
const top = {
  workflow: { id: 'ship', name: 'Ship', version: '1.2.0' },
  config: { parameters: { feature: text, count: { type: 'integer', default: 3 } } },
  context: { global_modules: ['ctx:rules'], memory: { max_tokens: 500 } },
};
const files = {
  'modules/rules.md': 'Rules.\n',
  'modules/more.md': 'More.\n',
  '.claude/skills/git/SKILL.md': 'Git.\n',
  'memory/known.md': '---\ncategory: pattern\nconfidence: 0.9\n---\nKnown.\n',
  'memory/long.md': `---\nconfidence: 0.8\n---\n${'long '.repeat(600)}end\n`,
  'memory/vague.md': '---\nconfidence: 0.5\n---\nVague.\n',
  '.mcp.json': '{"mcpServers": {"hub": {}}}',
};

it('the plan has batches, who does what with what, and what it comes to', () => {
  const definition = swdl(stages, top, files);
  const free = { usd: null, tokens: null };
  const estimate = () => ({ ...free, price: { input: 3, output: 15 } });
  const document = planDocument(
    definition,
    { estimate, budget: free, slots: 4, parameters: {} },
    found(stages, top, files),
  );
  const lines = shownPlan(
    document,
    `${document.title ?? ''} v${definition.version}`,
    { feature: 'auth', count: 3 },
    picocolors.createColors(false),
  );
  const [plan = '', rest = ''] = lines.join('\n').split('Estimated token cost: ');
  expect(plan).toBe(`Workflow: Ship v1.2.0
Parameters: feature=auth, count=3

Execution Plan:
  Batch 1 (sequential):
    [plan] Architecture
      Agent: agent:x (opus)
      Played by: claude, READ, EDIT, RUN_TESTS
      Context: ctx:rules + 500 tokens memory
      Timeout: 30m
      Memories: memory/known.md (~4 tokens)
      No room for: memory/long.md (~751 tokens)

  Batch 2 (parallel after Batch 1):
    [front] Frontend
      Agent: agent:x (opus)
      Played by: claude, READ, EDIT, RUN_TESTS
      Inputs: plan.spec
      Tools: skill:git, mcp:hub
      Context: ctx:rules + 500 tokens memory
      Timeout: 1h
      Memories: memory/known.md (~4 tokens)
      No room for: memory/long.md (~751 tokens)

    [back]
      Agent: agent:x (sonnet)
      Played by: claude, READ, EDIT, RUN_TESTS
      Context: ctx:rules, ctx:more + 500 tokens memory
      Timeout: 30m
      Memories: memory/known.md (~4 tokens)
      No room for: memory/long.md (~751 tokens)

  Batch 3 (conditional):
    [review]
      Condition: stages.plan.outputs.risky == true
      Agent: agent:x (opus)
      Played by: claude, READ, EDIT, RUN_TESTS
      Context: ctx:rules + 500 tokens memory
      Timeout: 30m
      Memories: memory/known.md (~4 tokens)
      No room for: memory/long.md (~751 tokens)

  Batch 4 (gate):
    [approval] Approval
      Type: manual_approval
      Approvers: ada, bob
      Timeout: 1d

Estimated total time: 2h (excluding approval gates)
`);
  // Four launches of 10,000 tokens, 500 for each of 6 values handed over, and prompts of some words; a tenth of it is written.
  expect(rest).toMatch(/^~4[34]K tokens \(~\$0\.18\)\n/);
  expect(rest).toContain(`
At most
  launches of agents    8
  scripts and commands  0
  time                  2h
  tokens                unbounded or unknown
  dollars               unpriced
  plan: no dollar limit: it has no budget
`);
});

it('the record has the run and each stage as far as it has come', () => {
  const parameters = { feature: 'auth', count: 3 };
  const world = new World(swdl(stages, top, files), { given: { parameters } });
  world.pass(5_000);
  const session = { id: 'agent-run-1', usd: 0, tokens: 0 };
  const ended = { ...result({ is: 'done' }, { values: { spec: 'It', risky: false } }), session };
  world.happens({
    type: 'ended',
    key: world.key('plan'),
    result: ended,
  });
  expect(parse(runDocument(world.state, world.rules))).toEqual({
    run: {
      id: 'r1',
      workflow_id: 'ship',
      workflow_version: '1.2.0',
      status: 'running',
      started_at: '2026-01-01T12:00:00.000Z',
      completed_at: null,
      parameters,
      stages: {
        plan: {
          status: 'success',
          started_at: '2026-01-01T12:00:00.000Z',
          completed_at: '2026-01-01T12:00:05.000Z',
          attempt: 1,
          outputs: { spec: 'It', risky: false },
          agent_run_id: 'agent-run-1',
        },
        front: { status: 'running', started_at: '2026-01-01T12:00:05.000Z', completed_at: null, attempt: 1 },
        back: { status: 'running', started_at: '2026-01-01T12:00:05.000Z', completed_at: null, attempt: 1 },
        review: { status: 'pending' },
        approval: { status: 'pending' },
      },
    },
  });
});

it.each([
  ['what is absent', 'stages.plan.outputs.parts', '`stages.plan.outputs.parts` has no value'],
  [
    'what is not a list',
    'fromJSON(stages.plan.outputs.json)',
    'what it runs for must be a list, not an object',
  ],
])('a reason names %s in the words of the language', (_, source, reason) => {
  const outputs = { parts: { type: 'array' }, json: { ...text, required: true } };
  const fanOut = { source: `\${{ ${source} }}`, stage_template: by('x', 'opus') };
  const each = { id: 'each', depends_on: ['plan'], type: 'fan_out', fan_out: fanOut };
  const world = new World(swdl([stage('plan', { ...by('x', 'opus'), outputs }), each], {}, files));
  world.done('plan', { values: { json: '{}' } });
  const record = parse(runDocument(world.state, world.rules)) as { run: { stages: Record<string, unknown> } };
  expect(record.run.stages['each']).toMatchObject({ status: 'failed', reason });
});

it('the record has each item of a fan-out', () => {
  const template = { ...by('x', 'opus'), outputs: { n: { type: 'integer' } } };
  const fanOut = { source: '${{ parameters.all }}', stage_template: template };
  const policy = { on_failure: 'continue', retry: { max_attempts: 1 } };
  const each = { id: 'each', type: 'fan_out', fan_out: fanOut, error_policy: policy };
  const all = { type: 'array', default: ['p', 'q', 'r'] };
  const workflow = swdl([each], { config: { parameters: { all } } }, files);
  const world = new World(workflow, { given: { parameters: { all: ['p', 'q', 'r'] } } });
  world.done('each/0/each', { values: { n: 1 } });
  world.fails('each/1/each');
  const record = parse(runDocument(world.state, world.rules)) as { run: { stages: Record<string, unknown> } };
  expect(record.run.stages['each']).toMatchObject({
    status: 'running',
    items: [
      { item: 'p', status: 'success', attempt: 1, outputs: { n: 1 } },
      { item: 'q', status: 'failed', attempt: 1, reason: expect.any(String) as string },
      { item: 'r', status: 'running', attempt: 1 },
    ],
  });
});

it('a summary is called one, and draws no way back', () => {
  const definition = swdl([stage('plan', { handoff: { summary_prompt: 'In short?' } })]);
  expect(mermaidOf(diagramOf(definition))).toBe('flowchart TD\n  n0["plan<br/>claude, opus"]\n');
  const place = new World(swdl([stage('plan', { handoff: { summary_prompt: 'In short?' } }), stage('b')]));
  place.fails('b', { class: 'RETRYABLE_RATE_LIMIT', until: place.now + 30_000 });
  place.done('plan');
  place.pass(30_000);
  const told = place.history.flatMap(
    (event) => describeRunEvent(event, place.state, place.rules)?.text ?? [],
  );
  expect(told).toEqual([
    'plan',
    'b, attempt 2',
    'b waits: claude is rate limited in 30s',
    'the summary of plan waits: claude is rate limited in 30s',
    'plan: summarizing',
    'b, attempt 2',
  ]);
});
