import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserFixture, expectAccessible } from './browser.ts';
import { liveRun, newestRun, ranRun, runFiles, runsOfEveryKind } from './runs.ts';

/* A run is one screen: what matters is in sight, by few clicks or keys, and without scrolling. */

const bed = browserFixture(runFiles);

/** Opens the page at its beginning, in a window of a usual size. */
async function opened(width = 1440): Promise<Page> {
  const page = await bed.fixture.open((await bed.fixture.serve()).address, { width });
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  return page;
}

const show = (page: Page, place: string) =>
  page.evaluate((to) => {
    location.hash = to;
  }, `#/${place}`);

/** Expects that something lies inside of the window, and that the page itself does not scroll. */
async function expectInSight(page: Page, selector: string, text: string): Promise<void> {
  const found = page.locator(selector, { hasText: text }).first();
  await found.waitFor();
  const box = await found.boundingBox();
  const size = page.viewportSize();
  expect(box?.y).toBeGreaterThanOrEqual(0);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(size?.height ?? 0);
  expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBeLessThanOrEqual(
    0,
  );
}

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

test('the failing step and its error are one click from the first page or the list, or two keys', async () => {
  const { fixture } = bed;
  await ranRun(fixture, 'failing');
  const page = await opened();
  const failed = page.getByRole('list', { name: 'Failed runs' }).getByRole('link', { name: 'failing' });
  await failed.getByText('unit: exit code 2: 1 test failed').click();
  await expectInSight(page, '.log-row', 'AssertionError: expected 200 to be 201');
  await page.goBack();
  await page.getByRole('list', { name: 'Failed runs' }).waitFor();
  await press(page, 'j', 'Enter');
  await expectInSight(page, '.log-row', 'AssertionError: expected 200 to be 201');

  await show(page, 'runs');
  // All of a row leads to its run.
  await page.getByRole('cell', { name: /unit: exit code 2/ }).click({ force: true });
  await expectInSight(page, '.log-row', 'AssertionError: expected 200 to be 201');
  await expectInSight(page, '.run-step h2', 'unit');
  await expectInSight(page, '.run-step .state', 'failed');

  await page.goBack();
  await page.getByRole('heading', { name: 'Runs' }).waitFor();
  await page.getByRole('link', { name: 'failing' }).waitFor();
  await press(page, 'j', 'Enter');
  await expectInSight(page, '.log-row', 'AssertionError: expected 200 to be 201');

  // The keys lead to what makes it move, and to the runs beside it.
  await press(page, 'a');
  await page.getByRole('button', { name: 'Run again from here' }).and(page.locator(':focus')).waitFor();
  await page.locator('h1').focus();
  await press(page, 'j', 'k');
  await page.locator('a.card[aria-current]:focus').waitFor();

  // What resuming does covers the screen, and moves nothing on it.
  const log = page.locator('.log-box');
  const before = await log.boundingBox();
  await page.getByRole('button', { name: 'Resume …' }).click();
  const plan = page.getByRole('dialog', { name: 'What resuming does' });
  await plan.getByRole('cell', { name: 'failed: exit code 2' }).waitFor();
  expect(await log.boundingBox()).toEqual(before);
  expect(before?.height).toBeGreaterThan(200);
  await plan.getByRole('button', { name: 'Not now' }).click();

  // The panel of the step is as high as what is beside it, and shows all.
  const hidden = page.locator('.run-step .fill');
  expect(await hidden.evaluate((box) => box.scrollHeight - box.clientHeight)).toBe(0);
  expect(await page.locator('.axis .took').innerText()).toMatch(/^\d\.\ds$/);

  // What is chosen in the graph is chosen everywhere: by the mouse, and by arrow keys.
  await page.locator('.graph a', { hasText: 'lint' }).click();
  await expectInSight(page, '.run-step h2', 'lint');
  await expectInSight(page, '.run-log h2', 'Output of lint');
  await expectInSight(page, '.bar[aria-current]', 'lint');
  await press(page, 'ArrowLeft');
  await expectInSight(page, '.run-step h2', 'first');
  await page.getByRole('radio', { name: 'Table' }).check();
  await page.locator('.steps a', { hasText: 'unit' }).click();
  await press(page, 'ArrowUp');
  await expectInSight(page, '.run-step h2', 'first');
  await page.locator('.timeline a', { hasText: 'publish' }).click();
  await expectInSight(page, '.run-step h2', 'publish');
  await expectInSight(page, '.steps .chosen', 'publish');

  await page.reload();
  await page.getByRole('radio', { name: 'Table' }).waitFor();
  expect(await page.getByRole('radio', { name: 'Table' }).isChecked()).toBe(true);
  expect(fixture.faults).toEqual([]);
});

