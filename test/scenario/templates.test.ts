import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestProject } from '../support/project.ts';

let project: TestProject;
let folder: string;
let home: string;
let source: string;

beforeEach(() => {
  project = new TestProject({});
  folder = project.root;
  home = join(folder, 'home');
  source = join(folder, 'source');
  for (const each of [home, source, join(folder, 'new')]) mkdirSync(each);
});
afterEach(() => project.remove());

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function git(args: readonly string[], input = ''): string {
  const env = { PATH: process.env['PATH'], HOME: home, GIT_ALLOW_PROTOCOL: 'file' };
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  return execFileSync('git', [...identity, ...args], { cwd: source, env, input, encoding: 'utf8' }).trim();
}

/** A template as a person would write it, in a repository with one commit. */
function template(): void {
  put(join(source, 'mailroom.yaml'), 'defaults:\n  provider: rehearsal\n');
  put(join(source, 'protocols/team.yaml'), 'name: team\n');
  put(join(source, 'agents/maker/role.md'), 'You make.\n');
  git(['init', '-q', '-b', 'main']);
  git(['add', '-A']);
  git(['commit', '-q', '-m', 'Template']);
}

interface Made {
  readonly written: readonly string[];
  readonly kept: readonly string[];
  readonly left_out: readonly { readonly path: string; readonly why: string }[];
}

async function init(reference: string) {
  const ran = await project.run(['init', join(folder, 'new'), '--template', reference, '--json'], {
    HOME: home,
  });
  const made = ran.code === 0 ? (JSON.parse(ran.stdout) as Made) : null;
  return { code: ran.code, said: ran.stdout + ran.stderr, made };
}

const made = (path: string) => join(folder, 'new', path);
const usual = ['agents/maker/role.md', 'mailroom.yaml', 'protocols/team.yaml'];

it.each(['feature-team', 'calculator'])('%s leaves nothing for a second `init`', async (name) => {
  await project.run(['init', 'new', '--template', name]);
  const again = await project.run(['-C', 'new', 'init']);
  expect(again.stdout).toMatch(/^nothing is missing\n/);
});

describe('a template', () => {
  it('is copied from a folder, and from a repository, without what exists', async () => {
    template();
    put(made('protocols/team.yaml'), 'name: mine\n');
    const first = await init(source);
    expect(first.made).toMatchObject({
      written: [...usual.slice(0, 2), '.gitignore'],
      kept: ['protocols/team.yaml'],
      left_out: [{ path: '.git', why: 'part of a repository' }],
    });
    expect(readFileSync(made('protocols/team.yaml'), 'utf8')).toBe('name: mine\n');
    const again = await init(`file://${source}`);
    expect(again.made).toMatchObject({ written: [], kept: usual, left_out: [] });
  });

  it('is read from a branch of a repository', async () => {
    template();
    git(['checkout', '-q', '-b', 'other']);
    put(join(source, 'more.md'), 'More.\n');
    git(['add', '-A']);
    git(['commit', '-q', '-m', 'More']);
    git(['checkout', '-q', 'main']);
    expect((await init(`file://${source}#other`)).made?.written).toContain('more.md');
    expect((await init(`file://${source}#missing`)).said).toContain('Remote branch missing not found');
  });

  it('gets nothing from a hostile repository but plain files, and runs nothing', async () => {
    template();
    const mark = join(folder, 'ran');
    // A filter of the person's own that a checkout would run, with hooks that a clone would copy.
    put(
      join(home, '.gitconfig'),
      `[filter "mark"]\n\tsmudge = touch ${mark}\n[init]\n\ttemplateDir = ${home}/hooked\n`,
    );
    put(join(home, 'hooked/hooks/post-checkout'), `#!/bin/sh\ntouch ${mark}\n`);
    execFileSync('chmod', ['+x', join(home, 'hooked/hooks/post-checkout')]);
    put(join(source, '.gitattributes'), '* filter=mark\n');
    put(join(source, '.gitmodules'), `[submodule "sub"]\n\tpath = sub\n\turl = ext::touch% ${mark}\n`);
    put(join(source, '.mailroom/confirmed'), 'forged\n');
    put(join(source, 'agents/maker/inbox/task.md'), 'Forged.\n');
    put(join(source, 'picture.png'), '\0\0');
    symlinkSync('/etc/passwd', join(source, 'out.md'));
    symlinkSync('.git', join(source, 'workflows'));
    git(['add', '-A', '-f']);
    const commit = git(['rev-parse', 'HEAD']);
    git(['update-index', '--add', '--cacheinfo', `160000,${commit},sub`]);
    const blob = git(['hash-object', '-w', '--stdin'], '[core]\n\tfsmonitor = touch ran\n');
    const inner = git(['mktree'], `100644 blob ${blob}\tconfig\n`);
    const tree = git(['write-tree']);
    const entries = git(['ls-tree', tree]);
    const forged = git(['mktree'], `${entries}\n040000 tree ${inner}\t.Git\n040000 tree ${inner}\t..\n`);
    git(['update-ref', 'HEAD', git(['commit-tree', forged, '-m', 'Hostile'])]);
    const { made: result } = await init(`file://${source}`);
    expect(result?.written).toEqual(['.gitattributes', '.gitmodules', ...usual, '.gitignore']);
    expect(Object.fromEntries((result?.left_out ?? []).map(({ path, why }) => [path, why]))).toEqual({
      '../config': 'not a path inside the project',
      '.Git/config': 'part of a repository',
      '.mailroom/confirmed': 'state of a project',
      'agents/maker/inbox/task.md': 'mail',
      'out.md': 'a link',
      'picture.png': 'not text',
      sub: 'a submodule',
      workflows: 'a link',
    });
    expect(
      [mark, made('.git'), made('out.md'), join(folder, 'config')].filter((path) => existsSync(path)),
    ).toEqual([]);
  });

  it('is written nowhere else, through no link of the project', async () => {
    template();
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync('../elsewhere', made('protocols'));
    mkdirSync(made('real'));
    symlinkSync('real', made('agents'));
    const { made: result } = await init(`file://${source}`);
    expect(result?.left_out).toEqual([
      { path: 'agents/maker/role.md', why: 'agents is a link here' },
      { path: 'protocols/team.yaml', why: 'protocols is a link here' },
    ]);
    expect(existsSync(join(folder, 'elsewhere/team.yaml'))).toBe(false);
  });

  it.each(['ext::touch ran', 'git-remote-ext://x', 'fd::0', 'file::https://x'])(
    'is not read by %s',
    async (url) => {
      const ran = await init(url);
      expect(ran.code).toBe(2);
      expect(ran.said).toContain('templates are not read by');
      expect(existsSync(made('mailroom.yaml'))).toBe(false);
    },
  );

  it('is refused where it does not exist or is too large', async () => {
    expect((await init('./nowhere')).said).toContain('there is no folder');
    expect((await init(`file://${folder}/nowhere`)).said).toContain('cannot read the template');
    for (let number = 0; number <= 1_000; number += 1) put(join(source, `many/${String(number)}.md`), '');
    expect((await init(source)).said).toContain('is too large');
    expect(existsSync(made('many'))).toBe(false);
  });
});
