import { expect } from 'vitest';
import { evaluate } from '../../src/expressions/evaluate.ts';
import { machineLanguage } from '../../src/workflow/machine/language.ts';
import { readParameters } from '../../src/workflow/runs/parameters.ts';
import { heldBy, type Rows } from './held.ts';
import { holds, promptOf, said, stage, stepOf, swdl, takenBy, world } from './swdl-plays.ts';

/*
 * What the tables of docs/languages/swdl.md say of each construct. What needs a disk or a process is held by scenarios.
 */

const two = 'scenario/swdl';
const stages = 'scenario/swdl-stages';
const gates = 'scenario/swdl-gates';
const unit = 'languages/swdl';
const handover = 'comes as its dependents are to have it, with its summary and its log';
const retries = 'is tried again as its policy says, and its policy says what becomes of the others';
const changes = 'changes a shared workflow, and hears of its end';

const text = { type: 'string' };
const ofA = (name: string) => `\${{ stages.a.outputs.${name} }}`;

/** `b` behind `a`, which has failed for good under this policy; beside them `c`. */
function afterFailure(on_failure: string) {
  const policy = { on_failure, retry: { max_attempts: 1 } };
  const inputs = { of: { ...text, source: ofA('made') } };
  const a = stage('a', { error_policy: policy, outputs: { made: text } });
  const place = world([a, stage('b', { depends_on: ['a'], inputs }), stage('c')]);
  place.fails('a');
  return place;
}

/** A fan-out over two items, the first of which has failed for good, and what comes after it. */
function failedItem(on_failure: string) {
  const template = { roles: { primary: { artifact: 'agent:x' } }, outputs: { n: { type: 'integer' } } };
  const policy = { on_failure, retry: { max_attempts: 1 } };
  const top = { config: { parameters: { all: { type: 'array', default: ['p', 'q'] } } } };
  const each = { source: '${{ parameters.all }}', stage_template: template };
  const fan = stage('a', { type: 'fan_out', fan_out: each, error_policy: policy });
  const inputs = { all: { type: 'array', source: '${{ stages.a.outputs }}' } };
  const given = { parameters: { all: ['p', 'q'] } };
  const place = world([fan, stage('b', { depends_on: ['a'], inputs })], top, { given });
  place.fails('a/0/a');
  return place;
}

export const references: Rows = {
  '`agent:x`': () => {
    heldBy(unit, '%s%s', 'as mailroom.yaml says of all');
    heldBy(two, 'are not planned or run while an agent is not there, and only warned of otherwise');
  },
  '`skill:x`': () => {
    const skill = { roles: { primary: { artifact: 'agent:x' }, tools: ['skill:s', 'mcp:m'] } };
    const files = {
      '.claude/skills/s/SKILL.md': '---\ndescription: Can s.\n---\nHow.\n',
      '.mcp.json': '{"mcpServers": {"m": {}}}',
    };
    expect(promptOf(skill, {}, files)).toContain('- the skill `s` (`.claude/skills/s/SKILL.md`): Can s.\n');
    expect(said([stage('one', skill)], {}, {})).toContain('`skill:s` is a skill that is not there');
  },
  '`mcp:x`': () => {
    const server = { roles: { primary: { artifact: 'agent:x' }, tools: ['mcp:m'] } };
    expect(promptOf(server)).toContain('the MCP server `m`');
    expect(stepOf(server).work).toMatchObject({ kind: 'agent', mcp: ['m'] });
    heldBy(unit, 'a stage is given the MCP servers that it names, if its program can be given any');
  },
  '`ctx:x`': () => {
    const context = { modules: ['ctx:m'] };
    expect(promptOf({ context }, {}, { 'modules/m.md': 'All\n\nof it.\n' })).toContain(
      '### ctx:m\n\nAll\n\nof it.',
    );
  },
  '`memory`': () => {
    const files = {
      'memory/a.md': '---\ncategory: pattern\nconfidence: 0.8\nscope: current\n---\nTaken.\n',
      'memory/b.md': '---\ncategory: other\n---\nAnother category.\n',
      'memory/c.md': '---\ncategory: pattern\nscope: elsewhere\n---\nAnother scope.\n',
      'memory/d.md': '---\ncategory: pattern\nconfidence: 0.7\n---\nJust so.\n',
    };
    const memory = { categories: ['pattern'], min_confidence: 0.75 };
    expect(promptOf({ context: { memory } }, {}, files)).toMatch(
      /## What is remembered\n\n- \(pattern\) Taken\.$/,
    );
  },
};

