import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { playProject } from '../support/play.ts';
import type { TestProject } from '../support/project.ts';

const team = `
name: two
version: "1"
workspace: worktree
roles:
  maker: { capabilities: [READ, EDIT] }
  checker: { capabilities: [READ] }
messages:
  task: { from: user, to: maker }
  review: { from: maker, to: checker, reply: [verdict], blocking: true }
  verdict: { from: checker, to: maker }
  done: { from: maker, to: user, closes: true }
start: { type: task, to: maker }
`;

/** Both work in the same checkout: the checker reads what the maker wrote there, and nobody committed. */
const plays = {
  maker: `
    if (type === 'task') { writeFileSync('made.txt', mail[0].split('---').at(-1).trim()); return send('review', 'checker'); }
    send('done', 'user', mail[0].split('---').at(-1).trim());`,
  checker: `
    const { readFileSync } = await import('node:fs');
    send('verdict', 'maker', 'read: ' + readFileSync('made.txt', 'utf8'));`,
};

let project: TestProject;
beforeEach(async () => {
  project = playProject(team, plays, {
    '.gitignore': '.mailroom/\nagents/\n.drop/\n*.log\n',
    'kept.txt': 'kept\n',
  });
  git('init', '-q');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.org');
  git('add', '-A');
  git('commit', '-qm', 'first');
  project.drop('agents/maker/inbox/task.md', 'Paint it\n');
  await project.run(['up', '--until-idle']);
});
afterEach(() => project.remove());

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: project.root, encoding: 'utf8', stdio: 'pipe' });
}

interface Listed {
  readonly thread: string;
  readonly path: string | null;
}

const listed = async () => JSON.parse((await project.run(['worktree', '--json'])).stdout) as Listed[];

it('is one checkout for all roles of a thread, shown in status', async () => {
  const [one] = await listed();
  const path = `.mailroom/worktrees/${one?.thread ?? ''}`;
  expect(one).toMatchObject({ path, state: 'closed', uncommitted: 1, unmerged: 0, subject: 'Paint it' });
  expect(project.read(`${path}/made.txt`)).toBe('Paint it');
  expect(existsSync(join(project.root, 'made.txt'))).toBe(false);
  const status = JSON.parse((await project.run(['status', '--json'])).stdout) as object;
  expect(status).toMatchObject({ threads: [{ worktree: path }] });
  expect((await project.run(['status'])).stdout).toContain('1 in worktrees; `mailroom worktree` lists');
});

it('is merged with what was never committed, and then gone', async () => {
  const [one] = await listed();
  const ran = await project.run(['worktree', 'merge', one?.thread.slice(-6) ?? '']);
  expect(ran).toMatchObject({ code: 0 });
  expect(project.read('made.txt')).toBe('Paint it');
  // All commits may be of the same second, so their times do not order them.
  expect(git('log', '--format=%an: %s', 'HEAD^..HEAD')).toBe(
    `Ada: Merge mailroom-${one?.thread ?? ''}: Paint it\nAda: Paint it\n`,
  );
  expect(await listed()).toEqual([]);
  expect(project.list('.mailroom/worktrees')).toEqual([]);
});

it('is kept whole, checkout and branch, when it conflicts', async () => {
  const [one] = await listed();
  project.write('made.txt', 'Mine\n');
  git('add', 'made.txt');
  git('commit', '-qm', 'mine');
  const ran = await project.run(['worktree', 'merge', one?.thread ?? '']);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('these conflict: made.txt');
  expect(git('status', '--porcelain')).toBe('');
  expect(project.read('made.txt')).toBe('Mine\n');
  expect(await listed()).toMatchObject([{ path: one?.path, uncommitted: 0, unmerged: 1 }]);
});

it('leaves its work on the branch when only the checkout is removed', async () => {
  const [one] = await listed();
  expect(await project.run(['worktree', 'remove', one?.thread ?? ''])).toMatchObject({ code: 0 });
  expect(await listed()).toMatchObject([{ path: null, unmerged: 1 }]);
  expect(git('show', `mailroom-${one?.thread ?? ''}:made.txt`)).toBe('Paint it');
});

it('says what it does not know', async () => {
  const unknown = await project.run(['worktree', 'merge', 'ffffff']);
  expect(unknown).toMatchObject({ code: 2 });
  expect(unknown.stderr).toContain('no thread `ffffff` has a worktree');
  expect(await project.run(['worktree', 'merge'])).toMatchObject({ code: 2 });
  const inside = await project.run(['worktree', 'merge', 'ffffff'], { MAILROOM_TURN: 't1' });
  expect(inside.stderr).toContain('E_INSIDE_TURN');
});
