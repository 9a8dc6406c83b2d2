import { describe, expect, it } from 'vitest';
import { RunFiles } from '../../../src/workflow/files/run-files.ts';
import { unmasked, type Mask } from '../../../src/kernel/mask.ts';
import type { Workflow } from '../../../src/workflow/model.ts';
import { cleanUp } from '../../disk/disk-fixtures.ts';
import { runFixtures } from './run-fixtures.ts';
import type { RunFixture } from './run-fixtures.ts';
import { child, input, launch, loop, output, step, workflow } from './samples.ts';
import { openRoot } from '../../../src/disk/roots.ts';

cleanUp();

const sample = workflow(
  step('make', ['plan', 'code']),
  step('use'),
  loop('each', step('lint', ['report'])),
  child('deploy', step('ship', ['log'])),
);

function filesOf(fixture: RunFixture, definition: Workflow = sample, mask = unmasked): RunFiles {
  const run = { run: 'run-1', definition, workspace: `${fixture.root}/project` };
  return new RunFiles({ project: fixture.project, run, open: fixture.open, mask });
}

const hush = (text: string) => text.replaceAll('hush', '***');
const hushed: Mask = { text: hush, name: hush };

const made = { outputs: [output('plan', 'out/plan.md'), output('code', './src/')] };

describe.each(runFixtures)('RunFiles: $name', ({ make }) => {
  it('gives a process its folder, and its workspace', () => {
    const fixture = make();
    const project = `${fixture.root}/project`;
    const folder = `${project}/.mailroom/runs/run-1/steps/each/0/lint/1.1`;
    expect(filesOf(fixture).prepare(launch('each/0/lint'))).toEqual({
      workspace: project,
      folder,
      valuesFile: `${folder}/values.json`,
      decisionFile: null,
      stdin: null,
      inputs: [],
      stdout: `${folder}/stdout`,
      stderr: `${folder}/stderr`,
    });
    expect(fixture.tree('project/.mailroom/runs/run-1/steps')).toContain('each/0/lint/1.1/');
  });

  it('keeps a file under its own name and a folder by its content', () => {
    const fixture = make();
    fixture.plant('project/out/plan.md', 'the plan');
    fixture.plant('project/src/a.ts', 'a');
    fixture.plant('project/src/lib/run.sh', 'b', 'file', true);
    fixture.plant('project/src/empty', '', 'folder');
    const collected = filesOf(fixture).collect(launch('make', made), true);
    expect(collected).toEqual({
      artifacts: [
        { name: 'plan', path: 'plan/plan.md', type: 'code' },
        { name: 'code', path: 'code/', type: 'code' },
      ],
      missing: [],
      values: null,
      decision: null,
      warnings: [],
    });
    expect(fixture.tree('project/context')).toEqual([
      'make/',
      'make/code/',
      'make/code/a.ts',
      'make/code/empty/',
      'make/code/lib/',
      'make/code/lib/run.sh',
      'make/plan/',
      'make/plan/plan.md',
    ]);
    expect(fixture.text('project/context/make/plan/plan.md')).toBe('the plan');
    expect(fixture.project.look('context/make/code/lib/run.sh')?.executable).toBe(true);
    expect(fixture.project.look('context/make/code/a.ts')?.executable).toBe(false);
  });

  it('copies no output with more files than its limit, at any depth', () => {
    const fixture = make();
    fixture.plant('project/out/plan.md', 'x');
    if (fixture.memory === null) return;
    for (let number = 0; number < 20_000; number += 1)
      fixture.plant(`project/src/${number % 10}/${number}`, '');
    expect(() => filesOf(fixture).collect(launch('make', made), true)).toThrowError(
      expect.objectContaining({
        code: 'E_FILE',
        message: 'src has more than 20000 files, the most that is copied',
      }),
    );
  });

  it('tells what is missing, and keeps nothing unless asked to', () => {
    const fixture = make();
    fixture.plant('project/src/a.ts', 'a');
    fixture.plant('project/out/plan.md', '', 'fifo');
    const collected = filesOf(fixture).collect(launch('make', made), false);
    expect(collected.missing).toEqual([{ ...made.outputs[0], found: 'a fifo (named pipe)' }]);
    expect(collected.artifacts.map(({ name }) => name)).toEqual(['code']);
    expect(fixture.tree('project/context')).toEqual([]);
  });

  it('misses what cannot be there because a file is in the way', () => {
    const fixture = make();
    fixture.plant('project/out', 'a file');
    fixture.plant('project/src', '', 'fifo');
    const files = filesOf(fixture);
    files.prepare(launch('make', made));
    const [plan, code] = made.outputs;
    const missing = [plan, { ...code, found: 'a fifo (named pipe)' }];
    expect(files.collect(launch('make', made), true).missing).toEqual(missing);
    expect(() => files.handOver(launch('make', made), made.outputs[0]!, 'text')).toThrowError(
      expect.objectContaining({ code: 'E_FILE' }),
    );
  });

  it('replaces an artifact by the new one, whole', () => {
    const fixture = make();
    fixture.plant('project/src/a.ts', 'a');
    const files = filesOf(fixture);
    files.collect(launch('make', made), true);
    fixture.project.remove('src');
    fixture.plant('project/src/b.ts', 'b');
    files.collect(launch('make', made), true);
    expect(fixture.tree('project/context/make')).toEqual(['code/', 'code/b.ts']);
  });

  it('lays copies of inputs beside what is there', () => {
    const fixture = make();
    const files = filesOf(fixture);
    fixture.plant('project/src/lib/run.sh', 'run', 'file', true);
    fixture.plant('project/out/plan.md', 'new');
    files.collect(launch('make', made), true);
    fixture.plant('project/in/plan.md', 'old');
    fixture.plant('project/in/kept.md', 'kept');
    const inputs = [input('make', 'plan', 'in/'), input('make', 'code'), input('each/0/lint', 'report')];
    const prepared = files.prepare(launch('use', { inputs }));
    expect(prepared.inputs).toEqual([
      { artifact: 'plan', from: 'make', path: `${fixture.root}/project/in` },
      { artifact: 'code', from: 'make', path: `${fixture.root}/project/code` },
    ]);
    expect(fixture.tree('project/in')).toEqual(['kept.md', 'plan.md']);
    expect([fixture.text('project/in/plan.md'), fixture.text('project/in/kept.md')]).toEqual(['new', 'kept']);
    expect(fixture.tree('project/code')).toEqual(['lib/', 'lib/run.sh']);
    expect(fixture.project.look('code/lib/run.sh')?.executable).toBe(true);
    fixture.plant('project/in/plan.md', 'changed by the worker');
    expect(fixture.text('project/context/make/plan/plan.md')).toBe('new');
  });

  it('leaves the inputs as the first iteration left them', () => {
    const fixture = make();
    const files = filesOf(fixture);
    fixture.plant('project/out/plan.md', '- [ ] one');
    files.collect(launch('make', made), true);
    const inputs = [input('make', 'plan', 'todo')];
    files.prepare(launch('use', { inputs }));
    fixture.project.write('todo/plan.md', '- [x] one');
    expect(files.prepare(launch('use', { inputs, iteration: 2 })).inputs).toHaveLength(1);
    const check = { path: 'use', iteration: 1, attempt: 1, check: 1 };
    files.prepare({
      ...launch('use', { inputs }),
      key: check,
      check: { id: 'c', decisionFile: null, summary: null },
    });
    expect(fixture.text('project/todo/plan.md')).toBe('- [x] one');
    files.prepare(launch('use', { inputs }));
    expect(fixture.text('project/todo/plan.md')).toBe('- [ ] one');
  });

  it('keeps the steps of items and of sub-workflows apart, and exports from the latter', () => {
    const fixture = make();
    const files = filesOf(fixture);
    fixture.plant('project/log.txt', 'log');
    const outputs = [output('report', 'log.txt')];
    files.collect(launch('each/0/lint', { outputs }), true);
    files.collect(launch('each/12/lint', { outputs }), true);
    files.collect(launch('deploy/ship', { outputs: [output('log', 'log.txt')] }), true);
    expect(files.export('deploy/ship', 'log', 'deploy', 'deploy-log')).toBe(true);
    expect(files.export('deploy/ship', 'nothing', 'deploy', 'other')).toBe(false);
    expect(fixture.tree('project/context').filter((path) => path.endsWith('.txt'))).toEqual([
      'deploy/_child/ship/log/log.txt',
      'deploy/deploy-log/log.txt',
      'each/0/lint/report/log.txt',
      'each/12/lint/report/log.txt',
    ]);
  });

  it('removes old values and an old decision, and reads new ones', () => {
    const fixture = make();
    const files = filesOf(fixture);
    const key = { path: 'use', iteration: 2, attempt: 1, check: 1 };
    const checking = {
      ...launch('use'),
      key,
      check: { id: 'c', decisionFile: 'verdict/decision.json', summary: null },
    };
    const values = 'project/.mailroom/runs/run-1/steps/use/2.1.1/values.json';
    fixture.plant(values, '{"old":1}');
    fixture.plant('project/verdict/decision.json', 'PASS');
    const prepared = files.prepare(checking);
    expect(prepared.decisionFile).toBe(`${fixture.root}/project/verdict/decision.json`);
    expect(files.collect(checking, false)).toMatchObject({ values: null, decision: null });
    fixture.plant(values, '{"ok":[true]}');
    fixture.plant('project/verdict/decision.json', 'FAIL\nno');
    expect(files.collect(checking, false)).toMatchObject({ values: { ok: [true] }, decision: 'FAIL\nno' });
    fixture.plant(values, '\ufeff{"ok":[1]}');
    expect(files.collect(checking, false)).toMatchObject({ values: { ok: [1] } });
    fixture.plant(values, '{');
    fixture.plant('project/verdict/decision.json', Buffer.of(0, 255));
    const nonsense = {
      values: {
        unreadable: 'it is not JSON: line 1, column 2: expected a key in double quotes before its end: {',
      },
      decision: '',
    };
    expect(files.collect(checking, false)).toMatchObject(nonsense);
    fixture.plant(values, '{"id": 9007199254740993}');
    const { values: inexact } = files.collect(checking, false);
    expect(inexact).toEqual({
      unreadable:
        '`9007199254740993` (line 1, column 8) is a number that cannot be kept exactly; quote it to keep its digits',
    });
    fixture.plant(values, `${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    const deep = { values: { unreadable: 'it is nested more than 200 levels deep' } };
    expect(files.collect(checking, false)).toMatchObject(deep);
  });

  it('does not remove a folder that lies where a decision should be', () => {
    const fixture = make();
    fixture.plant('project/decision/kept', 'kept');
    const checking = { ...launch('use'), check: { id: 'c', decisionFile: 'decision', summary: null } };
    expect(() => filesOf(fixture).prepare(checking)).toThrowError(
      expect.objectContaining({ code: 'E_FILE' }),
    );
    expect(fixture.text('project/decision/kept')).toBe('kept');
  });

  it('works in a literal folder anywhere, if it is there', () => {
    const fixture = make();
    fixture.plant('elsewhere/out/plan.md', 'plan');
    const workspace = { path: '../elsewhere', outside: true };
    const files = filesOf(fixture);
    expect(files.prepare(launch('make', { workspace })).workspace).toBe(`${fixture.root}/elsewhere`);
    expect(files.collect(launch('make', { ...made, workspace }), true).artifacts).toHaveLength(1);
    expect(fixture.text('project/context/make/plan/plan.md')).toBe('plan');
    const absent = { path: `${fixture.root}/absent`, outside: true };
    const missing = { code: 'E_WORKSPACE', message: `there is no folder ${fixture.root}/absent to work in` };
    expect(() => files.prepare(launch('make', { workspace: absent }))).toThrowError(
      expect.objectContaining(missing),
    );
    const inside = { path: 'absent', outside: false };
    expect(() => files.prepare(launch('make', { workspace: inside }))).toThrowError(
      expect.objectContaining({ code: 'E_WORKSPACE' }),
    );
  });

  it('makes no workspace anew that was deleted while the run works', () => {
    const fixture = make();
    const files = filesOf(fixture);
    (fixture.memory ?? openRoot(fixture.root))?.remove('project');
    const gone = `the workspace ${fixture.root}/project was deleted or moved`;
    expect(() => files.prepare(launch('use'))).toThrow(gone);
    expect(() => files.collect(launch('make', made), true)).toThrow(gone);
    expect(() => files.summary({})).toThrow(gone);
    expect(() => files.meta('use', {})).toThrow(gone);
    expect(fixture.tree('project')).toEqual([]);
  });

  it('writes what a worker could only say', () => {
    const fixture = make();
    const files = filesOf(fixture, sample, hushed);
    files.handOver(launch('make', made), made.outputs[0]!, 'a hush plan');
    expect(fixture.text('project/out/plan.md')).toBe('a *** plan');
  });

  it('gives the end of what a process printed as it is read, without secrets', () => {
    const fixture = make();
    const files = filesOf(fixture, sample, hushed);
    const { stdout } = files.prepare(launch('make'));
    fixture.plant(stdout.slice(fixture.root.length + 1), '{"said":"h\\u0075sh, all is well"}\n');
    const read = (printed: string) => (JSON.parse(printed) as { said: string }).said;
    expect(files.tail(launch('make').key, 100, read)).toBe('***, all is well');
    expect(files.tail(launch('make').key, 4, read)).toBe('well');
    expect(files.tail(launch('use').key, 4, (printed) => printed)).toBe('');
  });

  it('takes secrets out of the values that a worker has left, whatever they are', () => {
    const fixture = make();
    const files = filesOf(fixture, sample, hushed);
    const { valuesFile } = files.prepare(launch('make'));
    const path = valuesFile.slice(fixture.root.length + 1);
    for (const [left, kept] of [
      ['{ "hush": { "hush": ["hush", 12] }, "n": 1.50 }', '{"hush":{"***":["***",12]},"n":1.5}'],
      ['["hush"]', '["***"]'],
      ['{ "broken": hush', '{ "broken": ***'],
      ['{ "n": 1.50 }', '{ "n": 1.50 }'],
    ] as const) {
      fixture.plant(path, left);
      files.hideValues(launch('make').key);
      expect(fixture.text(path)).toBe(kept);
    }
  });

  it('takes them out of all values that are left, but of those that a role may still write', () => {
    const fixture = make();
    const files = filesOf(fixture, sample, hushed);
    const [left, posted] = ['make', 'use'].map((path) => {
      const { valuesFile } = files.prepare(launch(path));
      const file = valuesFile.slice(fixture.root.length + 1);
      fixture.plant(file, '{ "n": "hush" }');
      return file;
    });
    files.hideAllValues([launch('use').key]);
    expect([fixture.text(left!), fixture.text(posted!)]).toEqual(['{"n":"***"}', '{ "n": "hush" }']);
  });

  it('reads what changes are measured against', () => {
    const fixture = make();
    const files = filesOf(fixture);
    const measured = (diffBase: object) => launch('make', { convergence: { diffBase, stage: 1 } as never });
    expect(files.diffBase(measured({ kind: 'ref', ref: 'main' }))).toBe('main');
    const file = measured({ kind: 'file', path: 'base.txt' });
    expect(() => files.diffBase(file)).toThrowError(expect.objectContaining({ code: 'E_FILE' }));
    fixture.plant('project/base.txt', '\n  abc123 a note\n');
    expect(files.diffBase(file)).toBe('abc123');
  });

  it('writes documents as they are, and removes the artifacts that a step has no more', () => {
    const fixture = make();
    const files = filesOf(fixture, sample, hushed);
    fixture.plant('project/out/plan.md', 'plan');
    fixture.plant('project/src/a.ts', 'a');
    files.collect(launch('make', made), true);
    files.meta('make', { stepId: 'make', output: 'say "hush"', artifacts: [{ name: 'plan' }] });
    files.summary({ hush: ['hush', 1, null] });
    files.convergence('make', 3, { stage: 2 });
    expect(fixture.tree('project/context')).toEqual([
      '_workflow.json',
      'make/',
      'make/_convergence/',
      'make/_convergence/3.json',
      'make/_meta.json',
      'make/plan/',
      'make/plan/plan.md',
    ]);
    expect(JSON.parse(fixture.text('project/context/make/_meta.json') ?? '')).toEqual({
      stepId: 'make',
      output: 'say "hush"',
      artifacts: [{ name: 'plan' }],
    });
    expect(fixture.text('project/context/_workflow.json')).toBe(
      '{\n  "hush": [\n    "hush",\n    1,\n    null\n  ]\n}\n',
    );
  });

  it('keeps a dead letter with the last prompt and what had been changed', () => {
    const fixture = make();
    const files = filesOf(fixture, sample, hushed);
    for (const iteration of [2, 10]) {
      files.prepare(launch('each/0/lint', { iteration }));
      files.note({ path: 'each/0/lint', iteration, attempt: 1, check: 0 }, 'prompt.md', `hush ${iteration}`);
    }
    files.prepare(launch('each/0/lint', { iteration: 11 }));
    files.deadLetter('each/0/lint', { reason: 'hush' }, Buffer.of(0xff, 0x0a));
    const folder = 'project/.mailroom/runs/run-1/dead/each/0/lint';
    expect(fixture.tree(folder)).toEqual(['difference.patch', 'letter.json', 'prompt.md']);
    expect(fixture.text(`${folder}/prompt.md`)).toBe('*** 10');
    expect(fixture.text(`${folder}/letter.json`)).toBe('{\n  "reason": "hush"\n}\n');
    expect(fixture.project.read(`${folder.slice(8)}/difference.patch`, 9)).toEqual(Buffer.of(0xff, 0x0a));
  });

  it('leaves the context folder and our own out of an artifact that holds everything', () => {
    const fixture = make();
    const files = filesOf(fixture);
    fixture.plant('project/a.txt', 'a');
    fixture.plant('project/.0123.mailroom-tmp', 'half');
    files.prepare(launch('make'));
    files.collect(launch('make', { outputs: [output('code', '.')] }), true);
    files.collect(launch('make', { outputs: [output('code', '.')] }), true);
    expect(fixture.tree('project/context/make/code')).toEqual(['a.txt']);
  });
});
