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
};
