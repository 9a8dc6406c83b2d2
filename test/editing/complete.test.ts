import { describe, expect, it } from 'vitest';
import { complete } from '../../src/editing/complete.ts';
import type { Completion } from '../../src/editing/cursor.ts';
import type { FileKind } from '../../src/editing/kind.ts';
import { languages } from '../../src/languages/languages.ts';

const around = {
  roles: ['user', 'maker', 'qa'],
  types: ['task', 'done'],
  agents: ['fast'],
  providers: ['claude', 'codex'],
  files: ['./parts/more.yaml'],
};

/** What may stand at the `|` of a text. */
function at(text: string, kind: FileKind = 'workflow'): readonly Completion[] {
  const offset = text.lastIndexOf('|');
  return complete(text.slice(0, offset) + text.slice(offset + 1), offset, kind, around, languages);
}

const labels = (text: string, kind: FileKind = 'workflow') => at(text, kind).map(({ label }) => label);

const native = (step: string, more = '') => `name: ship
version: "1"
timeout: 1h
parameters:
  target: { type: string }
steps:
  build:
    command: [npm, run, build]
    outputs:
      - { name: bundle, path: dist }
    values:
      size: { type: integer }
${step}
  last:
    command: [echo]
${more}`;

describe('completion in a native workflow', () => {
  it('has the keys of a step with their descriptions, without those that are there', () => {
    const found = at(native('  test:\n    de|\n    command: [npm, test]'));
    expect(found).toEqual([
      {
        label: 'description',
        kind: 'key',
        description: 'What the step is for.',
        insert: 'description: ',
        typed: 'de',
      },
      {
        label: 'depends_on',
        kind: 'key',
        description: 'The steps that must be over first, each with a condition or without.',
        insert: 'depends_on: ',
        typed: 'de',
      },
    ]);
    expect(labels(native('  test:\n    command: [npm, test]\n    |'))).not.toContain('command');
    expect(labels(native('  test:\n    command: [npm, test]\n    |'))).toContain('when');
  });

  it('has the steps where a step is named, but not the step itself', () => {
    expect(labels(native('  test:\n    depends_on: [|'))).toEqual(['build', 'last']);
    expect(labels(native('  test:\n    depends_on: [build, l|]'))).toEqual(['last']);
    expect(labels(native('  test:\n    depends_on:\n      - |'))).toEqual(
      expect.arrayContaining(['build', 'last', 'step', 'when']),
    );
    expect(labels(native('  test:\n    inputs:\n      - from: b|'))).toEqual(['build']);
    expect(labels(native('  test:\n    merge: [build, |]'))).toEqual(['last']);
    expect(labels(native('  test:\n    inputs:\n      - { from: build, artifact: | }'))).toEqual(['bundle']);
  });

  it('has words of the schema', () => {
    expect(labels(native('  test:\n    on_failure: |'))).toEqual([
      'retry',
      'continue',
      'skip_dependents',
      'skip',
      'abort',
      'rollback',
    ]);
    expect(labels(native('  test:\n    network: f|'))).toEqual(['false']);
    expect(labels(native('  test:\n    capabilities: [READ, |]'))).toEqual(expect.arrayContaining(['EDIT']));
  });

  it('has roles, agents, providers and files of the project', () => {
    expect(labels(native('  test:\n    role: m|'))).toEqual(['maker']);
    expect(labels(native('  test:\n    agent: |'))).toEqual(['fast']);
    expect(labels(native('  test:\n    provider: c|'))).toEqual(['claude', 'codex']);
    expect(labels(native('  test:\n    workflow: ./|'))).toEqual(['./parts/more.yaml']);
  });

  it('has names and functions in expressions, in scripts and broken texts too', () => {
    expect(labels(native('  test:\n    when: steps.|'))).toEqual(['build', 'test', 'last']);
    expect(labels(native('  test:\n    when: steps.build.|'))).toContain('exit_code');
    expect(labels(native('  test:\n    instructions: "x ${{ steps.build.values.|'))).toEqual(['size']);
    expect(
      labels(native('  test:\n    instructions: |-\n      one ${{ steps.build.artifacts.|\n      two')),
    ).toEqual(['bundle']);
    expect(labels(native('  test:\n    instructions: x ${{ parameters.t| }} y'))).toEqual(['target']);
    expect(labels(native('  test:\n    when: startsW|'))).toEqual(['startsWith']);
    expect(labels(native("  test:\n    when: steps.build.status == 'SU|"))).toEqual([]);
    expect(labels(native('  test:\n    instructions: ${{ run.| }}'))).toEqual(['id', 'root', 'started_at']);
  });

  it('survives any text that is cut off anywhere', () => {
    const whole = native('  test:\n    depends_on: [build]\n    when: "${{ steps.build.exit_code == 0 }}"');
    for (let end = 0; end <= whole.length; end += 1)
      expect(Array.isArray(complete(whole.slice(0, end), end, 'workflow', around, languages))).toEqual(
        end >= 0,
      );
  });
});

