import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserFixture, expectAccessible } from './browser.ts';
import { makeRepository, sendTasks, statesFiles, tasks, untilWaiting } from './mail-states.ts';

/* What a person does with mail, and how many clicks and keys that takes at most. */

const bed = browserFixture(statesFiles);

/** A person at the page, whose clicks and keys are counted; the letters of a text are not. */
class Person {
  readonly page: Page;
  clicks = 0;
  keys = 0;

  constructor(page: Page) {
    this.page = page;
  }

  /** Clicks what has this name, with the mouse. */
  async click(role: 'button' | 'link' | 'textbox' | 'radio', name: string | RegExp): Promise<void> {
    const target = this.page.getByRole(role, { name }).first();
    await target.scrollIntoViewIfNeeded();
    const { width, height } = (await target.boundingBox())!;
    // Where it rests: what loads above it may still move it.
    await target.click({ position: { x: width / 2, y: Math.min(height / 2, 20) } });
    this.clicks += 1;
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
    this.keys += keys.length;
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
  }
}

/** Opens the page beside a controller that works. */
async function personAt(...kinds: Parameters<typeof sendTasks>[1][]): Promise<() => Promise<Person>> {
  const { fixture } = bed;
  makeRepository(fixture);
  await fixture.work();
  await sendTasks(fixture, ...kinds);
  const { address } = await fixture.serve();
  return async () => {
    const page = await fixture.open(address, { width: 1440 });
    page.setDefaultTimeout(30_000);
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    return new Person(page);
  };
}

const go = async (page: Page, route: string) => {
  await page.evaluate((to) => {
    location.hash = to;
  }, `#/${route}`);
};

/** A row under the mouse differs from one at rest and from the chosen one, light and dark. */
async function expectHoverIsNotChosen(page: Page): Promise<void> {
  const ground = (row: Locator) => row.evaluate((element) => getComputedStyle(element).backgroundColor);
  const rows = page.locator('.list a.card');
  await rows.nth(1).click();
  await page.locator('.list [aria-current]').waitFor();
  await rows.nth(2).hover();
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    const grounds = await Promise.all([rows.nth(0), rows.nth(1), rows.nth(2)].map(ground));
    expect(new Set(grounds).size).toBe(3);
    await expectAccessible(page, `a row under the mouse, ${colorScheme}`);
  }
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '');

test('two questions are answered one after the other: 2 clicks, or 2 keys, and the text', async () => {
  const open = await personAt('questions');
  await untilWaiting(bed.fixture, 'question', 2);
  const person = await open();
  const { page } = person;
  // The same question of two tasks is told apart by them.
  for (const task of [/Cache of the shop/, /Cache of the blog/]) {
    const row = page.getByRole('link', { name: task });
    await row.first().waitFor();
  }
  await page.getByText('I would take memory.').waitFor();
  expect(await page.getByLabel('days').inputValue()).toBe('3');
  await person.click('textbox', 'Your answer');
  await person.type('Memory.\nIt is small.');
  await person.click('button', 'Send answer');
  expect(person.clicks).toBeLessThanOrEqual(3);

  await expect.poll(() => page.url()).toContain('#/inbox/');
  await page.locator('.detail').getByText('Cache of the blog').waitFor();
  await expect.poll(() => focused(page)).toBe('Which store should the cache use?');
  await person.press('a');
  await person.type('Disk.');
  await person.press('Control+Enter');
  expect(person.keys).toBeLessThanOrEqual(5);
  await page.getByText('Nothing waits for you.').waitFor();
  await go(page, 'inbox/done');
  await page.getByRole('link', { name: /Cache of the shop\s*Answered \d+s ago: Memory\.$/ }).waitFor();
  expect(bed.fixture.faults).toEqual([]);
});

test('a gate with a field is approved by 2 clicks, or 3 keys and the text', async () => {
  const open = await personAt();
  bed.fixture.start(['run', 'release', '--plain']);
  await untilWaiting(bed.fixture, 'gate', 1);
  const person = await open();
  const { page } = person;
  expect(await page.getByLabel('percent').inputValue()).toBe('10');
  await person.click('textbox', /^reason/);
  await person.type('It is tested.');
  await person.click('button', 'Approve');
  expect(person.clicks).toBeLessThanOrEqual(2);
  await page.getByText('Answered: approve.').waitFor();

  await page.getByText('Nothing waits for you.').waitFor();
  bed.fixture.start(['run', 'release', '--plain']);
  await page.getByLabel('percent').waitFor();
  await person.press('a', 'Tab');
  await person.type('It is tested, too.');
  await person.press('Control+Enter');
  expect(person.keys).toBeLessThanOrEqual(3);
  await page.getByText('Nothing waits for you.').waitFor();
});

