import { expect, test } from 'vitest';
import { browserFixture, expectAccessible } from './browser.ts';
import { workOfEveryKind } from './browser-fixture.ts';

const bed = browserFixture({
  'workflows/broken.yaml': 'name: broken\nversion: "1"\nsteps:\n  a: { command: [echo] }\n',
  'workflows/plain.yaml': `name: plain
version: "1"
timeout: 10m
parameters: { who: { type: string, default: world } }
steps:
  a: { command: [echo, hi] }
`,
});

test('from the list, a run takes two clicks, with its price beside them; errors are in the row', async () => {
  const { address } = await bed.fixture.serve();
  const page = await bed.fixture.open(address);
  await page.getByRole('link', { name: 'Workflows' }).click();
  const broken = page.getByRole('row').filter({ hasText: 'broken' });
  await broken.locator('.fault').getByText('is missing').waitFor();
  expect(await broken.getByRole('link', { name: /^Edit/ }).count()).toBe(1);
  expect(await broken.getByRole('link', { name: /^Run/ }).count()).toBe(0);
  await expectAccessible(page, 'a list with a broken workflow');
  await page.getByRole('link', { name: 'Run plain' }).click();
  await page.getByRole('heading', { name: 'What a run would do' }).waitFor();
  await expectAccessible(page, 'a workflow with its price');
  await page.getByRole('button', { name: 'Run it: no cost' }).waitFor();
  const limit = page.getByLabel('Stop at this cost, in dollars');
  await limit.fill('a25');
  await limit.press('Enter');
  const fault = () => limit.evaluate((field: HTMLInputElement) => field.validationMessage);
  await expect.poll(fault).toBe('It must be dollars, such as 2.50.');
  await limit.fill('');
  expect(await fault()).toBe('');
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.getByRole('button', { name: /^Run it/ }).click();
  await page.waitForURL(/#\/runs\//);
  expect(bed.fixture.faults).toEqual([]);
});

test('a workflow shows its graph and defaults; a start beside a run leads to that', async () => {
  const { address } = await bed.fixture.serve();
  const page = await bed.fixture.open(address);
  const start = async () => {
    await page.evaluate(() => {
      location.hash = '#/workflows/release';
    });
    await page.getByRole('group', { name: 'Graph of the steps' }).waitFor();
    await page.getByRole('textbox', { name: 'version (required)' }).fill('3.0.0');
    await page.keyboard.press('Enter');
  };
  await start();
  await page.waitForURL(/#\/runs\//);
  const first = page.url();
  await start();
  const way = page.getByRole('link', { name: 'Go to the run in the way' });
  await way.waitFor();
  // The reason is in the form, and nowhere else.
  expect(await page.getByRole('alert').count()).toBe(1);
  await expectAccessible(page, 'a refused start');
  await way.click();
  await page.waitForURL(first);
  expect(bed.fixture.faults).toEqual([]);
});

test('a message to a thread goes to who wrote last; one without text is refused at its field', async () => {
  const { fixture } = bed;
  await workOfEveryKind(fixture);
  const page = await fixture.open((await fixture.serve()).address);
  await page.getByRole('link', { name: 'Threads' }).click();
  await page.getByRole('link', { name: 'Write about the shop.' }).click();
  await page.getByText('Review of the totals').first().waitFor();
  await page.getByRole('link', { name: 'Add a message' }).click();
  await page.getByRole('link', { name: 'Write about the shop.' }).waitFor();
  await expect.poll(() => page.getByLabel('To', { exact: true }).inputValue()).toBe('writer');
  const text = page.getByLabel('Text', { exact: true });
  expect(await text.evaluate((field) => field === document.activeElement)).toBe(true);
  await text.press('Control+Enter');
  const fault = () => text.evaluate((field: HTMLTextAreaElement) => field.validationMessage);
  await expect.poll(fault).toBe('Write the text first.');
  await expectAccessible(page, 'a message to a thread');
  await text.fill('Thank you');
  await text.press('Control+Enter');
  await page.waitForURL(/#\/threads\//);
  expect(fixture.faults).toEqual([]);
});

test('costs of days are bars with a table', async () => {
  const { address } = await bed.fixture.serve();
  const page = await bed.fixture.open(address);
  const cost = (usd: number) => ({ usd, tokens: 1000, unpriced: 0 });
  const row = (day: string, role: string, usd: number) => ({
    key: { day, role },
    launches: 1,
    cost: cost(usd),
  });
  const rows = [
    row('2026-11-20', 'writer', 1),
    row('2026-11-22', 'writer', 2),
    row('2026-11-22', 'engineer', 3),
  ];
  const today = [row(new Date().toISOString().slice(0, 10), 'writer', 4)];
  const costs = { schema: 1, by: ['day', 'role'], since: null, rows, total: { launches: 3, cost: cost(6) } };
  await page.route(/\/costs\?by=day/, (route) => route.fulfill({ json: costs }));
  await page.getByRole('link', { name: 'Costs' }).click();
  await page.getByRole('img', { name: 'Costs of each day by role, from 2026-11-16 to 2026-11-22' }).waitFor();
  // At least a week of two roles, days without costs among them.
  expect(await page.locator('.days rect').count()).toBe(14);
  expect(await page.locator('.axis-costs').innerText()).toMatch(/^\$5\.00\s+0$/);
  expect(await page.locator('.axis-days').innerText()).toMatch(/^11-16\s[^]*11-22$/);
  await page.getByRole('combobox', { name: 'Group by' }).selectOption('day,role');
  await page.getByRole('row', { name: '2026-11-22 engineer' }).waitFor();
  await expectAccessible(page, 'costs');
  // Of many roles, those that cost most have colours of their own.
  const many = Array.from({ length: 40 }, (_each, at) => row('2026-11-22', `role${String(at)}`, at + 1));
  await page.route(/\/costs\?by=day/, (route) => route.fulfill({ json: { ...costs, rows: many } }));
  await page.getByRole('combobox', { name: 'Period' }).selectOption('1d');
  await page.locator('.bar-key', { hasText: '35 other roles' }).waitFor();
  expect(await page.locator('.days rect').count()).toBe(42);
  await page.unroute(/\/costs\?by=day/);
  await page.route(/\/costs\?by=day/, (route) => route.fulfill({ json: { ...costs, rows: today } }));
  await page.getByRole('combobox', { name: 'Period' }).selectOption('7d');
  await page.locator('.panel', { hasText: 'Today' }).getByText('writer: $4.00').waitFor();
  expect(bed.fixture.faults).toEqual([]);
});
