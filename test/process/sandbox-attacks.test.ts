import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keepPlaces, removeDeadPlaces } from '../../src/process/sandbox/held-places.ts';
import { all, edits, inSandbox, tries, World } from './sandbox-world.ts';
import { temporaryFolder } from './support.ts';

describe('what is owed is refused where it leads to', () => {
  it.each([
    ['.git/config'],
    ['.git/hooks'],
    ['.git'],
    ['mailroom.yaml'],
    ['protocols/team.yaml'],
    ['protocols'],
    ['workflows'],
    ['agents/b/role.md'],
    ['agents/b/inbox'],
    ['agents'],
    ['.mailroom'],
    ['.mailroom/control'],
  ])('%s', (target) => {
    const world = new World();
    world.link('plan.md', target);
    world.link('linked', '.');
    const real = join(world.root, target);
    for (const name of ['plan.md', 'linked/plan.md']) {
      const path = join(world.root, name);
      expect(() => world.sandbox(['READ'], { owed: [path] })).toThrowError(
        expect.objectContaining({
          code: 'E_PATH',
          message: expect.stringContaining(`${path} leads to ${real}, which`),
        }),
      );
      expect(() => world.sandbox(['READ'], { owed: [real] })).toThrowError('no agent may write');
    }
  });

  it('and is bound where a link leads to something else of the workspace', async () => {
    const world = new World();
    world.write('docs/plan.md', '');
    world.link('plan.md', 'docs/plan.md');
    const owed = [join(world.root, 'plan.md')];
    const said = await world.runs(['READ'], 'echo x >> plan.md && echo wrote; echo y >> src/y', { owed });
    expect(said).toBe(inSandbox('wrote\n'));
  });
});

describe('a workspace is refused that is, or leads into,', () => {
  it.each([['.mailroom'], ['agents'], ['agents/b'], ['protocols'], ['workflows'], ['.git'], ['.git/hooks']])(
    '%s',
    (target) => {
      const world = new World();
      world.link('app', target);
      for (const name of ['app', target]) {
        const workspace = join(world.root, name);
        expect(() => world.sandbox(edits, { workspace })).toThrowError(
          expect.objectContaining({ code: 'E_PATH' }),
        );
      }
    },
  );

  it('a folder of PATH', () => {
    const world = new World();
    const workspace = join(world.root, 'src');
    const env = { PATH: `${workspace}:${process.env['PATH']!}` };
    expect(() => world.sandbox(edits, { workspace, env })).toThrowError(
      `the workspace ${workspace} is a folder of PATH`,
    );
  });

  it('and not the worktree of a thread, but for what a link in it leads to', () => {
    const world = new World();
    world.git('commit', '-q', '--allow-empty', '-m', 'first');
    world.git('worktree', 'add', '-q', '.mailroom/worktrees/t1');
    const workspace = join(world.root, '.mailroom/worktrees/t1');
    expect(world.sandbox(edits, { workspace }).writable).toContain(workspace);
    world.link('.mailroom/worktrees/t1/out', '../../control');
    world.link('.mailroom/worktrees/t1/in', '.');
    expect(() => world.sandbox(['READ'], { workspace, owed: [join(workspace, 'out')] })).toThrowError(
      'leads to',
    );
    expect(world.sandbox(['READ'], { workspace, owed: [join(workspace, 'in')] }).writable).toContain(
      workspace,
    );
  });
});

it("refuses a role's own outbox that leads elsewhere, and the folder of its turn", () => {
  const world = new World();
  for (const target of ['../../.git/hooks', '../b/inbox', '../../protocols']) {
    world.link(`agents/${target.length}/outbox`, target);
    const writable = [join(world.root, `agents/${target.length}/outbox`)];
    expect(() => world.sandbox(['READ'], { writable })).toThrowError(
      expect.objectContaining({ code: 'E_PATH' }),
    );
  }
  mkdirSync(join(world.root, 'agents/a/outbox'), { recursive: true });
  const writable = [join(world.root, 'agents/a/outbox'), join(world.root, '.mailroom/turns/t1/1/outbox')];
  expect(world.sandbox(['READ'], { writable }).writable).toEqual(writable);
});

