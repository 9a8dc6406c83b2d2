import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserFixture, tabTo } from './browser.ts';

/* What the page is for, in one sitting, by a person who uses neither the mouse nor a command line. */

const flow = `name: flow
version: "1"
timeout: 10m
steps:
  build: { command: [echo, built] } # fast
`;

const bed = browserFixture({ 'workflows/flow.yaml': flow });

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name }).first().waitFor();

test('a task, a question, what is stuck, an edited workflow, its run and an approval, by keyboard alone', async () => {
  const { fixture } = bed;
  await fixture.work();
  const page = await fixture.open((await fixture.serve()).address);
  await heading(page, 'Inbox');

  await press(page, 'n');
  await page.getByLabel('To').and(page.locator(':focus')).waitFor();
  await press(page, 'e');
  await tabTo(page, /^Subject/);
  await page.keyboard.type('Add totals');
  await tabTo(page, /^Text/);
  await page.keyboard.type('Show totals; the price list is in data/.');
  await press(page, 'Control+Enter');
  await heading(page, 'Add totals');

  await press(page, 'g', 'i');
  await heading(page, 'Inbox');
  await page.getByText('Which currency do prices have?').first().waitFor();
  await press(page, 'j', 'Enter');
  await page.getByText('Should totals be in euros').first().waitFor();
  await press(page, 'a');
  await page.keyboard.type('Euros.');
  await tabTo(page, /^EUR/);
  await press(page, 'Space', 'Control+Enter');
  await page.getByText('Nothing waits for you.').waitFor();

  // The engineer continues, and waits for a reviewer who takes long.
  await press(page, 'Control+k');
  await page.keyboard.type('engineer');
  await press(page, 'Enter');
  await heading(page, 'engineer');
  await tabTo(page, /^Why\?/);
  await press(page, 'Enter');
  await heading(page, 'Why: engineer');
  await page.locator('main').getByText('qa').first().waitFor();

  await press(page, 'g', 'w');
  await heading(page, 'Workflows');
  await page.getByRole('link', { name: 'flow', exact: true }).waitFor();
  await press(page, 'j', 'Enter');
  await heading(page, 'flow');
  await tabTo(page, /^Edit/);
  await press(page, 'Enter');
  await page.getByRole('group', { name: /^Graph of/ }).waitFor();
  await tabTo(page, /^build, command/);
  await press(page, 'Enter');
  await heading(page, 'Step build');
  await tabTo(page, /^New step/);
  await page.keyboard.type('gate');
  await tabTo(page, /^Add it after build/);
  await press(page, 'Enter');
  await heading(page, 'Step gate');

  await tabTo(page, /^Plan and run/, 'Shift+Tab');
  await press(page, 'Enter');
  await tabTo(page, /^Show the price/);
  await press(page, 'Enter');
  await heading(page, 'What a run would do');
  await tabTo(page, /^Save and run it: no cost/);
  await press(page, 'Enter');
  await heading(page, 'Timeline');
  await page.getByLabel('Comment').waitFor();
  expect(readFileSync(join(fixture.project.root, 'workflows/flow.yaml'), 'utf8')).toBe(
    `${flow}  gate:\n    depends_on: [build]\n    gate:\n      message: Continue?\n`,
  );

  await press(page, 'a');
  await page.keyboard.type('Looks right');
  await tabTo(page, /^Approve/);
  await press(page, 'Enter');
  await page.locator('main .facts .state', { hasText: 'succeeded' }).waitFor();
  expect(fixture.faults).toEqual([]);
});