test('live output is two clicks from the first page, or four keys', async () => {
  const { fixture } = bed;
  await liveRun(fixture, 'following', 'talk');
  const page = await opened();
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Runs' }).click();
  await page.getByRole('link', { name: 'following' }).click();
  await expectInSight(page, '.log-row', 'line 500');
  await page.getByText('500 lines, following').waitFor();

  await press(page, 'g', 'i');
  await page.getByRole('heading', { name: 'Inbox' }).first().waitFor();
  await press(page, 'g', 'u');
  await page.getByRole('link', { name: 'following' }).waitFor();
  await press(page, 'j', 'Enter');
  await expectInSight(page, '.log-row', 'line 500');

  // What was opened at arrival stays when it ends; a hint leads to where the run is then.
  fixture.project.write('stop', '');
  await expectInSight(page, '.log-row', 'last words');
  await expectInSight(page, '.run-log a', 'report →');
  expect(await page.locator('.run-log h2').innerText()).toBe('Output of talk');
  await page.locator('.run-log a', { hasText: 'report →' }).click();
  await expectInSight(page, '.run-log h2', 'Output of report');
  fixture.project.write('go', '');
  await page.locator('main .facts .state', { hasText: 'succeeded' }).waitFor();
  expect(fixture.faults).toEqual([]);
});

test('a gate with a field says that it waits for you, and is approved where the run is shown', async () => {
  const { fixture } = bed;
  const { run } = await liveRun(fixture, 'rollout', 'ship-it');
  const page = await opened();
  await show(page, 'runs');
  await page.locator('tr', { hasText: 'needs you: approval' }).getByRole('link').click();
  await page.locator('.graph a', { hasText: 'needs you: approval' }).waitFor();
  await expectInSight(page, '.run-step button', 'Approve');
  await page.getByText('Share of the users.').waitFor();
  // What the run and the step say is not said again.
  expect(await page.locator('.run-step .state', { hasText: 'needs you' }).count()).toBe(1);
  expect(await page.locator('.run-step a', { hasText: run.slice(-6) }).count()).toBe(0);
  await page.locator('.run-step dt', { hasText: /^For$/ }).waitFor();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.locator('main .facts .state', { hasText: 'succeeded' }).waitFor();
  await show(page, `runs/${run}?step=publish`);
  await expectInSight(page, '.log-row', '10 percent');
  expect(fixture.faults).toEqual([]);
});

test('a loop is one node and one row; its failed round comes first, by its item', async () => {
  const { fixture } = bed;
  const run = await ranRun(fixture, 'rounds');
  const page = await opened();
  await show(page, `runs/${run}`);
  // The run succeeded nevertheless, and says what did not.
  await expectInSight(page, 'main .facts', 'Althougheach failed: 1 of 30 items failed, first each/7/check');
  await expectInSight(page, '.graph a', '30 rounds, 1 failed');
  await expectInSight(page, '.run-step h2', 'each/7/check (i7)');
  await expectInSight(page, '.log-row', 'checking');
  await page.getByRole('radio', { name: 'Table' }).check();
  await page.locator('.steps a', { hasText: /^each$/ }).click();
  expect(await page.locator('.steps tbody a').allTextContents()).toEqual(['list', 'each', 'report']);
  await press(page, 'ArrowRight');
  await page.locator('.steps a', { hasText: /^i7$/ }).waitFor();
  expect((await page.locator('.steps tbody a').allTextContents()).slice(0, 4)).toEqual([
    'list',
    'each',
    'i7',
    'i0',
  ]);
  // What arrives after the letters were typed is found, too.
  await page.keyboard.press('Control+k');
  await page.keyboard.type('rounds');
  await page.getByRole('option', { name: /^run\s*rounds/ }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('combobox', { name: 'Only steps that' }).selectOption('failed');
  await page.locator('.steps a', { hasText: 'each/7/check (i7)' }).waitFor();
  expect(await page.locator('.steps tbody a').count()).toBe(1);
  expect(fixture.faults).toEqual([]);
});

test('10,000 steps are a table of which only what is in sight is drawn', async () => {
  const { fixture } = bed;
  const run = await ranRun(fixture, 'fine');
  const page = await opened();
  await page.route(`**/workflow-runs/${run}`, async (route) => {
    const answer = await route.fetch();
    const document = (await answer.json()) as { steps: Record<string, unknown> };
    const step = document.steps['a'];
    const steps = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`s${String(n)}`, step]));
    await route.fulfill({ json: { ...document, steps } });
  });
  await page.route(`**/workflow-runs/${run}/definition`, async (route) => {
    const answer = await route.fetch();
    const document = (await answer.json()) as { graph: object };
    const nodes = Array.from({ length: 10_000 }, (_, n) => ({ id: `s${String(n)}`, who: '', shape: 'step' }));
    await route.fulfill({ json: { ...document, graph: { nodes, edges: [] } } });
  });
  await show(page, `runs/${run}?step=s7000`);
  await page.getByText('A graph of 10000 steps is too large to read').waitFor();
  await expectInSight(page, '.steps .chosen', 's7000');
  expect(await page.locator('.steps tr').count()).toBeLessThan(100);
  await page.locator('.steps a', { hasText: /^s7000$/ }).focus();
  await press(page, 'ArrowDown', 'ArrowDown');
  await expectInSight(page, '.run-step h2', 's7002');
  await page.locator('.steps').evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await page.locator('.steps a', { hasText: /^s9999$/ }).waitFor();
  expect(fixture.faults).toEqual([]);
});

