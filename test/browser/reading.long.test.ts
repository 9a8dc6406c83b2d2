import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserFixture } from './browser.ts';

/* What a person must see before they act: how a turn ended, and what an empty field means. */

const protocol = `
name: reading
version: "1"
roles:
  engineer: { capabilities: [READ], retries: 0 }
messages:
  task: { from: user, to: engineer }
  done: { from: engineer, to: user, closes: true }
start: { type: task, to: engineer }
`;

const release = `
name: release
version: "1"
timeout: 1h
steps:
  ship:
    gate:
      message: To how many?
      fields:
        percent: { type: integer, default: 10, description: Share of the users }
`;

const bed = browserFixture({
  'mailroom.yaml':
    'providers: { broken: { command: [sh, -c, "exit 2"] } }\ndefaults: { provider: broken }\ntrail: off\n',
  'protocols/team.yaml': protocol,
  'workflows/release.yaml': release,
});

const open = async (page: Page, place: string) => {
  await page.evaluate((to) => {
    location.hash = to;
  }, `#/${place}`);
};

test('a launch that will not be repeated has failed, and a field says its default', async () => {
  const { fixture } = bed;
  await fixture.work();
  const page = await fixture.open((await fixture.serve()).address);
  await fixture.project.run(['send', 'engineer', '--message', 'Go']);
  fixture.start(['run', 'release']);

  await open(page, 'inbox');
  await page.getByText('To how many?').first().click();
  await page.getByText('Share of the users. Type: a whole number. Default: 10').waitFor();

  await open(page, 'turns/t1');
  await page.getByText('failed, not retried').waitFor();
  expect(await page.locator('main').innerText()).not.toMatch(/\bnever\b/);
  expect(fixture.faults).toEqual([]);
});
