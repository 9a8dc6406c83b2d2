import { execFileSync } from 'node:child_process';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserFixture, expectAccessible, tabTo } from './browser.ts';

/* Work that is to land on a protected branch, from the page alone. */

const protocol = `
name: landing
version: "1"
workspace: { worktree: role }
roles:
  engineer: { capabilities: [READ, EDIT] }
messages:
  task: { from: user, to: engineer }
  done: { from: engineer, to: user, closes: true, lands: main }
start: { type: task, to: engineer }
`;

const engineer = `export async function play({ send, prompt, writeFileSync }) {
  writeFileSync('totals.txt', prompt.includes('In euros, please.') ? 'EUR\\n' : 'USD\\n');
  send('done', 'user', 'It is made', 'subject: Add totals\\n');
}
`;

const bed = browserFixture({
  'mailroom.yaml':
    'providers: { play: { command: [node, play/run.mjs] } }\n' +
    'defaults: { provider: play }\ntrail: off\nprotected: [main]\n',
  'protocols/team.yaml': protocol,
  'play/engineer.mjs': engineer,
  '.gitignore': '.mailroom/\nagents/\n.drop/\n*.log\n',
});

const open = async (page: Page, place: string) => {
  await page.evaluate((to) => {
    location.hash = to;
  }, `#/${place}`);
};

test('work that is to land is read, given back and approved by keyboard alone', async () => {
  const { fixture } = bed;
  const { root } = fixture.project;
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  git('init', '-qb', 'main');
  git('add', '-A');
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'commit', '-qm', 'first');
  await fixture.work();
  const page = await fixture.open((await fixture.serve()).address);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await fixture.project.run(['send', 'engineer', '--message', 'Add totals']);

  await page.getByText('is to land on main').first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.locator('.difference .added', { hasText: '+USD' }).waitFor();
  // The words of the agent stand beside its changes.
  await page.getByRole('region', { name: 'What is to land' }).getByText('It is made').waitFor();
  // What is to be judged comes before the buttons, which stay in sight.
  const topOf = async (name: string) => (await page.getByRole('button', { name }).boundingBox())!.y;
  const work = (await page.getByRole('region', { name: 'What is to land' }).boundingBox())!;
  expect(await topOf('Approve')).toBeGreaterThan(work.y + work.height);
  expect(await topOf('Reject')).toBeLessThan(780);
  await expectAccessible(page, 'a landing in the inbox');
  await open(page, 'roles');
  const queue = page.getByRole('region', { name: 'Work that lands' });
  expect(await queue.getByRole('row').nth(1).innerText()).toMatch(
    /^main\s+needs you: landing\s+Add totals\s+engineer\s/i,
  );
  await expectAccessible(page, 'the landing queues');

  await open(page, 'inbox/t1');
  await page.getByLabel('Comment').waitFor();
  await page.keyboard.press('a');
  await page.keyboard.type('In euros, please.');
  await tabTo(page, /^Reject/);
  await page.keyboard.press('Enter');
  await page.getByText('Rejected: its author gets it back.').waitFor();

  // It comes back with another commit, and is chosen again.
  await page.locator('.difference .added', { hasText: '+EUR' }).waitFor();
  await page.keyboard.press('a');
  await tabTo(page, /^Approve/);
  await page.keyboard.press('Enter');
  await page.getByText('Answered: approve.').waitFor();
  await page.getByText('Nothing waits for you.').waitFor();
  await open(page, 'turns/t1');
  await page.getByText('landed on main').waitFor();
  expect(git('show', 'main:totals.txt')).toBe('EUR');
  await page.locator('.conversation header a', { hasText: 'ago' }).last().click();
  await page.locator('.difference .added', { hasText: '+EUR' }).waitFor();
  await page.getByText('1 file, +1 −0').waitFor();
  await expectAccessible(page, 'a message with its work');

  const trail = await fixture.project.run(['trail', '--json']);
  const [{ thread }] = JSON.parse(trail.stdout) as [{ thread: string }];
  const saved = await fixture.project.run(['show', thread, '--html']);
  expect(saved.stdout).toMatch(/"\/messages\/[\w-]+\/diff":\{/);
  expect(fixture.faults).toEqual([]);
});
