import { unmasked } from '../../../src/kernel/mask.ts';
import { describe, expect, it } from 'vitest';
import { putFolder } from '../../../src/workflow/files/copy.ts';
import { RunFiles } from '../../../src/workflow/files/run-files.ts';
import { surveyFolder } from '../../../src/workflow/files/survey.ts';
import { cleanUp } from '../../disk/disk-fixtures.ts';
import { runFixtures } from './run-fixtures.ts';
import type { RunFixture } from './run-fixtures.ts';
import { input, launch, output, step, workflow } from './samples.ts';

cleanUp();

const sample = workflow(step('make', ['plan']), step('use'));
const violation = expect.objectContaining({ code: 'E_PATH' });

function filesOf(fixture: RunFixture, contextDir = 'context', definition = sample): RunFiles {
  const run = {
    run: 'run-1',
    definition: { ...definition, contextDir },
    workspace: `${fixture.root}/project`,
  };
  const rules = [`${fixture.root}/project/shared/base.yaml`];
  return new RunFiles({ project: fixture.project, run, open: fixture.open, rules, mask: unmasked });
}

/** A world with something outside the project that nobody may see or change. */
function worldOf(make: () => RunFixture): RunFixture {
  const fixture = make();
  fixture.plant('outside/plan.md', 'not yours');
  fixture.plant('project/context/make/plan/plan.md', 'the plan');
  fixture.plant('project/context/make/plan/deep/er.md', 'deeper');
  return fixture;
}

const bad = ['/etc/passwd', '../outside/plan.md', 'a/../../outside', 'a/../b', '..', 'a/..', 'a\0b'];