export const rows: Rows = {
  '`workflow.id`, `name`, `version`': () => {
    expect(swdl([stage('one')]).name).toBe('w');
    for (const key of ['id', 'name', 'version']) {
      const { [key]: _left, ...workflow } = { id: 'w', name: 'W', version: '1' } as Record<string, string>;
      expect(said([stage('one')], { workflow })).toContain(`\`${key}\` is missing in \`workflow\``);
    }
    expect(said([stage('one')], { workflow: { id: 'Not kebab' } })).toContain(
      '`id` must be a name in kebab-case',
    );
  },
  '`author`, `tags`, `ui`': () => {
    heldBy(unit, 'may be JSON, and what belongs to the composer is left alone');
    const workflow = { id: 'w', name: 'W', version: '1.0.0', author: 'a', tags: ['t'], ui: { x: 1 } };
    expect(swdl([stage('one', { ui: { x: 1 } })], { workflow })).toEqual(swdl([stage('one')]));
  },
  '`config.parameters`': () => {
    const parameters = { n: { type: 'integer', required: true }, b: { type: 'boolean', default: true } };
    const types = swdl([stage('one')], { config: { parameters } }).parameters;
    expect(readParameters(types, [['n', '5']])).toEqual({ n: 5, b: true });
    expect(() => readParameters(types, [['n', 'many']])).toThrow(/`n` must be an integer/);
    expect(() => readParameters(types, [])).toThrow(/`n`/);
    heldBy(two, 'are run one after the other, and the second gets what the first made');
  },
  '`config.timeout`': () => {
    expect(swdl([stage('one')]).timeout).toBe(7_200_000);
    expect(swdl([stage('one')], { config: { timeout: '1m' } }).timeout).toBe(60_000);
    heldBy('scenario/runs', 'is 124 when the time of the run is over');
  },
  '`config.env`': () => {
    const place = world([stage('one')], { config: { env: { A: 'x ${{ run.id }}' } } });
    expect(place.launch('one').env).toEqual({ A: 'x r1' });
    expect(holds("env.E == 'e'")).toBe(true);
  },
  "`context.global_modules`, a stage's modules": () => {
    const files = { 'modules/a.md': 'A.\n', 'modules/b.md': 'B.\n' };
    const prompt = promptOf(
      { context: { modules: ['ctx:b', 'ctx:a'] } },
      { context: { global_modules: ['ctx:a'] } },
      files,
    );
    expect(prompt).toMatch(/## Context\n\n### ctx:a\n\nA\.\n\n### ctx:b\n\nB\.$/);
  },
  '`memory`': () => {
    const memo = (confidence: number, words: number) =>
      `---\nconfidence: ${String(confidence)}\n---\n${'word '.repeat(words).trim()}\n`;
    const files = {
      'memory/a.md': memo(0.7, 1),
      'memory/b.md': memo(0.9, 1_590),
      'memory/c.md': memo(0.8, 20),
      'memory/d.md': memo(0.69, 1),
    };
    const remembered = (stageMemory: object, top: object) => {
      const prompt = promptOf({ context: { memory: stageMemory } }, { context: { memory: top } }, files);
      return [...prompt.matchAll(/^- (.*)$/gm)].map(([, line = '']) => line.split(' ').length);
    };
    expect(remembered({}, {})).toEqual([1_590, 1]);
    expect(remembered({ min_confidence: 0.8 }, { max_tokens: 30, min_confidence: 0.1 })).toEqual([20]);
    expect(promptOf({}, {}, files)).not.toContain('remembered');
  },
  '`depends_on`': () => {
    const place = world([
      stage('a'),
      stage('b'),
      stage('c', { depends_on: ['a'] }),
      stage('d', { depends_on: ['a', 'b'] }),
    ]);
    expect(place.running).toEqual(['a', 'b']);
    place.done('a');
    expect(place.running).toEqual(['b', 'c']);
  },
  '`condition`': () => {
    const inputs = { of: { ...text, source: ofA('made') } };
    const a = stage('a', { condition: '${{ false }}', outputs: { made: text } });
    const place = world([a, stage('b', { depends_on: ['a'], inputs })]);
    expect([place.status('a'), takenBy(place, 'b')]).toEqual(['SKIPPED', {}]);
    const gate = stage('g', { type: 'gate', gate: { kind: 'manual_approval' }, condition: '${{ false }}' });
    expect(world([gate, stage('b', { depends_on: ['g'] })]).statuses).toBe('g SKIPPED, b SKIPPED');
    const judges = stage('b', { depends_on: ['g'], condition: "${{ stages.g.status == 'skipped' }}" });
    expect(world([gate, judges]).running).toEqual(['b']);
  },
  '`roles.primary`': () => {
    const role = { primary: { artifact: 'agent:x', instructions: 'Do it.' } };
    expect(promptOf({ roles: role })).toBe('You are x.\n\nDo it.');
  },
  '`inputs`': () => {
    heldBy(two, 'are run one after the other, and the second gets what the first made');
    heldBy(stages, 'halts the run where nothing else is said, and a wrong type of an input is its failure');
    const b = (required: boolean) =>
      stage('b', { depends_on: ['a'], inputs: { of: { ...text, source: ofA('made'), required } } });
    const after = (required: boolean) => {
      const place = world([stage('a', { outputs: { made: text } }), b(required)]);
      place.done('a');
      return place.status('b');
    };
    expect([after(false), after(true)]).toEqual(['RUNNING', 'FAILED']);
  },
  '`outputs`': () => {
    expect(stepOf({ outputs: { n: { type: 'integer', required: true } } }).values).toMatchObject({
      n: { type: 'integer', required: true },
    });
    heldBy(stages, retries);
  },
  'a missing required output': () => heldBy(stages, retries),
  types: () => {
    heldBy(unit, '%s');
    const wrong = stage('b', { depends_on: ['a'], inputs: { n: { type: 'integer', source: ofA('made') } } });
    expect(said([stage('a', { outputs: { made: text } }), wrong])).toBe(
      'warning: `n` is an integer, and this is a string ()',
    );
  },
  '`error_policy`': () =>
    heldBy(
      unit,
      'of a workflow and of a stage is what the language says',
      'is taken from the workflow, field by field',
    ),
  '`non_retryable_errors`': () => {
    heldBy(stages, retries);
    heldBy('workflow/machine/failure-names', 'a failure is called %s: %s, %s');
  },
  '`on_failure`': () => {
    const halted = afterFailure('halt');
    expect([halted.statuses, halted.state.status]).toEqual(['a FAILED, b SKIPPED, c CANCELLED', 'FAILED']);
    const on = afterFailure('continue');
    expect([on.running, takenBy(on, 'b')]).toEqual([['c', 'b'], {}]);
    const skipping = afterFailure('skip_dependents');
    expect(skipping.statuses).toBe('a FAILED, b SKIPPED, c RUNNING');
    skipping.done('c');
    expect(skipping.state.status).toBe('FAILED');
  },
  '`on_stage_failure: rollback`': () =>
    heldBy(stages, 'leaves the files as they were, keeps what was undone, and cannot continue'),
  'a rate limit': () => {
    const limited = (never: readonly string[]) => {
      const place = world([
        stage('a', { error_policy: { retry: { max_attempts: 1, non_retryable_errors: never } } }),
      ]);
      place.fails('a', { class: 'RETRYABLE_RATE_LIMIT', until: place.now + 3_600_000 });
      place.pass(3_600_000);
      return place.statuses;
    };
    expect([limited([]), limited(['rate_limit_exhausted'])]).toEqual(['a RUNNING', 'a FAILED']);
  },
  '`handoff.format`': () => {
    heldBy(stages, handover);
    heldBy('languages/swdl-given', 'is not what it reads already');
  },
  '`handoff.summary_prompt`': () =>
    heldBy(stages, handover, 'needs no summary to be complete: without one there is a warning'),
  '`handoff.include_run_log`': () => heldBy(stages, handover),
  '`type: gate`': () => {
    heldBy(two, 'ship a feature: in parallel, with a condition that is false and a gate that a person opens');
    heldBy(unit, 'of a gate has no other timeout than its own');
  },
  '`gate.on_timeout`': () => {
    heldBy(gates, 'that nobody answers: %s', 'that is rejected closes what comes after it, and nothing else');
    const gate = { kind: 'manual_approval', timeout: '1m', on_timeout: 'reject' };
    const place = world([stage('g', { type: 'gate', gate }), stage('a', { depends_on: ['g'] }), stage('b')]);
    place.pass(60_000);
    expect(place.statuses).toBe('g FAILED, a SKIPPED, b RUNNING');
  },
  'outputs of a gate': () =>
    heldBy(
      gates,
      'that no one answered says permanently that no person approved it',
      'passes on who approved it and what it was handed; a recorded answer is asked for no more',
    ),
  '`gate.choices`, `gate.fields`': () => {
    const fields = { risk: { ...text, enum: ['low', 'high'], required: true } };
    const gate = { kind: 'manual_approval', choices: ['approve', 'changes', 'reject'], fields };
    const inputs = { of: { ...text, source: '${{ stages.g.outputs.fields.risk }}' } };
    const place = world([stage('g', { type: 'gate', gate }), stage('b', { depends_on: ['g'], inputs })]);
    place.judge('g', 'changes', place.now, { fields: { risk: 'high' } });
    expect(takenBy(place, 'b')).toMatchObject({ of: 'high' });
  },
  '`type: fan_out`': () => {
    heldBy(stages, 'runs its template for each item, and its outputs are a list in the order of the items');
    expect(failedItem('halt').running).toEqual([]);
    for (const policy of ['continue', 'skip_dependents']) {
      const place = failedItem(policy);
      expect(place.running).toEqual(['a/1/a']);
      place.done('a/1/a', { values: { n: 1 } });
      expect(place.statuses).toBe(policy === 'continue' ? 'a FAILED, b RUNNING' : 'a FAILED, b SKIPPED');
      if (policy === 'continue') expect(takenBy(place, 'b')).toEqual({});
    }
  },
  expressions: () => {
    const held = [
      "parameters.p == 'x'",
      'stages.a.outputs.n == 5',
      "stages.a.status == 'success'",
      'context.c == 1',
      "env.E == 'e'",
      "run.id == 'r1'",
      'length(run.started_at) > 9',
      "workflow.id == 'w'",
      'length(stages.a.outputs.list) == 1',
      'parameters.p == "x"',
      'run.execution_id == "r1"',
      'workflow.current_stage == "b"',
      "contains(stages.a.outputs.text, 'b')",
      'fromJSON(toJSON(stages.a.outputs.list))[0] == 7',
      'fromJSON(\'{"a":1}\').a == 1',
    ];
    expect(held.filter((condition) => !holds(condition))).toEqual([]);
    expect(
      ['true && !false', 'false || true', 'false ? false : true', '1 != 2'].filter((each) => !holds(each)),
    ).toEqual([]);
    expect(said([stage('a', { condition: "${{ startsWith('a', 'b') }}" })])).toContain('startsWith');
  },
  '`stages.X`': () => {
    const reads = stage('c', { depends_on: ['b'], inputs: { of: { ...text, source: ofA('made') } } });
    const others = [stage('a', { outputs: { made: text } }), stage('b', { depends_on: ['a'] })];
    expect(said([...others, reads])).toBe('');
    expect(said([others[0]!, stage('b'), reads])).toBe('');
    expect(said([others[0]!, { ...reads, depends_on: [] }])).toContain('`a` does not come before `c`');
  },
  '`stages.X.status`': () => {
    heldBy(unit, 'a stage that is %s with %s is %s in expressions');
    const asks = stage('b', { depends_on: ['a'], condition: "${{ stages.a.status == 'done' }}" });
    expect(said([stage('a'), asks])).toContain("`stages.a.status` is never 'done'");
  },
  '`context.…`': () => {
    expect(holds('context.c == 1')).toBe(true);
    const [structure] = swdl([stage('a')]).context['repo_structure']!;
    const value =
      structure?.kind === 'expression' ? evaluate(structure.tree, {}, machineLanguage, 'value') : null;
    expect(value).toMatchObject({ value: { total: 5_001, files: { length: 5_000 } } });
  },
  '`hooks.*.run`': () => heldBy(stages, changes),
  '`hooks.*.notify`': () => heldBy(stages, changes),
  overrides: () =>
    heldBy(
      unit,
      'change leaves, replace lists, and the later file wins',
      'that are wrong are told of where they stand: %j',
    ),
  '`parallel_group`, stage `secrets`': () => {
    const problems = said([stage('a', { parallel_group: 'x', secrets: ['A'] })]);
    expect(problems).toContain('run at the same time');
    expect(problems).toContain('a native workflow has `secrets`');
  },
  'the record of a run': () => {
    heldBy(two, 'are run one after the other, and the second gets what the first made');
    heldBy(
      'workflow/host/run-projector',
      'shows the statuses at the start, at the end, when a person is asked, and else once a second',
    );
  },
};
