import { expect } from 'vitest';
import { heldBy, type Rows } from './held.ts';
import { promptOf, said, stage, stepOf, swdl, takenBy, world } from './swdl-plays.ts';

/*
 * What docs/languages/swdl.md says of where Mailroom differs from the specification of the language.
 */

const text = { type: 'string' };
const two = 'scenario/swdl';

export const differences: Rows = {
  'batches run one after the other': () => {
    const place = world([stage('a'), stage('b'), stage('c', { depends_on: ['a'] })]);
    place.done('a');
    expect(place.running).toEqual(['b', 'c']);
  },
  'a plan verifies that MCP servers exist': () => {
    const roles = { primary: { artifact: 'agent:x' }, tools: ['mcp:nowhere'] };
    expect(said([stage('a', { roles })])).toBe('');
    heldBy(
      'scenario/agent-configuration',
      'fails a step that names a server which the settings of its CLI do not have',
    );
  },
  'a plan calls its first batch parallel': () =>
    heldBy(
      'languages/machine/swdl-shown',
      'the plan has batches, who does what with what, and what it comes to',
    ),
  'a reference needs a direct dependency': () => {
    const inputs = { of: { ...text, source: '${{ stages.a.outputs.made }}' } };
    const a = stage('a', { outputs: { made: text } });
    expect(said([a, stage('b', { depends_on: ['a'] }), stage('c', { depends_on: ['b'], inputs })])).toBe('');
    const place = world([a, stage('b'), stage('c', { depends_on: ['b'], inputs })]);
    place.done('b');
    expect(place.running).toEqual(['a']);
    place.done('a', { values: { made: 'm' } });
    expect([place.running, takenBy(place, 'c')]).toEqual([['c'], { of: 'm', 'handed over by b': '' }]);
  },
  '`default` of an output': () => {
    const outputs = { approved: { type: 'boolean', default: true } };
    const inputs = { approved: { type: 'boolean', source: '${{ stages.a.outputs.approved }}' } };
    const b = stage('b', { depends_on: ['a'], inputs });
    const skipped = world([stage('a', { outputs, condition: '${{ false }}' }), b]);
    expect(takenBy(skipped, 'b')).toEqual({});
    heldBy(
      'workflow/machine/outcome',
      'come from the file, with defaults, and leave out what no one declared',
    );
  },
  '`on_failure: continue`': () => {
    const place = world([
      stage('a', { error_policy: { on_failure: 'continue', retry: { max_attempts: 1 } } }),
    ]);
    place.fails('a');
    expect([place.statuses, place.state.status]).toEqual(['a FAILED', 'SUCCEEDED']);
  },
  'variables of a stage (`env`)': () => {
    expect(said([stage('a', { env: { X: '1' } })])).toContain(
      'variables of all stages stand under `config.env`',
    );
  },
  'a budget of a stage': () => {
    expect(said([stage('a', { budget: { usd: 1 } })])).toContain(
      '`budget` is not a key of a stage (`run --budget` bounds the run; a native workflow has `budget` for a step)',
    );
  },
  'model `opus` where none is named': () => {
    expect(stepOf({}).work).toMatchObject({ provider: 'claude', model: 'opus' });
    const files = { 'agents/x/role.md': '---\nprovider: codex\n---\nYou are x.\n' };
    expect(stepOf({}, {}, files).work).toMatchObject({ provider: 'codex', model: null });
  },
  '`toJSON`': () => {
    const instructions = '${{ toJSON(parameters.l) }} ${{ parameters.l }}';
    const primary = { artifact: 'agent:x', instructions };
    const parameters = { l: { type: 'array', default: [1, 2] } };
    const place = world(
      [stage('a', { roles: { primary } })],
      { config: { parameters } },
      { given: { parameters: { l: [1, 2] } } },
    );
    const { work } = place.launch('a');
    expect(work.kind === 'agent' && work.instructions).toContain('[\n  1,\n  2\n] [1,2]');
  },
  'names of the steps of a fan-out': () => {
    const template = { roles: { primary: { artifact: 'agent:x' } } };
    const search = stage('search', {
      type: 'fan_out',
      fan_out: { source: ['a', 'b'], stage_template: template },
    });
    expect(world([search]).running).toEqual(['search/0/search', 'search/1/search']);
  },
  '`context` keys': () =>
    heldBy('languages/swdl-given', 'is refused for a value of `context` that a stage surely needs'),
  'the collection and its manifest entry': () =>
    heldBy('scenario/swdl-files', 'although another file has that name'),
  'run records in SQLite': () =>
    heldBy(two, 'are run one after the other, and the second gets what the first made'),
  '`skillmeat workflow …`': () => heldBy('cli/docs', 'lists every command as the help does, and no other'),
  'endpoints and the composer': () => {
    const ui = { position: [1, 2], color: 'red', any: { thing: 1 } };
    expect(swdl([stage('a', { ui })])).toEqual(swdl([stage('a')]));
    expect(promptOf({ ui })).toBe(promptOf({}));
  },
  'inputs and outputs are required by default': () => {
    const inputs = { of: { ...text, source: '${{ stages.a.outputs.made }}' } };
    const place = world([stage('a', { outputs: { made: text } }), stage('b', { depends_on: ['a'], inputs })]);
    place.done('a');
    expect([place.running, takenBy(place, 'b')]).toEqual([['b'], {}]);
  },
  '`error_policy` of a gate': () => {
    const gate = { kind: 'manual_approval' };
    const policy = (own: object, more: object) =>
      swdl([stage('g', { type: 'gate', gate: { ...gate, ...more }, error_policy: own })]).body.steps[0]!.work;
    expect(policy({ timeout: '1h' }, {})).toMatchObject({ timeout: 3_600_000 });
    expect(policy({ timeout: '1h' }, { timeout: '2h' })).toMatchObject({ timeout: 7_200_000 });
    const told = said([
      stage('g', { type: 'gate', gate, error_policy: { timeout: '1h', on_failure: 'halt' } }),
    ]);
    expect(told).toBe(
      'warning: `on_failure` does nothing in a stage of the type gate (`gate.timeout` says how long it waits, `gate.on_timeout` what happens then)',
    );
  },
  'a gate waits 24h by default': () => {
    const { work } = swdl([stage('g', { type: 'gate', gate: { kind: 'manual_approval' } })]).body.steps[0]!;
    expect(work).toMatchObject({ timeout: null });
  },
  '`version` and the `kind` of a gate have defaults': () => {
    expect(said([stage('g', { type: 'gate', gate: {} })])).toContain('`kind` is missing');
    expect(said([stage('a')], { workflow: { id: 'w', name: 'W' } })).toContain('`version` is missing');
  },
  'a hook has any keys: `slack`, `pagerduty`': () => {
    expect(said([stage('a')], { hooks: { on_start: { slack: {} } } })).toContain(
      '`slack` is not a key of a hook (the keys are notify, run)',
    );
  },
  'a skill as `roles.primary.artifact`': () => {
    const skilled = stage('a', { roles: { primary: { artifact: 'skill:x' } } });
    expect(said([skilled])).toContain('`artifact` must be a reference: agent:<name>');
  },
  'an override file without `overrides:`': () => {
    const files = { '.skillmeat-workflow-overrides.yaml': 'w: { config: { timeout: 4h } }\n' };
    expect(said([stage('a')], {}, files)).toContain(
      '`w` is not a key of an overrides file (it stands under `overrides`)',
    );
  },
  'a status `completed`': () => {
    const asks = stage('b', { depends_on: ['a'], condition: "${{ stages.a.status == 'completed' }}" });
    expect(said([stage('a'), asks])).toContain("`stages.a.status` is never 'completed'");
  },
};
