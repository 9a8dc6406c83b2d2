import { describe, expect, it } from 'vitest';
import { grammarFor } from '../../src/editing/texts.ts';
import type { FileKind } from '../../src/editing/kind.ts';
import { renameAt } from '../../src/editing/rename.ts';
import { applyPatches } from '../../src/yaml/edit/edit.ts';
import { languages } from '../../src/languages/languages.ts';

/** The text after renaming what is named where `word` is first found; or why it is not. */
function renamed(text: string, word: string, name: string, kind: FileKind = 'workflow'): string {
  const offset = text.indexOf(word);
  const result = renameAt(text, offset, name, grammarFor(kind, text, languages)!);
  return result.ok ? applyPatches(text, result.patches) : `refused: ${result.why}`;
}

const native = `name: ship
version: "1"
timeout: 1h
parameters:
  build: { type: string }
steps:
  build: # build it
    command: [npm, run, build]
    values: { build: { type: integer } }
  "test":
    depends_on: [build, { step: 'build', when: steps.build.exit_code == 0 }]
    instructions: >-
      🎉 \${{ parameters.build }} and \${{ steps.build.values.build }}
      again "\${{ steps['build'].status }}" build
    env: { A: "\\t\${{ default(steps.build.output, 'build') }}" }
  each:
    for_each:
      items: "\${{ steps.build.values.build }}"
      steps:
        inner: { command: [echo, "\${{ item }} \${{ steps.build.status }}"] }
  both: { merge: [test, build] }
  last:
    inputs: [{ from: build, artifact: build }]
    outputs: [{ name: build, path: build }]
`;

/** Everything that names the step, and nothing else that has the same letters. */
const nativeAfter = native
  .replace('  build: # build', '  make: # build')
  .replace('[build, { step', '[make, { step')
  .replace("'build', when: steps.build.", "'make', when: steps.make.")
  .replace('steps.build.values.build }}\n', 'steps.make.values.build }}\n')
  .replace("steps['build']", "steps['make']")
  .replace('default(steps.build.', 'default(steps.make.')
  .replace('items: "${{ steps.build.', 'items: "${{ steps.make.')
  .replace('item }} ${{ steps.build.', 'item }} ${{ steps.make.')
  .replace('[test, build]', '[test, make]')
  .replace('from: build', 'from: make');

describe('renaming', () => {
  it('changes a step of a native workflow and every reference to it, in scripts too', () => {
    expect(renamed(native, 'build: #', 'make')).toBe(nativeAfter);
    expect(renamed(native, "build', when", 'make')).toBe(nativeAfter);
    const windows = (text: string) => `\ufeff${text.replaceAll('\n', '\r\n')}`;
    expect(renamed(windows(native), 'build: #', 'make')).toBe(windows(nativeAfter));
  });

  it('changes a parameter alone', () => {
    const wanted = native
      .replace('  build: { type: string', '  goal: { type: string')
      .replace('parameters.build', 'parameters.goal');
    expect(renamed(native, 'build: { type: string', 'goal')).toBe(wanted);
  });

  it('refuses a name that is taken, is none, or would not be read as one everywhere', () => {
    expect(renamed(native, 'build: #', 'test')).toBe('refused: `test` is a name of this file already');
    expect(renamed(native, 'build: #', 'a b')).toMatch(/^refused: a name has letters/);
    expect(renamed(native, 'build: #', '12')).toMatch(/^refused: `12` would not be read as a name/);
    expect(renamed(native, 'build: #', 'a.b')).toMatch(/^refused: `a.b` would not be read as a name/);
    expect(renamed(native, 'command', 'x')).toMatch(/^refused: there is no name here/);
    expect(renamed(`${native}steps: [`, 'build: #', 'make')).toMatch(/^refused: the text has errors/);
  });

  it('changes steps of the other languages', () => {
    const orchestrate = `version: "1.0"
name: Build
steps:
  - name: Build
    command: [echo, "\${steps.Build.output} $\${steps.Build.output}"]
    on: { success: { goto: Test } }
  - name: Test
    when: { step_ok: Build }
    on: { failure: { goto: Build } }
`;
    expect(renamed(orchestrate, 'Build\n    command', 'Make')).toBe(
      orchestrate
        .replace('- name: Build', '- name: Make')
        .replace('"${steps.Build', '"${steps.Make')
        .replace('step_ok: Build', 'step_ok: Make')
        .replace('goto: Build', 'goto: Make'),
    );
    const swdl = `workflow: { id: plan, name: plan, version: 1.0.0 }
stages:
  - id: plan
    outputs: { plan: { type: string } }
  - id: write
    depends_on: [plan]
    condition: stages.plan.status == 'success'
    inputs: { plan: { type: string, source: "\${{ stages.plan.outputs.plan }}" } }
`;
    expect(renamed(swdl, 'plan\n    outputs', 'think')).toBe(
      swdl
        .replace('- id: plan', '- id: think')
        .replace('[plan]', '[think]')
        .replace('stages.plan.status', 'stages.think.status')
        .replace('stages.plan.outputs', 'stages.think.outputs'),
    );
  });

  it('changes a message type of a protocol', () => {
    const protocol = `messages:
  task: { from: user, to: task, reply: done }
  done: { from: task, to: user }
roles: { task: { expects: [{ any: task }] } }
start: { type: task, to: task }
`;
    expect(renamed(protocol, 'task: { from: user', 'job', 'protocol')).toBe(
      protocol
        .replace('  task: {', '  job: {')
        .replace('any: task', 'any: job')
        .replace('type: task', 'type: job'),
    );
  });
});
