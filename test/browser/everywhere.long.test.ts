import { basename } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserFixture, expectAccessible } from './browser.ts';
import { workOfEveryKind, type Made } from './browser-fixture.ts';

/** What an agent may write to take over the page, or to look like something else. */
const hostile =
  '<img src=x onerror="document.title=1"><script>document.title=2</script>\u202egnihton\u001b[31m\u0007';

/** A workflow that somebody else has written. */
const workflow = `name: hostile
version: "1"
timeout: 10m
description: ${JSON.stringify(hostile)}
steps:
  build: { command: [echo, ${JSON.stringify(hostile)}] }
  test: { command: [echo, tested], depends_on: [build] }
`;

const bed = browserFixture({ 'workflows/hostile.yaml': workflow });

/** A bell, the start of a terminal's command, and the mark that turns the direction of writing. */
const dangerous = ['\u0007', '\u001b', '\u202e'];

async function go(page: Page, route: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to;
  }, `#/${route}`);
  await page.locator('main h1').waitFor();
  await expect.poll(() => page.locator('.loading').count()).toBe(0);
}

const views = (made: Made): readonly string[] => [
  'inbox',
  `inbox/${made.question}`,
  `inbox/${encodeURIComponent(`${made.run}/ship-it`)}`,
  'roles',
  'roles/engineer',
  'threads',
  `threads/${made.thread}`,
  `messages/${made.question}`,
  'turns/t1',
  'runs',
  `runs/${made.run}?step=build`,
  'workflows',
  'workflows/release',
  'workflows/hostile',
  'workflows/hostile/edit',
  'costs',
  'send/engineer',
  'why/engineer',
  'nowhere',
  // The ways to the views after it keep the moment of the past.
  'roles?at=3',
  `threads/${made.thread}`,
];

test.each([
  ['light', 1440],
  ['dark', 1440],
  ['light', 390],
  ['dark', 390],
] as const)(
  'every view is accessible and safe, %s at %i pixels',
  { timeout: 400_000 },
  async (theme, width) => {
    const { fixture } = bed;
    const made = await workOfEveryKind(bed.fixture, hostile);
    const { address } = await fixture.serve();
    const page = await fixture.open(address, { dark: theme === 'dark', width });
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    for (const view of views(made)) {
      await go(page, view);
      await expectAccessible(page, view);
      const { title, overflow, images } = await page.evaluate(() => ({
        title: document.title,
        overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        images: document.querySelectorAll('img, script:not([src])').length,
      }));
      expect({ view, title: title.split(' · ').at(-1), overflow, images }).toEqual({
        view,
        title: basename(fixture.project.root),
        overflow: 0,
        images: 0,
      });
      const shown = await page.locator('main').innerText();
      expect(dangerous.filter((character) => shown.includes(character))).toEqual([]);
    }
    await page.keyboard.press('?');
    await expectAccessible(page, 'help');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await expectAccessible(page, 'palette');
    expect(fixture.faults).toEqual([]);
  },
);

test('shows the characters that would hide or turn a text', async () => {
  const { fixture } = bed;
  const made = await workOfEveryKind(bed.fixture, hostile);
  const { address } = await fixture.serve();
  const page = await fixture.open(address);
  await go(page, `threads/${made.thread}`);
  const text = await page.locator('main').innerText();
  expect(text).toContain('<img src=x onerror="document.title=1"><script>document.title=2</script>');
  expect(text).toContain('\\u202egnihton\\u001b[31m\\u0007');
  expect(fixture.faults).toEqual([]);
});