describe.each(runFixtures)('paths that leave their root: $name', ({ make }) => {
  it.each(bad)('refuses %j wherever a path can be given', (path) => {
    const fixture = worldOf(make);
    const before = fixture.tree('outside');
    const files = filesOf(fixture);
    const outputs = [output('plan', path)];
    expect(() => files.prepare(launch('make', { outputs }))).toThrowError(violation);
    expect(() => files.collect(launch('make', { outputs }), true)).toThrowError(violation);
    expect(() => files.handOver(launch('make'), outputs[0]!, 'text')).toThrowError(violation);
    const inputs = [input('make', 'plan', path)];
    expect(() => files.prepare(launch('use', { inputs }))).toThrowError(violation);
    const check = { id: 'c', decisionFile: path, summary: null };
    expect(() => files.prepare(launch('use', { check }))).toThrowError(violation);
    const workspace = { path, outside: false };
    expect(() => files.prepare(launch('use', { workspace }))).toThrowError(violation);
    const convergence = { stage: 1, diffBase: { kind: 'file', path } } as never;
    expect(() => files.diffBase(launch('use', { convergence }))).toThrowError(violation);
    expect(() => filesOf(fixture, path)).toThrowError(violation);
    expect(fixture.tree('outside')).toEqual(before);
  });

  it('leaves repositories out of an artifact, whose consumers could not place them', () => {
    const fixture = worldOf(make);
    for (const path of ['.git/config', 'sub/.git', 'sub/a.md']) fixture.plant(`project/${path}`, 'text');
    const files = filesOf(fixture);
    expect(files.collect(launch('make', { outputs: [output('all', '.')] }), true).missing).toEqual([]);
    expect(fixture.tree('project/context/make/all').join(' ')).not.toContain('.git');
    files.prepare(launch('use', { inputs: [input('make', 'all', 'copy')] }));
    expect(fixture.tree('project/copy').join(' ')).toContain('a.md');
  });

  it.each(['../outside', '..', '{root}/outside'])('refuses links on the way that lead to %s', (target) => {
    const fixture = worldOf(make);
    fixture.plant('project/link', target.replace('{root}', fixture.root), 'link');
    fixture.plant('project/in/link', `../${target}`.replace('../{root}', fixture.root), 'link');
    const files = filesOf(fixture);
    for (const path of ['link/plan.md', 'link', 'in/link/plan.md', 'in/link/new/plan.md']) {
      const outputs = [output('plan', path)];
      expect(() => files.prepare(launch('make', { outputs }))).toThrowError(violation);
      expect(() => files.collect(launch('make', { outputs }), true)).toThrowError(violation);
      const workspace = { path, outside: false };
      expect(() => files.prepare(launch('use', { workspace }))).toThrowError(violation);
      expect(() => files.prepare(launch('use', { inputs: [input('make', 'plan', path)] }))).toThrowError(
        violation,
      );
      expect(() => filesOf(fixture, path)).toThrowError(violation);
    }
    for (const path of ['link/plan.md', 'in/link/new/plan.md']) {
      expect(() => files.handOver(launch('make'), output('plan', path), 'text')).toThrowError(violation);
      const check = { id: 'c', decisionFile: path, summary: null };
      expect(() => files.prepare(launch('use', { check }))).toThrowError(violation);
    }
    expect(fixture.text('outside/plan.md')).toBe('not yours');
    expect(fixture.tree('outside')).toEqual(['plan.md']);
    expect(fixture.text('project/context/make/plan/plan.md')).toBe('the plan');
  });

  it('refuses a link below a declared folder that leads out, and keeps the old artifact', () => {
    const fixture = worldOf(make);
    fixture.plant('project/src/a.ts', 'a');
    fixture.plant('project/src/lib/z', '../../../outside/plan.md', 'link');
    const outputs = [output('plan', 'src')];
    expect(() => filesOf(fixture).collect(launch('make', { outputs }), true)).toThrowError(violation);
    expect(fixture.tree('project/context/make')).toEqual([
      'plan/',
      'plan/deep/',
      'plan/deep/er.md',
      'plan/plan.md',
    ]);
  });

  it('keeps nothing of any output when one of them is a violation', () => {
    const fixture = worldOf(make);
    fixture.plant('project/new.md', 'new');
    fixture.plant('project/link.md', '../outside/plan.md', 'link');
    const outputs = [output('plan', 'new.md'), output('more', 'link.md')];
    expect(() => filesOf(fixture).collect(launch('make', { outputs }), true)).toThrowError(violation);
    expect(fixture.text('project/context/make/plan/plan.md')).toBe('the plan');
  });

  it('writes no input when one of its folders leads out', () => {
    const fixture = worldOf(make);
    fixture.plant('project/in/deep', '../../outside', 'link');
    const inputs = [input('make', 'plan', 'in')];
    expect(() => filesOf(fixture).prepare(launch('use', { inputs }))).toThrowError(violation);
    expect(fixture.tree('project/in')).toEqual(['deep']);
    expect(fixture.tree('outside')).toEqual(['plan.md']);
  });

  it('lays no input over a file, and says how to place it elsewhere', () => {
    const fixture = worldOf(make);
    fixture.plant('project/plan', 'mine');
    const inputs = [input('make', 'plan', 'plan')];
    expect(() => filesOf(fixture).prepare(launch('use', { inputs }))).toThrowError(
      'cannot place an input at plan: a file is there',
    );
    expect(fixture.text('project/plan')).toBe('mine');
  });

  it('follows links that stay inside, and leaves out what is not a file, with a warning', () => {
    const fixture = worldOf(make);
    fixture.plant('project/lib/a.ts', 'a');
    fixture.plant('project/src/file', '../lib/a.ts', 'link');
    fixture.plant('project/src/folder', '../lib', 'link');
    fixture.plant('project/src/nothing', 'gone', 'link');
    fixture.plant('project/src/pipe', '', 'fifo');
    fixture.plant('project/way', 'src', 'link');
    const outputs = [output('plan', 'way')];
    const collected = filesOf(fixture).collect(launch('make', { outputs }), true);
    expect(collected.warnings).toEqual([
      'artifact plan: src/folder is a link to a folder and was left out',
      'artifact plan: src/nothing is a link to nothing and was left out',
      'artifact plan: src/pipe is a fifo and was left out',
    ]);
    expect(fixture.tree('project/context/make/plan')).toEqual(['file']);
    expect(fixture.project.look('context/make/plan/file')?.kind).toBe('file');
  });

  it('replaces links in the way of an input instead of writing through them', () => {
    const fixture = worldOf(make);
    fixture.plant('project/precious.md', 'precious');
    fixture.plant('project/in/plan.md', '../precious.md', 'link');
    fixture.plant('project/in/deep/er.md', '../../../outside/plan.md', 'link');
    filesOf(fixture).prepare(launch('use', { inputs: [input('make', 'plan', 'in')] }));
    expect([fixture.text('project/in/plan.md'), fixture.text('project/in/deep/er.md')]).toEqual([
      'the plan',
      'deeper',
    ]);
    expect([fixture.text('project/precious.md'), fixture.text('outside/plan.md')]).toEqual([
      'precious',
      'not yours',
    ]);
  });

  it('removes a link that a worker put in the place of a step folder', () => {
    const fixture = worldOf(make);
    fixture.plant('project/precious/kept', 'kept');
    fixture.plant('project/context/use', '../precious', 'link');
    fixture.plant('project/.mailroom/runs/run-1/steps/use/1.1', '../../../../../precious', 'link');
    const files = filesOf(fixture);
    files.meta('use', { stepId: 'use' });
    files.note(launch('use').key, 'before', 'text');
    files.prepare(launch('use'));
    expect(fixture.tree('project/context/use')).toEqual(['_meta.json']);
    expect(fixture.tree('project/.mailroom/runs/run-1/steps/use')).toEqual(['1.1/']);
  });

  it.each(['_meta.json', '_child', '_convergence', '.plan.new', '..', 'a/b', ''])(
    'refuses the artifact name %j',
    (name) => {
      const fixture = worldOf(make);
      fixture.plant('project/new.md', 'new');
      const files = filesOf(fixture);
      const outputs = [output(name, 'new.md')];
      expect(() => files.prepare(launch('make', { outputs }))).toThrowError(violation);
      expect(() => files.collect(launch('make', { outputs }), true)).toThrowError(violation);
      expect(() => files.prepare(launch('use', { inputs: [input('make', name, 'in')] }))).toThrowError(
        violation,
      );
    },
  );

  it('refuses an input where a file lies, without touching it', () => {
    const fixture = worldOf(make);
    fixture.plant('project/plan', 'a file of somebody');
    const inputs = [input('make', 'plan')];
    expect(() => filesOf(fixture).prepare(launch('use', { inputs }))).toThrowError(
      expect.objectContaining({ code: 'E_FILE' }),
    );
    expect(fixture.text('project/plan')).toBe('a file of somebody');
  });
});

