import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserFixture, expectAccessible } from './browser.ts';

/* A log opens at what matters, whatever its length. */

/** 20,000 lines that passed, one error among them, and a last word on the other stream. */
const big = `
for (let i = 1; i <= 20000; i++) {
  console.log(\`\\x1b[32m✓\\x1b[0m src/module-\${i % 97}/case-\${i}.test.ts (\${i % 50} ms)\`);
  if (i === 13777) console.log('✗ case-13777\\n  AssertionError: expected 200 to be 201');
}
console.error('1 test failed'); process.exitCode = 2;
`;
const failing = `
name: failing
version: "1"
timeout: 1h
steps:
  first: { command: [echo, fine] }
  unit: { command: [node, big.mjs], depends_on: [first] }
`;
const following = `
name: following
version: "1"
timeout: 1h
steps:
  talk: { command: [node, talk.mjs] }
`;
/** Prints a line for every line that the test writes. */
const talk = `
import { existsSync, readFileSync, watch } from 'node:fs';
let said = 0;
for (let i = 1; i <= 500; i++) console.log('line ' + i);
const look = () => {
  const wanted = existsSync('more') ? readFileSync('more', 'utf8').split('\\n').length - 1 : 0;
  while (said < wanted) console.log('more ' + ++said);
  if (existsSync('stop')) { console.log('last words'); watcher.close(); }
};
const watcher = watch('.', look); look();
`;

const bed = browserFixture({
  'big.mjs': big,
  'workflows/failing.yaml': failing,
  'workflows/following.yaml': following,
  'talk.mjs': talk,
});

const show = async (page: Page, place: string) => {
  page.setDefaultTimeout(20_000);
  await page.evaluate((to) => {
    location.hash = to;
  }, `#/${place}`);
};

/** Runs a workflow that fails. Returns its id, and the folder of its logs. */
async function failed(): Promise<{ readonly run: string; readonly steps: string }> {
  const { project } = bed.fixture;
  await project.run(['run', 'failing', '--plain']);
  const listed = await project.run(['runs', '--json']);
  const [{ run }] = JSON.parse(listed.stdout) as [{ run: string }];
  return { run, steps: join(project.root, '.mailroom/runs', run, 'steps') };
}

/** Whether a line is inside of what is seen of the log. */
function isInSight(page: Page, text: string): Promise<boolean> {
  return page.evaluate((wanted) => {
    const box = document.querySelector('.log-box')?.getBoundingClientRect();
    const row = [...document.querySelectorAll('.log-row')].find((each) => each.textContent.includes(wanted));
    const place = row?.getBoundingClientRect();
    return (
      box !== undefined && place !== undefined && place.top >= box.top - 1 && place.bottom <= box.bottom + 1
    );
  }, text);
}

