import { basename } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Overview } from '../../src/documents/status.ts';
import { browserFixture, expectAccessible } from './browser.ts';
import { ended, workOfEveryKind } from './browser-fixture.ts';

const bed = browserFixture();

const projectOf = () => basename(bed.fixture.project.root);
const icon = (page: Page) => page.locator('link[rel=icon]').getAttribute('href');

async function show(page: Page, route: string): Promise<void> {
  await page.evaluate((to) => (location.hash = to), `#/${route}`);
}

async function hide(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}

test('an empty project says what to do, by mouse and by keyboard', { timeout: 180_000 }, async () => {
  const { fixture } = bed;
  const { address } = await fixture.serve();
  for (const width of [1440, 1024, 390])
    for (const dark of [false, true]) {
      const page = await fixture.open(address, { width, dark });
      await page.getByRole('heading', { name: 'Begin here' }).waitFor();
      expect(await page.getByText('Nothing waits for you.').count()).toBe(0);
      expect(await page.locator('.first-steps li').count()).toBe(3);
      await expectAccessible(page, `first visit at ${String(width)}, ${dark ? 'dark' : 'light'}`);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      await page.context().close();
    }
  const page = await fixture.open(address);
  const tutorial = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'Open the tutorial' }).click();
  expect(await (await tutorial).locator('body').textContent()).toContain('# Tutorial');
  await page.getByRole('link', { name: 'Start a workflow' }).click();
  await page.getByRole('heading', { name: 'Workflows' }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'Send a task' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'New task' }).waitFor();
  await fixture.project.run(['send', 'engineer', '--message', 'Show the price']);
  await show(page, 'inbox');
  await page.getByText('Nothing waits for you.').waitFor();
  await page.getByRole('heading', { name: 'Begin here' }).waitFor({ state: 'detached' });
  expect(fixture.faults).toEqual([]);
});

test('the tab says the view, the project and how many things need you', { timeout: 180_000 }, async () => {
  const { fixture } = bed;
  const { address } = await fixture.serve();
  const page = await fixture.open(address);
  await expect.poll(() => page.title(), { timeout: 20_000 }).toBe(`Inbox · ${projectOf()}`);
  expect(await icon(page)).not.toContain('circle');
  const made = await workOfEveryKind(fixture);
  await expect.poll(() => page.title(), { timeout: 20_000 }).toBe(`(2) Inbox · ${projectOf()}`);
  expect(await icon(page)).toContain('circle');
  const titles = [
    ['roles', 'Roles'],
    ['roles/qa', 'qa, running'],
    ['threads', 'Threads'],
    [`threads/${made.thread}`, 'The price'],
    ['turns/t1', '[^a-z]'],
    ['workflows/release', 'release'],
    ['costs', 'Costs'],
    ['send', 'New task'],
    ['why/engineer', 'Why: engineer'],
    ['nowhere', 'Nothing here'],
  ] as const;
  for (const [route, words] of titles) {
    await show(page, route);
    await expect
      .poll(() => page.title(), { timeout: 20_000 })
      .toMatch(new RegExp(String.raw`^\(2\) ${words}.* · ${projectOf()}$`));
  }
  expect(fixture.faults).toEqual([]);
});

test('a hidden tab counts and notifies, and a click opens the item', { timeout: 120_000 }, async () => {
  const { fixture } = bed;
  await fixture.work();
  const { address } = await fixture.serve();
  const page = await fixture.open('about:blank');
  await page.addInitScript(() => {
    const shown: { text: string; body: string; note: EventTarget }[] = [];
    class Note extends EventTarget {
      static permission = 'default';
      static requestPermission(): Promise<string> {
        return Promise.resolve((Note.permission = 'granted'));
      }
      constructor(text: string, { body }: { body: string }) {
        super();
        shown.push({ text, body, note: this });
      }
      close(): void {}
    }
    Object.assign(globalThis, { Notification: Note, shown });
  });
  await page.clock.install();
  await page.goto(address);
  await page.getByRole('button', { name: 'Notify me' }).click();
  await page.getByRole('button', { name: 'Notify me' }).waitFor({ state: 'detached' });
  // A hidden tab asks for nothing but the inbox.
  await expect.poll(() => page.title()).toContain(projectOf());
  await hide(page, true);
  await fixture.project.run(['send', 'engineer', '--message', 'The price\u202e']);
  const shown = () =>
    page.evaluate(() => {
      const { shown: all } = globalThis as unknown as { shown: { text: string; body: string }[] };
      return all.map(({ text, body }) => [text, body]);
    });
  await expect
    .poll(
      async () => {
        await page.clock.runFor(15_000);
        return shown();
      },
      { timeout: 30_000 },
    )
    .toEqual([['Which currency do prices have?', `request from engineer · ${projectOf()}`]]);
  await expect.poll(() => page.title(), { timeout: 20_000 }).toBe(`(1) Inbox · ${projectOf()}`);
  await hide(page, false);
  await page.evaluate(() => {
    const { shown: all } = globalThis as unknown as { shown: { note: EventTarget }[] };
    all[0]?.note.dispatchEvent(new Event('click'));
  });
  await page.getByRole('region', { name: 'Which currency do prices have?' }).waitFor();
  expect(fixture.faults).toEqual([]);
});

