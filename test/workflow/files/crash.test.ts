import { unmasked } from '../../../src/kernel/mask.ts';
import { describe, expect, it } from 'vitest';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { RunFiles } from '../../../src/workflow/files/run-files.ts';
import { runsInMemory } from './run-fixtures.ts';
import type { RunFixture } from './run-fixtures.ts';
import { child, input, launch, output, step, workflow } from './samples.ts';

const sample = workflow(step('make', ['code', 'plan']), step('use'), child('deploy', step('ship', ['log'])));

/** A world in which a step has made something, and made it before already. */
function world(): MemoryDisk {
  const disk = new MemoryDisk(() => 0, '/world');
  const fixture = runsInMemory(disk);
  fixture.plant('project/src/a.txt', 'old a');
  fixture.plant('project/src/gone.txt', 'old');
  fixture.plant('project/plan.md', 'old plan');
  effects.collect(fixture);
  disk.remove('project/src/gone.txt');
  fixture.plant('project/src/a.txt', 'new a');
  fixture.plant('project/src/deep/b.txt', 'new b');
  fixture.plant('project/plan.md', 'new plan');
  return disk;
}

function filesOf(fixture: RunFixture): RunFiles {
  const run = { run: 'run-1', definition: sample, workspace: '/world/project' };
  return new RunFiles({ project: fixture.project, run, open: fixture.open, mask: unmasked });
}

const outputs = [output('code', 'src'), output('plan', 'plan.md')];
const effects = {
  collect: (fixture: RunFixture): void => void filesOf(fixture).collect(launch('make', { outputs }), true),
  prepare: (fixture: RunFixture): void =>
    void filesOf(fixture).prepare(launch('use', { inputs: [input('make', 'code', 'in')] })),
  export: (fixture: RunFixture): void => void filesOf(fixture).export('make', 'code', 'deploy', 'code'),
  meta: (fixture: RunFixture): void => filesOf(fixture).meta('make', { artifacts: [{ name: 'plan' }] }),
  'dead letter': (fixture: RunFixture): void =>
    filesOf(fixture).deadLetter('make', { reason: 'why' }, Buffer.from('patch')),
  'hand over': (fixture: RunFixture): void =>
    filesOf(fixture).handOver(launch('make'), output('said', 'said/words.md'), 'words'),
};

const whole = {
  old: ['a.txt=old a', 'gone.txt=old'],
  new: ['a.txt=new a', 'deep/b.txt=new b'],
};

function contents(fixture: RunFixture, folder: string): string[] {
  return fixture
    .tree(folder)
    .filter((path) => !path.endsWith('/'))
    .map((path) => `${path}=${fixture.text(`${folder}/${path}`)}`);
}

/** Does it with a crash before each of its effects in turn; calls back with what is left, and repeats it. */
function crashEverywhere(
  effect: (fixture: RunFixture) => void,
  options: { readonly lose?: 'unsynced' },
  look: (fixture: RunFixture) => void,
): { crashes: number; repeated: MemoryDisk[] } {
  const repeated: MemoryDisk[] = [];
  const original = world();
  for (let at = 1; ; at += 1) {
    const disk = original.clone();
    let operations = 0;
    disk.before = () => {
      // A dead host does nothing more, not even tidying up.
      if ((operations += 1) < at) return;
      throw new Error('crash');
    };
    const fixture = runsInMemory(disk);
    let crashed = false;
    try {
      effect(fixture);
    } catch {
      crashed = true;
    }
    disk.before = null;
    disk.crash(options);
    look(fixture);
    if (!crashed) return { crashes: at - 1, repeated };
    effect(fixture);
    repeated.push(disk);
  }
}

describe.each([{}, { lose: 'unsynced' as const }])('a crash at each effect %j', (options) => {
  it('leaves no artifact half there, and collecting again makes it new', () => {
    const seen = new Set<string>();
    const { crashes, repeated } = crashEverywhere(effects.collect, options, (fixture) => {
      const code = contents(fixture, 'project/context/make/code');
      if (code.length > 0) expect([whole.old, whole.new]).toContainEqual(code);
      seen.add(code.join());
      const plan = fixture.text('project/context/make/plan/plan.md');
      expect(['old plan', 'new plan', null]).toContain(plan);
    });
    expect(crashes).toBeGreaterThan(15);
    expect(seen).toContain(whole.new.join());
    expect(seen).toContain(whole.old.join());
    for (const disk of repeated) {
      const fixture = runsInMemory(disk);
      expect(contents(fixture, 'project/context/make/code')).toEqual(whole.new);
      expect(fixture.tree('project/context/make').filter((path) => path.startsWith('.'))).toEqual([]);
    }
  });

  it('leaves no exported artifact half there', () => {
    const { crashes, repeated } = crashEverywhere(effects.export, options, (fixture) => {
      const code = contents(fixture, 'project/context/deploy/code');
      if (code.length > 0) expect(code).toEqual(whole.old);
    });
    expect(crashes).toBeGreaterThan(5);
    for (const disk of repeated)
      expect(contents(runsInMemory(disk), 'project/context/deploy/code')).toEqual(whole.old);
  });
});

describe('a crash at each effect', () => {
  it('leaves no half of an input under its name, and placing again leaves nothing else', () => {
    const { crashes, repeated } = crashEverywhere(effects.prepare, {}, (fixture) => {
      const there = contents(fixture, 'project/in').filter((line) => !line.includes('.mailroom-tmp'));
      expect(whole.old).toEqual(expect.arrayContaining(there));
    });
    expect(crashes).toBeGreaterThan(5);
    for (const disk of repeated) expect(contents(runsInMemory(disk), 'project/in')).toEqual(whole.old);
  });

  it('leaves no half of what a worker said, and handing it over again leaves nothing else', () => {
    const { crashes, repeated } = crashEverywhere(effects['hand over'], {}, (fixture) => {
      expect([null, 'words']).toContain(fixture.text('project/said/words.md'));
    });
    expect(crashes).toBeGreaterThan(2);
    for (const disk of repeated) expect(runsInMemory(disk).tree('project/said')).toEqual(['words.md']);
  });

  it('leaves a document as it was or as it is to be', () => {
    const { crashes, repeated } = crashEverywhere(effects.meta, {}, (fixture) => {
      expect([null, '{\n  "artifacts": [\n    {\n      "name": "plan"\n    }\n  ]\n}\n']).toContain(
        fixture.text('project/context/make/_meta.json'),
      );
    });
    expect(crashes).toBeGreaterThan(1);
    for (const disk of repeated)
      expect(runsInMemory(disk).tree('project/context/make')).toEqual([
        '_meta.json',
        'plan/',
        'plan/plan.md',
      ]);
  });

  it('leaves no letter without what belongs to it', () => {
    const folder = 'project/.mailroom/runs/run-1/dead/make';
    const { crashes } = crashEverywhere(effects['dead letter'], {}, (fixture) => {
      const names = fixture.tree(folder);
      expect(names.includes('letter.json') && !names.includes('difference.patch')).toBe(false);
    });
    expect(crashes).toBeGreaterThan(1);
  });
});