/** A project with what nobody may write or hand over, and links to it. */
function guardedWorld(make: () => RunFixture): RunFixture {
  const fixture = worldOf(make);
  for (const path of guarded.filter((each) => each.includes('.', 1)))
    fixture.plant(`project/${path}`, 'kept');
  for (const [index, path] of guarded.entries()) fixture.plant(`project/link${index}`, path, 'link');
  fixture.plant('project/all', '.', 'link');
  return fixture;
}

const guarded = [
  'mailroom.yaml',
  'protocols/team.yaml',
  'workflows/ci.yaml',
  'agents/b/role.md',
  '.mailroom/nostr.key',
  '.git/config.txt',
  'shared/base.yaml',
  'protocols',
  'workflows',
  'agents',
  'agents/b',
  '.mailroom',
  '.git',
];

describe.each(runFixtures)('what is run, believed or obeyed: $name', ({ make }) => {
  it.each(guarded.map((path, index) => [path, `link${index}`, `all/${path}`]))(
    'refuses %s wherever a path can be given, by name and by links',
    (...names) => {
      const fixture = guardedWorld(make);
      const before = fixture.tree('project');
      const files = filesOf(fixture);
      for (const path of names) {
        const outputs = [output('plan', path)];
        expect(() => files.prepare(launch('make', { outputs }))).toThrowError(violation);
        expect(() => files.collect(launch('make', { outputs }), true)).toThrowError(violation);
        expect(() => files.prepare(launch('use', { inputs: [input('make', 'plan', path)] }))).toThrowError(
          violation,
        );
        const workspace = { path, outside: false };
        expect(() => files.prepare(launch('use', { workspace }))).toThrowError(violation);
        expect(() => filesOf(fixture, path)).toThrowError(violation);
        const below = `${path}/new.md`;
        if (fixture.project.look(names[0])?.kind !== 'folder') continue;
        expect(() => files.handOver(launch('make'), output('plan', below), 'text')).toThrowError(violation);
        const check = { id: 'c', decisionFile: below, summary: null };
        expect(() => files.prepare(launch('use', { check }))).toThrowError(violation);
      }
      expect(fixture.tree('project')).toEqual(before);
    },
  );

  it('names the link and where it leads to', () => {
    const fixture = guardedWorld(make);
    expect(() =>
      filesOf(fixture).collect(launch('make', { outputs: [output('plan', 'link4')] }), true),
    ).toThrow(
      `refused the path "link4": it leads to ${fixture.root}/project/.mailroom/nostr.key, which no step may write or hand over`,
    );
  });

  it('hands over nothing that a link in a folder leads to', () => {
    const fixture = guardedWorld(make);
    fixture.plant('project/out/plain.md', 'plain');
    fixture.plant('project/out/key', '../all/.mailroom/nostr.key', 'link');
    const outputs = [output('plan', 'out')];
    expect(() => filesOf(fixture).collect(launch('make', { outputs }), true)).toThrowError(violation);
    expect(fixture.text('project/context/make/plan/plan.md')).toBe('the plan');
  });

  it('lays no input into it by a link in the folder of the input', () => {
    const fixture = guardedWorld(make);
    fixture.plant('project/in/deep', '../agents/b', 'link');
    const inputs = [input('make', 'plan', 'in')];
    expect(() => filesOf(fixture).prepare(launch('use', { inputs }))).toThrowError(violation);
    expect(fixture.tree('project/agents/b')).toEqual(['role.md']);
  });

  it.each(['mailroom.yaml', 'agents.yaml', '.skillmeat-workflow-overrides.yaml', 'shared/base.yaml'])(
    'lays no input over %s by the name of a file in it',
    (path) => {
      const fixture = guardedWorld(make);
      fixture.plant(`project/${path}`, 'kept');
      const [name = '', folder = '.'] = path.split('/').toReversed();
      fixture.plant(`project/context/make/plan/${name}`, 'of an agent');
      const inputs = [input('make', 'plan', folder)];
      expect(() => filesOf(fixture).prepare(launch('use', { inputs }))).toThrowError(violation);
      expect(fixture.text(`project/${path}`)).toBe('kept');
      expect(fixture.project.look('plan.md')).toBeNull();
    },
  );

  it('keeps no artifact of a step in the folder of the rules that has its name', () => {
    const fixture = guardedWorld(make);
    const rules = workflow(step('workflows', ['ci']));
    expect(() => filesOf(fixture, '.', rules)).toThrow(
      `refused the path "workflows": it leads to ${fixture.root}/project/workflows, which no step may write or hand over`,
    );
  });

  it('lets a thread work in its worktree, which lies there', () => {
    const fixture = guardedWorld(make);
    fixture.plant('project/.mailroom/worktrees/t1/agents/new.md', 'new');
    const run = {
      run: 'run-1',
      definition: sample,
      workspace: `${fixture.root}/project/.mailroom/worktrees/t1`,
    };
    const files = new RunFiles({ project: fixture.project, run, open: fixture.open, mask: unmasked });
    const outputs = [output('plan', 'agents/new.md')];
    expect(files.collect(launch('make', { outputs }), true).artifacts).toHaveLength(1);
    fixture.plant('project/.mailroom/worktrees/t1/link', '../../../agents/b', 'link');
    expect(() => files.collect(launch('make', { outputs: [output('plan', 'link')] }), true)).toThrowError(
      violation,
    );
  });

  it('copies no file behind a link that was put in its way after it was looked at', () => {
    const fixture = guardedWorld(make);
    fixture.plant('project/out/nostr.key', 'mine');
    const workspace = fixture.open(`${fixture.root}/project`)!;
    const survey = surveyFolder(workspace, 'out', () => false);
    workspace.rename('out', 'moved');
    fixture.plant('project/out', '.mailroom', 'link');
    expect(() => putFolder(workspace, survey, workspace, 'context', 'stolen')).toThrow(
      'a link lies on the way',
    );
    expect(fixture.tree('project/context')).not.toContain('stolen/');
  });
});
