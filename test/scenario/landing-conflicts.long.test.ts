import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { playProject } from '../support/play.ts';
import type { TestProject } from '../support/project.ts';

const team = `
name: joined
version: "1"
workspace: { worktree: role, on_conflict: user }
roles:
  lead: { capabilities: [READ] }
  left: { capabilities: [READ, EDIT] }
  right: { capabilities: [READ, EDIT] }
  joiner: { capabilities: [READ, EDIT] }
messages:
  task: { from: user, to: lead }
  build: { from: lead, to: { all: [left, right] } }
  left-done: { from: left, to: joiner }
  right-done: { from: right, to: joiner }
  done: { from: joiner, to: user, closes: true, lands: { branch: main, by: rebase } }
expects:
  joiner: [{ all: [left-done, right-done] }]
start: { type: task, to: lead }
`;

const engineer = (own: string) => `
    writeFileSync('both.txt', '${own}\\n');
    writeFileSync('${own}.txt', '${own}\\n');
    send('${own}-done', 'joiner', 'Words', 'subject: Add ${own}\\n');`;

const plays = {
  lead: `send('build', '[left, right]');`,
  left: engineer('left'),
  right: engineer('right'),
  // What has landed meanwhile is taken where it is in the way.
  joiner: `
    const { execFileSync } = await import('node:child_process');
    if (prompt.includes('conflicts with')) writeFileSync('both.txt', execFileSync('git', ['show', 'main:both.txt']));
    send('done', 'user', 'It is joined', 'subject: Join them\\n');`,
};

let project: TestProject;
afterEach(() => project.remove());

const git = (...args: string[]) => project.git(...args);

/** Waits for a person, who resolves the conflict. */
async function resolved(): Promise<string> {
  project = playProject(team, plays, {
    '.gitignore': '.mailroom/\nagents/\n.drop/\n*.log\n',
    'both.txt': 'none\n',
  });
  project.makeRepository();
  project.drop('agents/lead/inbox/task.md', 'Build it\n');
  await project.run(['up', '--until-idle']);
  const status = JSON.parse((await project.run(['status', '--json'])).stdout) as {
    readonly turns: readonly { readonly id: string; readonly state: string; readonly workspace?: string }[];
  };
  expect(status.turns.map(({ state }) => state)).toEqual(['conflict']);
  const turn = status.turns[0]?.id ?? '';
  const shown = JSON.parse((await project.run(['show', turn, '--diff', '--json'])).stdout) as {
    patch: string;
  };
  // Both sides, in the file that conflicts alone.
  const sides = shown.patch.split('\n').filter((line) => /^(diff|[-+]\w)/.test(line));
  expect(sides.map((line) => line.replace(/^[-+]/, '')).toSorted()).toEqual([
    'diff --git a/both.txt b/both.txt',
    'left',
    'right',
  ]);
  const why = (await project.run(['why', turn])).stdout;
  const [, command = ''] = /mailroom (retry \S+ \S+|retry \S+)/.exec(why) ?? [];
  const [checkout = ''] = project.list('.mailroom/worktrees').filter((name) => name.endsWith('joiner'));
  writeFileSync(join(project.root, '.mailroom/worktrees', checkout, 'both.txt'), 'left and right\n');
  return command;
}

const commitOnMain = (files: Readonly<Record<string, string>>) => {
  for (const [path, text] of Object.entries(files)) writeFileSync(join(project.root, path), text);
  git('add', '-A');
  git('commit', '-qm', 'meanwhile');
};

describe('a conflict that a person resolves, whose work is rebased', () => {
  it('lands as resolved on a branch that has moved meanwhile', async () => {
    const command = await resolved();
    commitOnMain({ 'other.txt': 'other\n' });
    expect(await project.run(command.split(' '))).toMatchObject({ code: 0 });
    expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
    expect([project.read('both.txt'), project.read('other.txt')]).toEqual(['left and right\n', 'other\n']);
    expect([project.read('left.txt'), project.read('right.txt')]).toEqual(['left\n', 'right\n']);
    expect(git('rev-list', '--merges', '--count', 'main')).toBe('0');
    expect(git('status', '--porcelain')).toBe('');
  });

  it('goes back to its author where the branch conflicts with it', async () => {
    const command = await resolved();
    commitOnMain({ 'both.txt': 'mine\n' });
    await project.run(command.split(' '));
    expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
    expect(project.read('both.txt')).toBe('mine\n');
    expect([project.read('left.txt'), project.read('right.txt')]).toEqual(['left\n', 'right\n']);
    expect(git('status', '--porcelain')).toBe('');
  });
});