test('keys are not lost while the past is loaded', { timeout: 120_000 }, async () => {
  const { fixture } = bed;
  await workOfEveryKind(fixture);
  const page = await fixture.open((await fixture.serve()).address);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await page.keyboard.press('h');
  await page.keyboard.press('Home');
  await page.locator('output', { hasText: /record \d/ }).waitFor();
  expect(await page.locator('#past').inputValue()).toBe('0');
  expect(page.url()).toContain('at=');
  expect(fixture.faults).toEqual([]);
});

test('what failed without a server is forgotten once it is back', { timeout: 120_000 }, async () => {
  const { fixture } = bed;
  const { address, server } = await fixture.serve();
  const page = await fixture.open(address);
  await page.getByRole('link', { name: 'Roles', exact: true }).click();
  const pause = page.getByRole('button', { name: 'Pause', exact: true }).first();
  await pause.waitFor();
  await ended(server);
  await pause.click();
  await page.locator('.toast', { hasText: 'E_OFFLINE' }).waitFor();
  await fixture.serve(Number(new URL(address).port));
  await page.locator('.toast', { hasText: 'E_OFFLINE' }).waitFor({ state: 'detached' });
  expect(fixture.faults).toEqual([]);
});

test.each([-3_600_000, 3_600_000])('ages are right on a clock that is %d ms off', async (off) => {
  const { fixture } = bed;
  await fixture.project.run(['send', 'engineer', '--message', 'Show the price']);
  await fixture.project.run(['up', '--until-idle']);
  const page = await fixture.open('about:blank');
  await page.clock.install({ time: Date.now() + off });
  await page.goto((await fixture.serve()).address);
  const age = page.locator('.cards time').first();
  await expect.poll(() => age.textContent()).toMatch(/^(?:\d+s|[0-4]m)$/);
  // The hover has the date and the zone.
  expect(await age.getAttribute('title')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d \S+/);
  expect(fixture.faults).toEqual([]);
});

/** Changes what the server answers of the status. */
async function altered(page: Page, change: (status: Overview) => Overview): Promise<void> {
  await page.route('**/api/v1/status', async (route) => {
    const response = await route.fetch({ headers: { ...route.request().headers(), 'if-none-match': '' } });
    await route.fulfill({ json: change((await response.json()) as Overview) });
  });
}

test('a role stands as its turn does, and people are last', { timeout: 180_000 }, async () => {
  const { fixture } = bed;
  await workOfEveryKind(fixture);
  const { address } = await fixture.serve();
  for (const width of [1440, 1024, 390])
    for (const dark of [false, true]) {
      const page = await fixture.open('about:blank', { width, dark });
      const standing = { is: 'needs you', word: 'needs you: conflict', for: [], until: null } as const;
      await altered(page, (status) => ({
        ...status,
        turns: status.turns.map((turn) =>
          turn.role === 'qa' ? { ...turn, state: 'conflict', standing } : turn,
        ),
        roles: status.roles.map((role) => (role.name === 'qa' ? { ...role, standing } : role)),
        cost: { today: { usd: 40, tokens: 1_000, unpriced: 0 }, limit: { usd: 50, tokens: null } },
      }));
      await page.goto(address);
      await page.getByRole('heading', { name: 'Inbox' }).waitFor();
      await show(page, 'roles');
      const row = page.getByRole('row', { name: /^qa/ });
      await row.getByText('needs you: conflict').waitFor();
      // What waits for a person is not at work.
      expect(await page.locator('.turns li', { hasText: 'needs you: conflict' }).count()).toBe(0);
      const waits = width < 500 ? page.getByText(/writer waits for qa/) : page.locator('.graph .node.wait');
      await waits.filter({ hasText: 'qa' }).waitFor();
      expect(await row.getByRole('link', { name: /^Turn t\d+$/ }).count()).toBe(1);
      const people = page.getByText('People, who owe 1 answer');
      expect(await page.getByRole('row', { name: /^user/ }).count()).toBe(0);
      await people.click();
      await expectAccessible(page, `roles at ${String(width)}, ${dark ? 'dark' : 'light'}`);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      await page.getByRole('link', { name: 'owes 1 answer' }).click();
      await page.getByRole('heading', { name: 'Inbox' }).waitFor();
      await show(page, 'costs');
      await page.getByText('80 % of $50.00 for a day in UTC').waitFor();
      await expectAccessible(page, `costs at ${String(width)}, ${dark ? 'dark' : 'light'}`);
      await page.unrouteAll({ behavior: 'wait' });
      await page.context().close();
    }
  expect(fixture.faults).toEqual([]);
});