test('a failed run opens at its error, and its log is searched, linked and saved', async () => {
  const { fixture } = bed;
  const { run } = await failed();
  const page = await fixture.open((await fixture.serve()).address, { width: 1440 });
  await show(page, `runs/${run}`);
  await page.getByText('AssertionError: expected 200 to be 201').waitFor();
  expect(await isInSight(page, 'AssertionError')).toBe(true);
  await page.getByRole('heading', { name: 'Output of unit' }).waitFor();
  expect(await page.locator('.log-row').count()).toBeLessThan(120);
  expect(await page.locator('.log .ink-green').first().textContent()).toBe('✓');
  await expectAccessible(page, 'a log');

  // Above it is what came before, by a real wheel.
  await page.locator('.log-box').hover();
  await page.mouse.wheel(0, -500);
  await page.getByText('/case-13750.test.ts').waitFor();
  await page.getByRole('button', { name: 'Beginning' }).click();
  await page.getByText('/case-1.test.ts').waitFor();

  await page.getByRole('searchbox', { name: 'Find in this log' }).fill('CASE-1999');
  await page.keyboard.press('Enter');
  await page.getByText('1 of 11', { exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('2 of 11', { exact: true }).waitFor();
  await page.getByText('case-19990').waitFor();
  expect(await isInSight(page, '/case-19990.test.ts')).toBe(true);
  // What was found is not taken for the failure.
  const tint = (row: string) =>
    page.locator(row).evaluate((element) => getComputedStyle(element).backgroundColor);
  const found = await tint('.log-row[data-line="19992"]');
  expect(await page.locator('.log-row.failed').count()).toBe(0);
  await page.getByRole('button', { name: 'Failure' }).click();
  expect(await tint('.log-row.failed')).not.toBe(found);
  await page.getByRole('searchbox', { name: 'Find in this log' }).press('Enter');
  await page.getByText('3 of 11', { exact: true }).waitFor();
  await page.getByText('case-19990').waitFor();

  await page.locator('.log-row', { hasText: 'case-19990' }).locator('a').click();
  expect(page.url()).toMatch(/line=19992/);
  await page.reload();
  await page.getByText('/case-19990.test.ts').waitFor();
  expect(await isInSight(page, '/case-19990.test.ts')).toBe(true);

  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  const saved = await (await saving).path();
  expect(readFileSync(saved, 'utf8').split('\n')).toHaveLength(20_003);

  await page.getByRole('radio', { name: /Errors/ }).check();
  await page.getByText('1 test failed').last().waitFor();
  expect(fixture.faults).toEqual([]);
});

test('100 MB open at their end, and scroll by keys to their beginning', async () => {
  const { fixture } = bed;
  const { run, steps } = await failed();
  const folder = join(steps, 'first/1.1');
  mkdirSync(folder, { recursive: true });
  const block = Array.from({ length: 10_000 }, (_, index) => `${'x'.repeat(90)} ${String(index)}\n`).join('');
  const file = join(folder, 'stdout');
  writeFileSync(file, '');
  for (let part = 0; part < 105; part += 1) appendFileSync(file, block);
  appendFileSync(file, 'the end\n');
  expect(statSync(file).size).toBeGreaterThan(100_000_000);

  const page = await fixture.open((await fixture.serve()).address, { width: 1024, dark: true });
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  const parts: string[] = [];
  page.on('request', (request) => parts.push(request.url()));
  await show(page, `runs/${run}?step=first`);
  await page.getByText('the end', { exact: true }).waitFor();
  // Only its end is read: how fast that is, the bench says.
  const read = parts.filter((url) => url.includes('/lines?'));
  expect(read.length).toBeGreaterThan(0);
  expect(read.length).toBeLessThan(10);
  await page.locator('.log-window').focus();
  await page.keyboard.press('Home');
  await page.getByText(`${'x'.repeat(90)} 0`, { exact: true }).waitFor();
  await page.keyboard.press('PageDown');
  await page.keyboard.press('End');
  await page.getByText('the end', { exact: true }).waitFor();
  expect(await page.locator('.log-row').count()).toBeLessThan(120);
  await page.getByRole('searchbox', { name: 'Find in this log' }).fill('the END');
  await page.keyboard.press('Enter');
  await page.getByText('1 of 1', { exact: true }).waitFor();
  expect(fixture.faults).toEqual([]);
});

test('a log of a step that runs is followed from its end, and not when one has scrolled back', async () => {
  const { fixture } = bed;
  fixture.start(['run', 'following', '--plain']);
  const page = await fixture.open((await fixture.serve()).address, { width: 390 });
  await show(page, 'runs');
  await page
    .getByRole('link', { name: /following|\w{6}/ })
    .first()
    .waitFor();
  const listed = await fixture.project.run(['runs', '--json']);
  const [{ run }] = JSON.parse(listed.stdout) as [{ run: string }];
  await show(page, `runs/${run}`);
  await page.getByText('line 500').waitFor();
  await page.getByText('500 lines, following').waitFor();
  expect(await isInSight(page, 'line 500')).toBe(true);
  await expectAccessible(page, 'a log that is followed');
  const isWide = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(await isWide()).toBe(false);

  // Scrolled back by a real wheel, it stays there while more comes.
  await page.locator('.log-box').hover();
  await page.mouse.wheel(0, -2_000);
  await page.getByText('500 lines', { exact: true }).waitFor();
  const [first] = await page.locator('.log-row').allInnerTexts();
  fixture.project.write('more', '\n'.repeat(50));
  await page.getByText('550 lines', { exact: true }).waitFor();
  expect((await page.locator('.log-row').allInnerTexts())[0]).toBe(first);
  expect(await page.getByText('more 50', { exact: true }).count()).toBe(0);

  // At its end it follows again.
  await page.getByRole('button', { name: 'End', exact: true }).click();
  await page.getByText('550 lines, following').waitFor();
  fixture.project.write('more', '\n'.repeat(90));
  await page.getByText('more 90', { exact: true }).waitFor();
  expect(await isInSight(page, 'more 90')).toBe(true);

  fixture.project.write('stop', '');
  await page.getByText('last words').waitFor();
  expect(await isInSight(page, 'last words')).toBe(true);
  expect(fixture.faults).toEqual([]);
});

test('a saved run opens at its error, and keeps below 2 MB', async () => {
  const { fixture } = bed;
  const { run } = await failed();
  const { stdout } = await fixture.project.run(['show', run, '--html']);
  expect(Buffer.byteLength(stdout)).toBeLessThan(2_000_000);
  const file = join(fixture.project.root, 'run.html');
  writeFileSync(file, stdout);
  const page = await fixture.open(`file://${file}`);
  await page.getByText('AssertionError: expected 200 to be 201').waitFor();
  expect(await isInSight(page, 'AssertionError')).toBe(true);
  await page.getByText(/lines are left out/).waitFor();
  await expectAccessible(page, 'a saved log');

  const whole = await fixture.project.run(['show', run, '--html', '--all']);
  expect(whole.stdout).toContain('case-7000.test.ts');
  expect(fixture.faults).toEqual([]);
});