test('ten notices are put away by 1 click, or 3 keys', async () => {
  const open = await personAt('notices');
  await untilWaiting(bed.fixture, 'report', 10);
  const person = await open();
  await person.page.getByText('Progress').first().waitFor();
  expect(await person.page.locator('.waiting-row').count()).toBeLessThan(4);
  // The newest notice comes first: that the thread is quiet.
  await person.press('j', 'j', 'e');
  expect(person.keys).toBe(3);
  await untilWaiting(bed.fixture, 'report', 0);
  await person.page.getByRole('button', { name: 'Undo z' }).waitFor();
  await person.page.keyboard.press('z');
  await untilWaiting(bed.fixture, 'report', 10);
  await person.page.getByText('Progress').first().waitFor();
  await person.page.keyboard.press('j');
  await person.press('j', 'e');
  await untilWaiting(bed.fixture, 'report', 0);
  // A controller has seen it meanwhile, or not: it comes back from what is done, too.
  await person.page.getByRole('link', { name: 'Done' }).click();
  await person.page.getByText('Progress: part 10').waitFor();
  await expectAccessible(person.page, 'what is done');
  await person.page.getByRole('link', { name: /Progress: part 10/ }).click();
  await person.page.getByRole('button', { name: 'Put back' }).click();
  await untilWaiting(bed.fixture, 'report', 1);
  await person.page.getByRole('link', { name: /^Inbox/ }).click();
  await person.page.getByText('Progress: part 10').first().waitFor();

  await sendTasks(bed.fixture, 'notices');
  await untilWaiting(bed.fixture, 'report', 11);
  await person.page.getByRole('button', { name: /^Put all 1\d notices away/ }).waitFor();
  await person.click('button', /^Put all \d+ notices away/);
  expect(person.clicks).toBe(1);
  await untilWaiting(bed.fixture, 'notice', 0);
  await person.page.getByText('Nothing waits for you.').waitFor();
});

test('what changed in work is seen by 1 click, or 2 keys', async () => {
  const open = await personAt('landing');
  await untilWaiting(bed.fixture, 'landing', 1);
  const person = await open();
  await person.press('j', 'Enter');
  expect(person.keys).toBeLessThanOrEqual(2);
  await person.page.locator('.difference .added', { hasText: '+EUR' }).waitFor();
  const other = await open();
  await other.click('link', /is to land on main/);
  await other.page.locator('.difference .added', { hasText: '+EUR' }).waitFor();
});

test('a role that does not move is moved by 2 clicks, or 4 keys', async () => {
  const open = await personAt();
  await bed.fixture.project.run(['pause', 'writer']);
  await sendTasks(bed.fixture, 'questions');
  const person = await open();
  await person.click('link', /^Roles/);
  await person.click('button', 'Continue writer');
  expect(person.clicks).toBeLessThanOrEqual(2);
  await untilWaiting(bed.fixture, 'question', 2);

  await bed.fixture.project.run(['pause', 'engineer']);
  await sendTasks(bed.fixture, 'landing');
  await go(person.page, 'inbox');
  await person.press('g', 'r');
  await person.page.getByRole('button', { name: 'Continue engineer' }).waitFor();
  await person.press('a', 'Enter');
  expect(person.keys).toBeLessThanOrEqual(4);
  await untilWaiting(bed.fixture, 'landing', 1);
});

test('a long question has its form within one screen', async () => {
  const open = await personAt('long');
  await untilWaiting(bed.fixture, 'question', 1);
  const { page } = await open();
  await page.getByText('Words of no weight.').first().waitFor();
  const { y } = (await page.getByLabel('Your answer').boundingBox())!;
  expect(y).toBeLessThan(700);
});