describe('no one writes, whatever the permissions,', () => {
  const rules = ['mailroom.yaml', 'agents.yaml', 'protocols', 'workflows', 'agents', '.mailroom'];
  it.each([
    ['the rules', rules, []],
    [
      'rules that are not there yet',
      rules.slice(0, 4),
      ['mailroom.yaml', 'agents.yaml', 'protocols', 'workflows'],
    ],
    ['overrides that are not there yet', ['.skillmeat-workflow-overrides.yaml'], []],
    ['a repository that is not there yet', ['.git', 'HEAD'], ['.git']],
    ['mail before there are roles', ['agents'], ['agents']],
  ])('%s', async (_, paths, without) => {
    const world = new World(...without);
    const before = readdirSync(world.root).toSorted();
    for (const rights of [edits, all]) {
      const deeper = paths.flatMap((path) => [path, `${path}/new`]);
      const said = await world.runs(rights, `${deeper.map(tries).join('\n')} echo y > made && echo free`);
      expect(said).toBe(inSandbox('free\n'));
    }
    const kept = readdirSync(world.root).filter((name) => name !== 'made');
    expect(kept.toSorted()).toEqual([...new Set([...before, '.mailroom'])].toSorted());
    expect(readdirSync(join(world.root, '.mailroom')).filter((name) => name !== 'held')).toEqual(
      without.includes('.mailroom') ? [] : ['control', 'journal'],
    );
  });

  it('the rules of a project that lies in the workspace; the rest of it is part of the workspace', async () => {
    const world = new World();
    const guarded = [...rules, '.git'].flatMap((name) => [`project/${name}`, `project/${name}/new`]);
    const script = `${guarded.map(tries).join('\n')} mv project moved 2>/dev/null && echo moved; echo y > project/made && echo free`;
    for (const rights of [edits, all])
      expect(await world.runs(rights, script, { workspace: world.around })).toBe(inSandbox('free\n'));
    expect(await world.runs(['READ'], script, { workspace: world.around })).toBe('');
  });

  it('the folders of PATH, by another folder in the place of one around them neither', async () => {
    const world = new World();
    mkdirSync(join(world.root, 'node_modules/.bin'), { recursive: true });
    const env = { PATH: `${join(world.root, 'node_modules/.bin')}:${process.env['PATH']!}` };
    const script = `mv node_modules moved 2>/dev/null && mkdir -p node_modules/.bin && echo moved; ${tries('node_modules/.bin/git')} echo y > node_modules/y && echo free`;
    expect(await world.runs(all, script, { env })).toBe(inSandbox('free\n'));
  });

  it('what links among the rules lead to', async () => {
    const world = new World();
    world.write('src/ci.yaml', 'true\n');
    world.write('AGENTS.md', 'words\n');
    world.link('workflows/linked.yaml', '../src/ci.yaml');
    world.link('agents/a/role.md', '../../AGENTS.md');
    const script = `mv src moved 2>/dev/null && echo moved; ${tries('src/ci.yaml')} ${tries('AGENTS.md')} echo free`;
    expect(await world.runs(all, script)).toBe(inSandbox('free\n'));
  });

  it('what a link in the place of a rule leads to, also beside a file in the place of a role', async () => {
    const world = new World('mailroom.yaml');
    world.write('conf/mailroom.yaml', 'true\n');
    world.write('agents/notes.txt', 'words\n');
    world.link('mailroom.yaml', 'conf/mailroom.yaml');
    const script = `${tries(join(world.root, 'conf/mailroom.yaml'))} echo free`;
    expect(await world.runs(edits, script, { workspace: join(world.root, 'conf') })).toBe(
      inSandbox('free\n'),
    );
  });

  it('hooks and configurations that the configuration of the repository names, and those of submodules', async () => {
    const other = new World();
    other.git('add', '.');
    other.git('commit', '-q', '-m', 'first');
    const world = new World();
    world.git('submodule', 'add', '-q', other.root, 'part');
    world.git('config', 'core.hooksPath', 'tools/hooks');
    world.git('config', 'include.path', '../shared.config');
    world.write('tools/hooks/pre-commit', '');
    const paths = [
      'tools/hooks/pre-commit',
      'shared.config',
      'part/.git',
      '.git/modules/part/config',
      '.git/modules/part/hooks/post-checkout',
    ];
    const script = `for each in tools part .git/modules .git/modules/part; do mv $each moved 2>/dev/null && echo moved $each; done; ${paths.map(tries).join('\n')} echo y > part/made && echo y > .git/modules/part/made && echo free`;
    expect(await world.runs(all, script)).toBe(inSandbox('free\n'));
    expect(lstatSync(join(world.root, 'part/.git')).isFile()).toBe(true);
  });
});

