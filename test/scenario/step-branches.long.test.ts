import { lstatSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { playProject } from '../support/play.ts';
import type { TestProject } from '../support/project.ts';

let project: TestProject;
afterEach(() => project.remove());

const git = (...args: string[]) => project.git(...args);

const team = `
name: team
version: "1"
workspace: { worktree: role }
roles:
  maker: { capabilities: [READ, EDIT] }
  reader: { capabilities: [READ] }
messages:
  task: { from: user, to: maker }
start: { type: task, to: maker }
`;

/** A step in a worktree of its own, then one that a role does, and one that builds on both. */
const workflow = (role: string) => `
name: ship
version: "1"
timeout: 5m
steps:
  first:
    command: [sh, -c, "echo first > first.txt"]
    workspace: { worktree: step }
  build: { role: ${role}, instructions: Build it., depends_on: [first] }
  after:
    command: [sh, -c, "cat first.txt made.txt > both.txt"]
    workspace: { worktree: step }
    depends_on: [build]
`;

const make = `
  const { readFileSync } = await import('node:fs');
  writeFileSync('made.txt', 'made after ' + readFileSync('first.txt', 'utf8'));
`;

function begin(role: string): void {
  const files = {
    'workflows/ship.yaml': workflow(role),
    '.gitignore': '.mailroom/\ncontext/\n*.log\nagents/*/*/\n',
  };
  project = playProject(team, { maker: make, reader: '' }, files);
  project.makeRepository();
}

interface Shown {
  readonly run: string;
  readonly status: string;
  readonly steps: Readonly<
    Record<
      string,
      {
        readonly status: string;
        readonly reason: string | null;
        readonly commit: { readonly id: string; readonly branch: string; readonly worktree: string } | null;
      }
    >
  >;
}

async function play(): Promise<Shown> {
  return JSON.parse((await project.run(['run', 'ship', '--json'])).stdout) as Shown;
}

describe('a step that a role does', () => {
  it('begins with the work of the steps before it, and leaves a commit for those after it', async () => {
    begin('maker');
    const { status, steps } = await play();
    expect([status, steps['build']?.reason, steps['after']?.reason]).toEqual(['SUCCEEDED', null, null]);
    const [first, build, after] = ['first', 'build', 'after'].map((id) => steps[id]?.commit);
    expect(build?.branch).toMatch(/^mailroom\/[0-9a-f-]{36}\/maker$/);
    expect(git('rev-parse', build?.branch ?? '')).toBe(build?.id);
    expect(git('log', '-1', '--format=%P|%an', build?.id ?? '')).toBe(`${first?.id ?? ''}|maker`);
    expect(git('show', '--name-status', '--format=', build?.id ?? '')).toBe('A\tmade.txt');
    expect(git('log', '-1', '--format=%P', after?.id ?? '')).toBe(build?.id);
    expect(git('show', `${after?.id ?? ''}:both.txt`)).toBe('first\nmade after first');
    expect(git('status', '--porcelain')).toBe('');
  });

  it('passes on the commit that it read, where its role must not edit', async () => {
    begin('reader');
    const { steps } = await play();
    expect(steps['build']).toMatchObject({ status: 'SUCCEEDED', commit: { id: steps['first']?.commit?.id } });
  });
});

interface Listed {
  readonly thread: string;
  readonly role: string | null;
  readonly branch: string;
  readonly path: string | null;
  readonly unmerged: number | null;
}

const listed = async () =>
  JSON.parse((await project.run(['worktree', 'list', '--json'])).stdout) as readonly Listed[];

/** Lets everything below a folder look as if it had not changed for long. */
function age(path: string): void {
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) age(join(path, name));
  utimesSync(path, 1_000_000, 1_000_000);
}

describe('the worktrees of a run', () => {
  let shown: Shown;
  beforeEach(async () => {
    begin('maker');
    shown = await play();
  });

  it('are listed, merged and removed as those of threads', async () => {
    const { run } = shown;
    const own = (await listed()).filter(({ thread }) => thread === run);
    expect(own.map(({ role, path, unmerged }) => ({ role, path, unmerged }))).toEqual([
      { role: 'after', path: `.mailroom/worktrees/${run}.after`, unmerged: 3 },
      { role: 'first', path: `.mailroom/worktrees/${run}.first`, unmerged: 1 },
    ]);
    const removed = await project.run(['worktree', 'remove', run, '--role', 'first']);
    expect(removed).toMatchObject({ code: 0, stdout: expect.stringContaining(`mailroom/${run}/first`) });
    expect(git('show', `mailroom/${run}/first:first.txt`)).toBe('first');
    const merged = await project.run(['worktree', 'merge', run, '--role', 'after']);
    expect([merged.code, project.read('both.txt')]).toEqual([0, 'first\nmade after first\n']);
    const left = (await listed()).filter(({ thread }) => thread === run);
    expect(left.map(({ role, path, unmerged }) => ({ role, path, unmerged }))).toEqual([
      { role: 'first', path: null, unmerged: 0 },
    ]);
    expect(git('status', '--porcelain')).toBe('');
  });

  it('are pruned once the run is over, and their branches stay', async () => {
    const { run, steps } = shown;
    age(join(project.root, '.mailroom/worktrees'));
    const { stdout } = await project.run(['prune', 'worktrees', '--older-than', '1h', '--yes', '--json']);
    const { items } = JSON.parse(stdout) as { items: readonly { id: string; kept: string | null }[] };
    const names = ['after', 'first'].map((step) => `${run}.${step}`);
    expect(items.filter(({ id }) => names.includes(id)).map(({ kept }) => kept)).toEqual([null, null]);
    expect(project.list('.mailroom/worktrees').filter((name) => names.includes(name))).toEqual([]);
    expect(git('rev-parse', `mailroom/${run}/after`)).toBe(steps['after']?.commit?.id);
    // Nothing that a step names is lost to git, either.
    git('reflog', 'expire', '--expire=now', '--all');
    git('gc', '-q', '--prune=now');
    for (const { commit } of Object.values(steps))
      expect(git('cat-file', '-t', commit?.id ?? '')).toBe('commit');
  });
});
