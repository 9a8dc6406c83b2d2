import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { check } from '../../src/project/check.ts';
import { Project } from '../../src/project/project.ts';
import { ownEnvironment, packageRoot, runHere } from '../support/in-process.ts';

let root: string;

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function git(...args: string[]): void {
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
  execFileSync('git', [...who, ...args], { cwd: root, stdio: 'pipe' });
}

function commit(): void {
  git('add', '-A');
  git('commit', '-qm', 'Start');
}

/** A team whose maker is played by this command, with these gates. */
function team(command: string, { gates = '', workspace = '{ worktree: role }', more = '' } = {}): void {
  put('mailroom.yaml', `providers:\n  own: { command: ${command} }\n${more}`);
  put(
    'protocols/team.yaml',
    `name: team
version: '1'
workspace: ${workspace}
roles:
  maker: { provider: own }
messages:
  task: { from: user, to: maker }
  made: { from: maker, to: user, closes: true${gates} }
`,
  );
}

async function warnings(environment: Record<string, string> = { PATH: process.env['PATH'] ?? '' }) {
  const project = Project.at(root, { packageRoot, environment });
  const { document } = await check(project, 'no');
  expect(document.errors).toEqual([]);
  return document.warnings.map(({ file, line, message, hint }) => [`${file}:${line}`, message, hint]);
}

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'mailroom-first-')));
  git('init', '-qb', 'main');
  put('readme.md', 'Work.\n');
  commit();
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

it.each([
  ['a repository', "git add agents mailroom.yaml protocols .gitignore && git commit --message 'Add a team'"],
  ['no repository', "git init && git add --all && git commit --message 'Start'"],
])('init in %s says to commit where roles work in worktrees', async (where, step) => {
  if (where === 'no repository') rmSync(join(root, '.git'), { recursive: true });
  const ran = await runHere(['init', '--template', 'parallel-team'], root, ownEnvironment());
  expect(ran?.stdout).toContain(`Next:\n  1. ${step}`);
});

describe('what would fail at the first start', () => {
  it.each(['node tools/play.mjs', './tools/play.mjs', 'env A=1 sh tools/play.mjs'])(
    'is that %s is not in the commit of a worktree',
    async (command) => {
      team(`[${command.split(' ').join(', ')}]`);
      expect(await warnings()).toEqual([
        [
          'mailroom.yaml:2',
          'the provider `own` runs `tools/play.mjs`, and there is no such file in the workspace',
          'write it, or correct its path',
        ],
      ]);
      put('tools/play.mjs', '');
      chmodSync(join(root, 'tools/play.mjs'), 0o755);
      expect(await warnings()).toEqual([
        [
          'mailroom.yaml:2',
          'the provider `own` runs `tools/play.mjs`, which is not in `HEAD`: no worktree will have it',
          "`git add tools/play.mjs && git commit --message 'Add tools/play.mjs'`",
        ],
      ]);
      commit();
      expect(await warnings()).toEqual([]);
    },
  );

  it('is that a rule of git keeps it out', async () => {
    team('[node, tools/play.mjs]', { workspace: 'worktree' });
    put('.gitignore', 'tools/\n');
    put('tools/play.mjs', '');
    commit();
    expect(await warnings()).toEqual([
      [
        'mailroom.yaml:2',
        'the provider `own` runs `tools/play.mjs`, which is not in `HEAD`, because a rule in .gitignore keeps it out: no worktree will have it',
        "`git add --force tools/play.mjs && git commit --message 'Add tools/play.mjs'`",
      ],
    ]);
  });

  it('is a gate whose script is in no commit', async () => {
    team('[cat]', { gates: ', gates: [{ run: [sh, judge.sh] }, { run: [npm, test] }]' });
    put('judge.sh', '');
    expect((await warnings()).map(([, message]) => message)).toEqual([
      'a gate of `made` runs `judge.sh`, which is not in `HEAD`: no worktree will have it',
    ]);
  });

  it('is a commit that the worktrees begin at, and not the one that is checked out', async () => {
    git('branch', 'old');
    team('[node, tools/play.mjs]', { workspace: '{ worktree: role, base: old }' });
    put('tools/play.mjs', '');
    commit();
    expect((await warnings()).map(([, message]) => message)).toEqual([
      'the provider `own` runs `tools/play.mjs`, which is not in `old`: no worktree will have it',
    ]);
  });

  it('is a file that is missing in a folder, which needs no commit', async () => {
    team('[node, play.mjs]', { workspace: '.' });
    expect((await warnings()).map(([, message]) => message)).toEqual([
      'the provider `own` runs `play.mjs`, and there is no such file in the workspace',
    ]);
    put('play.mjs', '');
    expect(await warnings()).toEqual([]);
  });

  it('is a program that is not installed', async () => {
    team('[nowhere-to-be-found, --now]', { workspace: '.' });
    expect(await warnings()).toEqual([
      [
        'mailroom.yaml:2',
        '`nowhere-to-be-found` is not installed here, and the provider `own` of `maker` runs it',
        'install it, or name another `provider`',
      ],
    ]);
    put('bin/claude', '');
    team('[cat]', { workspace: '.', more: 'defaults: { provider: claude }\n' });
    put('protocols/more.yaml', 'roles: { helper: {} }\nmessages: { hint: { from: maker, to: helper } }\n');
    const path = { PATH: `${join(root, 'bin')}:/usr/bin:/bin` };
    expect((await warnings(path)).map(([place, message]) => [place, message])).toEqual([
      [
        'protocols/more.yaml:1',
        '`claude` is not executable here, and the provider `claude` of `helper` runs it',
      ],
    ]);
    chmodSync(join(root, 'bin/claude'), 0o755);
    expect(await warnings(path)).toEqual([]);
  });
});