it.each([['mailroom.yaml'], ['protocols'], ['.git/hooks'], ['.git']])(
  'refuses a link in the place of %s, which nothing can hold, where somebody could replace it',
  (name) => {
    const world = new World('mailroom.yaml', 'protocols', ...(name === '.git' ? ['.git'] : []));
    execFileSync('rm', ['-rf', join(world.root, name)]);
    mkdirSync(join(world.root, 'elsewhere'));
    world.link(name, join(world.root, 'elsewhere'));
    expect(() => world.sandbox(all)).toThrowError(`${join(world.root, name)} is a link to`);
    expect(world.sandbox(['READ']).kind).toBe('bubblewrap');
  },
);

it('shows a folder of PATH behind a link in what another link shows', async () => {
  const world = new World();
  const tools = realpathSync(temporaryFolder());
  mkdirSync(join(tools, 'store/.bin'), { recursive: true });
  writeFileSync(join(tools, 'store/.bin/tool'), '#!/bin/sh\necho found\n', { mode: 0o755 });
  mkdirSync(join(tools, 'tree'));
  symlinkSync(join(tools, 'store'), join(tools, 'tree/node_modules'));
  symlinkSync('tree', join(tools, 'alias'));
  const env = {
    PATH: [join(tools, 'alias'), join(tools, 'tree/node_modules/.bin'), process.env['PATH']!].join(':'),
  };
  expect(await world.runs(['READ'], 'tool', { env })).toBe(inSandbox('found\n'));
});

it('leaves out a folder of PATH that cannot be shown, and shows the rest', async () => {
  const world = new World();
  world.write('file', '');
  // For bwrap a folder below a file is as one below a folder that must not be entered: no error of "not there".
  const env = { PATH: `${join(world.root, 'file/bin')}:${process.env['PATH']!}` };
  expect(await world.runs(['READ'], 'echo runs', { env })).toBe(inSandbox('runs\n'));
});

it('cannot undo its mounts: nothing is remounted or taken away from what is shown', async () => {
  const world = new World();
  const script = `mount -o remount,rw,bind ${world.root} && echo remounted; umount ${world.root}/agents && echo gone; umount -l /proc && echo gone; echo x >> mailroom.yaml && echo wrote; echo end`;
  expect(await world.runs(all, script)).toBe(inSandbox('end\n'));
});

describe('places that are kept', () => {
  it('go with the last who relies on them, and not while something lies in them', () => {
    const world = new World('mailroom.yaml', 'protocols');
    const [config, protocols] = ['mailroom.yaml', 'protocols'].map((name) => join(world.root, name)) as [
      string,
      string,
    ];
    const first = keepPlaces(world.root, [config, protocols]);
    const second = keepPlaces(world.root, [config, protocols, join(world.root, 'agents')]);
    first.close();
    expect([config, protocols].map((path) => existsSync(path))).toEqual([true, true]);
    writeFileSync(join(protocols, 'mine.yaml'), '');
    second.close();
    expect([config, protocols].map((path) => existsSync(path))).toEqual([false, true]);
    expect(readdirSync(join(world.root, '.mailroom/held'))).toEqual([]);
    expect(existsSync(join(world.root, 'agents'))).toBe(true);
  });

  it('of a process that was killed go at the next start, and those of a living one stay', () => {
    const world = new World('mailroom.yaml', 'protocols');
    const living = keepPlaces(world.root, [join(world.root, 'protocols')]);
    mkdirSync(join(world.root, 'mailroom.yaml'));
    const dead = ['mailroom.yaml', 'protocols', 'src/not-there'].map((name) =>
      encodeURIComponent(join(world.root, name)),
    );
    world.write(
      '.mailroom/held/1@never',
      dead.map((path, at) => `${at === 0 ? '-' : '+'}${path}`).join('\n'),
    );
    removeDeadPlaces(world.root);
    expect(existsSync(join(world.root, 'mailroom.yaml'))).toBe(false);
    expect(existsSync(join(world.root, 'protocols'))).toBe(true);
    expect(readdirSync(join(world.root, '.mailroom/held'))).toHaveLength(1);
    living.close();
    expect(existsSync(join(world.root, 'protocols'))).toBe(false);
  });

  it('are kept and removed whatever else lies among the records of them', () => {
    const world = new World('mailroom.yaml', 'protocols');
    const records = { '1@never': '+%', '2@never': '-%00\n+relative\n', '.draft': '{' };
    for (const [name, text] of Object.entries(records)) world.write(`.mailroom/held/${name}`, text);
    world.write('.mailroom/held/3@never/a', '');
    const living = keepPlaces(world.root, [join(world.root, 'protocols')]);
    removeDeadPlaces(world.root);
    expect(readdirSync(join(world.root, '.mailroom/held'))).toHaveLength(1);
    living.close();
    expect(readdirSync(join(world.root, '.mailroom/held'))).toEqual([]);
  });
});