test('runs of all kinds have words of their own, are found by how they stand, and readable at every width', async () => {
  const { fixture } = bed;
  await runsOfEveryKind(fixture);
  const page = await opened();
  await show(page, 'runs');
  await page.locator('tbody tr').nth(14).waitFor();
  const words = new Set(await page.locator('tbody .state').allTextContents());
  expect([...words].toSorted()).toEqual([
    'cancelled',
    'failed',
    'needs you: approval',
    'running',
    'stopped',
    'succeeded',
    'timed out',
  ]);
  expect(await page.locator('.group').allTextContents()).toEqual([
    'Needs you',
    'Working',
    'Waits',
    'Failed',
    'Done',
  ]);
  // On a tablet an id stays in one line, with its workflow.
  await page.setViewportSize({ width: 1024, height: 768 });
  const cell = page.locator('tbody th', { has: page.locator('.id') }).first();
  expect((await cell.boundingBox())?.height).toBeLessThan(40);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('searchbox', { name: 'Find runs by words' }).fill('NEST');
  await expect.poll(() => page.locator('tbody .state').allTextContents()).toEqual(['failed']);
  await page.getByRole('searchbox', { name: 'Find runs by words' }).fill('');
  await page.getByRole('combobox', { name: 'State' }).selectOption('waiting');
  await expect.poll(() => page.locator('tbody .state').allTextContents()).toEqual(['stopped']);
  await page.getByRole('combobox', { name: 'State' }).selectOption('');

  // The last started comes first.
  await show(page, 'workflows');
  const first = () => page.locator('tbody tr').first().textContent();
  await expect.poll(first).toMatch(/^following.*running/);
  await page.getByRole('searchbox', { name: 'Find workflows by words' }).fill('roll');
  await expect.poll(first).toMatch(/^rollout.*needs you: approval/);
  expect(await page.locator('tbody tr').count()).toBe(1);

  const names = ['failing', 'rollout', 'rounds', 'forty'];
  await show(page, `runs/${await newestRun(fixture, 'rollout')}?step=ship-it`);
  const before = page.getByRole('region', { name: 'Done before' });
  expect(await before.innerText()).toMatch(/^Done before it\s+build\s+succeeded\s+built$/i);
  const runs = await Promise.all(names.map((name) => newestRun(fixture, name)));
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1440, 1024, 390]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      for (const place of ['runs', ...runs.map((run) => `runs/${run}`)]) {
        await show(page, place);
        await page.locator('tbody tr, .timeline .bar').first().waitFor();
        await expect.poll(() => page.locator('.loading').count()).toBe(0);
        await expectAccessible(page, `${place} at ${String(width)}, ${colorScheme}`);
        expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
      }
    }
  expect(fixture.faults).toEqual([]);
}, 280_000);

test('on a narrow screen a chosen step comes into sight, and the whole graph can be reached', async () => {
  const { fixture } = bed;
  const run = await ranRun(fixture, 'failing');
  const page = await opened(390);
  await show(page, `runs/${run}`);
  await page.locator('.graph a', { hasText: 'publish' }).click();
  await page.locator('.run-step h2', { hasText: 'publish' }).waitFor();
  const top = () => page.locator('.run-step').evaluate((panel) => panel.getBoundingClientRect().top);
  await expect.poll(top).toBeLessThan(400);

  // The drawing shrinks to what can still be read, and does not grow.
  const scale = () =>
    page
      .locator('.graph svg')
      .evaluate((svg: SVGSVGElement) => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width);
  expect(await scale()).toBeCloseTo(0.75);
  await page.setViewportSize({ width: 1440, height: 900 });
  await expect.poll(scale).toBeCloseTo(1);
  expect(fixture.faults).toEqual([]);
});

test('the past of a run is gone through from change to change, and changes nothing', async () => {
  const { fixture } = bed;
  const run = await ranRun(fixture, 'failing');
  const page = await opened();
  await show(page, `runs/${run}`);
  await page.getByRole('button', { name: 'Resume …' }).waitFor();
  await page.keyboard.press('h');
  const before = page.getByRole('button', { name: 'Change before' });
  await before.click();
  await page.locator('.past output', { hasText: /\d\d:\d\d/ }).waitFor();
  expect(await page.getByRole('button', { name: 'Resume …' }).count()).toBe(0);
  // Before the first change of the run there is nothing of it.
  await expect
    .poll(async () => {
      if (await before.isEnabled()) await before.click();
      return before.isEnabled();
    })
    .toBe(false);
  await page.getByRole('button', { name: 'Change after' }).click();
  await page.getByRole('button', { name: 'Back to now' }).click();
  await page.getByRole('button', { name: 'Resume …' }).waitFor();
  expect(fixture.faults).toEqual([]);
});