test('a failed turn says why first, and is tried again', async () => {
  const open = await personAt('failed');
  const { page } = await open();
  await page.getByText('Turn t1 of clumsy failed').first().waitFor();
  await go(page, 'turns/t1');
  await page.getByRole('heading', { name: 'clumsy, turn t1: Totals that fail' }).waitFor();
  await page.getByText('exit code 3: TypeError: totals is not a function').first().waitFor();
  expect(await page.locator('main').innerText()).not.toContain('It changed no file');
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('It starts again.').waitFor();
  await go(page, 'turns/t2');
  await page.getByRole('heading', { name: /^clumsy, turn t2/ }).waitFor();

  // The key finds the remedy of the row with the focus, which keeps that once it is used.
  await go(page, 'roles');
  const row = page
    .getByRole('table', { name: 'Roles and their waits' })
    .getByRole('row', { name: /^clumsy/ });
  await row.getByRole('link', { name: 'Turn t2 and its output' }).waitFor();
  await page.getByRole('row', { name: /^left/ }).getByRole('link').focus();
  await page.keyboard.press('a');
  expect(await page.locator('button:focus').count()).toBe(0);
  const name = row.getByRole('link', { name: 'clumsy', exact: true });
  await name.focus();
  await page.keyboard.press('a');
  await page.keyboard.press('Enter');
  await row.getByRole('link', { name: 'Turn t3 and its output' }).waitFor();
  await name.and(page.locator(':focus')).waitFor();
  expect(await row.innerText()).toMatch(/Since \d\d?s ago/);
  await go(page, 'why/clumsy');
  await page.locator('main .state.bad', { hasText: 'failed' }).waitFor();

  // Of the failures only the newest waits, and is put away with those before it.
  await go(page, 'inbox');
  const failures = page.getByRole('link', { name: /of clumsy failed/ });
  await page.getByRole('link', { name: 'Turn t3 of clumsy failed' }).waitFor();
  expect(await failures.count()).toBe(1);
  await failures.click();
  await page.locator('.detail').getByRole('link', { name: 'Turn t3 and its output' }).waitFor();
  expect(await page.locator('.detail').getByText('exit code 3').count()).toBe(1);
  await page.locator('.detail').getByRole('button', { name: 'Put away' }).click();
  await failures.waitFor({ state: 'detached' });
  const { stdout } = await bed.fixture.project.run(['inbox']);
  expect(stdout).not.toContain('of clumsy failed');

  await go(page, 'threads');
  await page.getByRole('searchbox').fill('Totals');
  await page.getByRole('link', { name: /^Totals that fail/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.detail').getByRole('heading', { name: 'Totals that fail' }).waitFor();
  await go(page, 'roles');
  await page.getByRole('button', { name: 'Pause all roles' }).click();
  await page.locator('.sidebar').getByText('All roles are paused').waitFor();
  await page.locator('.sidebar').getByRole('button', { name: 'Continue all' }).click();
  await page.locator('.sidebar').getByText('A controller runs').waitFor();
});

test('what failed is red with its reason and Retry: the role, the thread, and the message by its turn', async () => {
  const open = await personAt('failed');
  const { page } = await open();
  await page.getByText('Turn t1 of clumsy failed').first().waitFor();
  await go(page, 'roles');
  const row = page
    .getByRole('table', { name: 'Roles and their waits' })
    .getByRole('row', { name: /^clumsy/ });
  await row.locator('.state.bad', { hasText: 'failed' }).waitFor();
  await row.getByRole('button', { name: 'Retry', exact: true }).waitFor();
  await go(page, 'threads');
  // The row says whose turn it was.
  await page.getByRole('link', { name: /^Totals that fail\s*failed, not retried\s*clumsy/ }).click();
  await page.locator('.detail').getByRole('button', { name: 'Retry', exact: true }).waitFor();
  await page.locator('.detail a[href*="messages/"]').first().click();
  await page.getByRole('link', { name: 'turn t1' }).click();
  await page.getByRole('heading', { name: 'clumsy, turn t1: Totals that fail' }).waitFor();
  await go(page, 'threads');
  await page.getByRole('link', { name: /^Totals that fail/ }).click();
  await page.locator('.detail').getByRole('button', { name: 'Retry', exact: true }).click();
  await page.getByText('It starts again.').waitFor();
  await page.getByText('Turn t2 of clumsy failed').first().waitFor();
  await page.getByRole('link', { name: 't2 and its output' }).waitFor();
  await go(page, 'inbox');
  // It is red while nothing was tried again, and stands before what only informs.
  const failed = page.getByRole('list', { name: 'Waiting for you' }).getByRole('listitem');
  await failed.filter({ hasText: 'Turn t2 of clumsy failed' }).locator('.state.bad').waitFor();
  expect(await failed.filter({ hasText: 'Turn t1 of clumsy failed' }).count()).toBe(0);
  await page.getByRole('link', { name: /Turn t2 of clumsy failed/ }).click();
  await page.locator('.detail').getByRole('button', { name: 'Retry', exact: true }).click();
  await page.getByText('Turn t3 of clumsy failed').first().waitFor();
  // What its program did not report is not zero.
  await go(page, 'costs');
  await page.getByText('3 of 3 launches reported no cost.').waitFor();
  await page.getByRole('row', { name: /^clumsy 3 – not reported/ }).waitFor();
  expect(await page.locator('main').innerText()).not.toMatch(/\$0\.00|\b0 tokens/);
  expect(bed.fixture.faults).toEqual([]);
});

test('a conflict shows both sides before it is retried', async () => {
  const open = await personAt('conflict');
  await untilWaiting(bed.fixture, 'conflict', 1);
  const { page } = await open();
  const detail = page.locator('.detail');
  await detail.getByRole('heading', { name: 'Both sides' }).waitFor();
  expect(await detail.locator('.difference .added, .difference .removed').allInnerTexts()).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/-(left|right|merger)$/),
      expect.stringMatching(/\+(left|right)$/),
    ]),
  );
  await detail.getByRole('button', { name: 'Retry: I have resolved it' }).waitFor();
});

