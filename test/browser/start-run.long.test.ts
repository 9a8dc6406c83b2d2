import { expect, test } from 'vitest';
import { browserFixture, expectAccessible } from './browser.ts';

const bed = browserFixture();

test('a workflow shows its graph and defaults; a start beside a run leads to that', async () => {
  const { address } = await bed.fixture.serve();
  const page = await bed.fixture.open(address);
  const start = async () => {
    await page.evaluate(() => {
      location.hash = '#/workflows/release';
    });
    await page.getByRole('group', { name: 'Graph of the steps' }).waitFor();
    await page.getByRole('textbox', { name: 'version (required)' }).fill('3.0.0');
    await page.getByRole('button', { name: 'Show the price' }).click();
    await page.getByRole('button', { name: /^Run it/ }).click();
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

test('costs of days are bars with a table, and lead to the metrics', async () => {
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
  await page.getByRole('combobox', { name: 'Group by' }).selectOption('day,role');
  await page.getByRole('row', { name: '2026-11-22 engineer' }).waitFor();
  await expectAccessible(page, 'costs');
  await page.unroute(/\/costs\?by=day/);
  await page.route(/\/costs\?by=day/, (route) => route.fulfill({ json: { ...costs, rows: today } }));
  await page.getByRole('combobox', { name: 'Period' }).selectOption('7d');
  await page.locator('.panel', { hasText: 'Today' }).getByText('writer: $4.00').waitFor();
  expect(await page.getByRole('navigation').getByRole('link', { name: 'Metrics' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Metrics' }).click();
  await page.getByRole('heading', { name: 'Metrics' }).waitFor();
  expect(bed.fixture.faults).toEqual([]);
});
