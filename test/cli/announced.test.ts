import { expect, it } from 'vitest';
import { ProjectFixture } from './project-fixture.ts';

/** The first line that a command prints on standard error, called in a folder of the project. */
async function firstComplaint(...words: string[]): Promise<string> {
  const fixture = new ProjectFixture();
  fixture.cwd = `${fixture.disk.root}/src/deep`;
  fixture.files.set(`${fixture.cwd}/w.json`, '{}');
  return (await fixture.run(...words)).err.split('\n')[0] ?? '';
}

const { root } = new ProjectFixture().disk;

it.each([
  ['send', 'architect', '--message', 'Begin'],
  ['reply', '--message', 'Yes'],
  ['pause', 'architect'],
  ['unpause', 'architect'],
  ['cancel', 'all'],
  ['retry', 't1'],
  ['worktree', 'remove', 'x'],
  ['prune'],
  ['up', '--until-idle'],
  ['serve'],
  ['check', '--no-explore'],
  ['reload'],
  ['doctor', '--fix'],
  ['init', '--for', 'w'],
])('%j names the project, which is not the current folder', async (...words) => {
  expect(await firstComplaint(...words)).toBe(`project: ${root}`);
});

it.each([['status'], ['inbox'], ['trail'], ['why', 'qa'], ['doctor']])(
  '%j only reads, and does not name it',
  async (...words) => {
    expect(await firstComplaint(...words)).toBe('');
  },
);