describe('completion in the other languages', () => {
  const swdl = (tail: string) => `workflow: { id: w, name: W, version: 1.0.0 }
config: { parameters: { topic: { type: string } } }
stages:
  - id: plan
    roles: { primary: { artifact: agent:writer } }
    outputs: { text: { type: string } }
  - id: write
${tail}`;
  const orchestrate = (tail: string) => `version: "1.0"
name: x
steps:
  - name: Build
    command: [make]
    on: { success: { goto: Test } }
  - name: Test
${tail}`;

  it('knows the stages of swdl and their outputs', () => {
    expect(labels(swdl('    depends_on: [|]'))).toEqual(['plan']);
    expect(labels(swdl('    condition: "${{ stages.plan.outputs.| }}"'))).toEqual(['text']);
    expect(labels(swdl('    condition: ${{ parameters.|'))).toEqual(['topic']);
    expect(labels(swdl('    ty|'))).toEqual(['type']);
    expect(labels(swdl('    type: |'))).toEqual(['agent', 'gate', 'fan_out']);
  });

  it('knows the steps of orchestrate, where it can go to, and its variables', () => {
    expect(labels(orchestrate('    on: { success: { goto: | } }'))).toEqual([
      'Build',
      '_start',
      '_end',
      '_error',
      '_loop_break',
      '_loop_continue',
    ]);
    expect(labels(orchestrate('    command: [echo, "${steps.|'))).toEqual(['Build', 'Test']);
    expect(labels(orchestrate('    when: { step_ok: | }'))).toEqual(['Build']);
  });
});

describe('completion in other files', () => {
  it('has the roles and types of a protocol', () => {
    const protocol = (tail: string) =>
      `roles:\n  maker: { provider: claude }\nmessages:\n  task:\n    from: user\n${tail}`;
    expect(labels(protocol('    to: [|'), 'protocol')).toEqual(['maker', 'user', 'qa']);
    expect(labels(protocol('    reply: |'), 'protocol')).toEqual(['task', 'done']);
    expect(labels(protocol('    on_t|'), 'protocol')).toEqual(['on_timeout']);
    expect(labels(protocol('    on_timeout: |'), 'protocol')).toEqual(['escalate', 'proceed', 'fail']);
    expect(labels(protocol('    thread: |'), 'protocol')).toEqual(['new']);
    expect(at(protocol('    fan|'), 'protocol')).toMatchObject([
      { label: 'fan_out', description: expect.stringMatching(/sub-threads .* default 5/) as string },
    ]);
    expect(labels(protocol('    lands: { by: |'), 'protocol')).toEqual(['merge', 'rebase', 'squash']);
    expect(labels('workspace: { worktree: role, on_conflict: |', 'protocol')).toEqual([
      'resolve',
      'author',
      'user',
    ]);
  });

  it('has the keys of mailroom.yaml and agents.yaml', () => {
    expect(labels('trail: off\nsand|\n', 'settings')).toEqual(['sandbox']);
    expect(labels('agents:\n  fast:\n    prov|\n', 'agents')).toEqual(['provider']);
    expect(labels('agents:\n  fast:\n    provider: co|\n', 'agents')).toEqual(['codex']);
  });

  it('has keys, types and roles in the front matter of a message, and nothing in its text', () => {
    expect(labels('---\ntype: t|\nto: qa\n---\nBody\n', 'message')).toEqual(['task']);
    expect(labels('---\ntype: task\nto: [qa, m|]\n---\n', 'message')).toEqual(['maker']);
    expect(labels('---\ntype: task\nsub|\n---\n', 'message')).toEqual(['subject']);
    expect(labels('---\ntype: task\n---\nto: |\n', 'message')).toEqual([]);
  });
});