test('the chosen row comes into sight of its list, and what arrives takes no focus from a person', async () => {
  const open = await personAt('questions', 'notices');
  await untilWaiting(bed.fixture, 'report', 10);
  await untilWaiting(bed.fixture, 'question', 2);
  const { page } = await open();
  await page.setViewportSize({ width: 1440, height: 420 });
  await page.locator('.list button.card', { hasText: 'Progress' }).click();
  const parts = await page.locator('.list .nested a').allInnerTexts();
  const numbers = parts.map((each) => /part (\d+)/.exec(each)?.[1]);
  expect(numbers).toEqual(['10', '9', '8', '7', '6', '5', '4', '3', '2', '1']);
  const last = page.locator('.list .nested a').last();
  const to = (await last.getAttribute('href')) ?? '';
  await page.locator('.list').evaluate((list) => list.scrollTo(0, 0));
  await go(page, to.slice(2));
  await page.locator('.list [aria-current]').waitFor();
  const isSeen = () =>
    page.locator('.list').evaluate((list) => {
      const [box, row] = [list, list.querySelector('[aria-current]')!].map((each) =>
        each.getBoundingClientRect(),
      );
      if (row === undefined || box === undefined) return false;
      return row.top >= box.top && row.bottom <= box.bottom && scrollY === 0;
    });
  await expect.poll(isSeen).toBe(true);

  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/threads\/[0-9a-f-]+$/, (route) => held.then(() => route.continue()));
  await go(page, 'threads');
  // Not the task of the item in the inbox, which may be there still.
  await page
    .locator('.list')
    .getByRole('link', { name: /^Ten reports/ })
    .click();
  // The place is chosen when its row is marked; before, the click has no effect yet.
  await page.locator('.list [aria-current]', { hasText: 'Ten reports' }).waitFor();
  await page.keyboard.press('/');
  release();
  await page.locator('.detail h2').waitFor();
  expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search');
});

test.each([
  ['light', 1440],
  ['dark', 1024],
  ['light', 390],
  ['dark', 390],
] as const)(
  'mail in every state is accessible, %s at %i pixels',
  { timeout: 200_000 },
  async (theme, width) => {
    const { fixture } = bed;
    makeRepository(fixture);
    await fixture.work();
    fixture.start(['run', 'release', '--plain']);
    await sendTasks(fixture, 'questions', 'escalated', 'landing', 'failed', 'slow', 'notices');
    await untilWaiting(fixture, 'report', 10);
    for (const what of ['landing', 'urgent', 'gate']) await untilWaiting(fixture, what, 1);
    const page = await fixture.open((await fixture.serve()).address, { dark: theme === 'dark', width });
    page.setDefaultTimeout(30_000);
    await page.getByText('Escalated from lead').waitFor();
    const { threads } = JSON.parse((await fixture.project.run(['status', '--json'])).stdout) as {
      threads: { id: string; subject: string }[];
    };
    const failed = threads.find(({ subject }) => subject === tasks.failed[0][1])?.id ?? '';
    const views = ['inbox', 'inbox/t4', 'threads', `threads/${failed}`, 'turns/t5', `messages/${failed}`];
    for (const view of [...views, 'send', 'why/clumsy']) {
      await go(page, view);
      await page.locator('main h1').waitFor();
      await expect.poll(() => page.locator('.loading').count()).toBe(0);
      await expectAccessible(page, view);
      if (view === 'inbox' && width === 1440) await expectHoverIsNotChosen(page);
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0);
    }
    expect(fixture.faults).toEqual([]);
  },
);
