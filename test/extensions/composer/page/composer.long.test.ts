import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { browserFixture, expectAccessible, tabTo } from '../../../browser/browser.ts';
import { open, openText, shownText } from './composer-page.ts';

/** A workflow whose text nobody would print like this. */
const flow = `# Kept as it is.
name:   flow
version: "1"
timeout: 10m

steps:
  build: { command: [echo, built] } # fast
  test:
    depends_on: [ build ]
    command: [echo, "\${{ steps.build.output }}"]
`;

/** Stages, of which one needs a person, and what they can be given. */
const stages = `workflow: { id: review, name: Review, version: 1.0.0 }
stages:
  - id: draft
    roles: { primary: { artifact: "agent:writer" } }
  - id: look
    depends_on: [draft]
    type: gate
    gate: { kind: manual_approval }
`;

/** Stages with modules and memories. */
const bound = `workflow: { id: bound, name: Bound, version: 1.0.0 }
context:
  global_modules: ["ctx:rules"] # of all
  memory: { max_tokens: 20 }
stages:
  - id: draft
    roles: { primary: { artifact: "agent:writer" } }
    context:
      modules:
        - "ctx:style" # first
        - ctx:rules
`;

const bed = browserFixture({
  'workflows/flow.yaml': flow,
  'workflows/review.yaml': stages,
  'modules/rules.md': 'Be kind.\n',
  'workflows/bound.yaml': bound,
  'modules/style.md': 'Be brief.\n',
  'memory/short.md': '---\ncategory: pattern\n---\nShort.\n',
  'memory/long.md': `${'long '.repeat(100)}\n`,
});

const fileOf = (name: string) => join(bed.fixture.project.root, 'workflows', name);

test('text and graph change each other, and saving keeps every other byte', async () => {
  const { address } = await bed.fixture.serve();
  const page = await bed.fixture.open(address);
  await open(page, 'flow');
  await openText(page);
  await page.getByRole('button', { name: /^build, command/ }).waitFor();
  const text = page.getByRole('textbox', { name: 'Text of the workflow' });
  await text.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('  ship: { command: [echo, shipped], depends_on: [test] }\n');
  await page.getByRole('button', { name: /^ship, command/ }).waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  expect(readFileSync(fileOf('flow.yaml'), 'utf8')).toContain('# fast\n  test:\n    depends_on: [ build ]');

  await page.getByRole('button', { name: /^ship, command/ }).press('Enter');
  await page.getByRole('button', { name: 'Do not wait for test' }).click();
  await expect.poll(() => shownText(page)).not.toContain('depends_on: [test]');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => shownText(page)).toContain('depends_on: [test]');
  expect(bed.fixture.faults).toEqual([]);
});

test('a file that changed meanwhile is not overwritten', async () => {
  const { address } = await bed.fixture.serve();
  const page = await bed.fixture.open(address);
  await open(page, 'flow');
  await page.getByRole('button', { name: 'Delete test' }).click();
  await expect.poll(() => shownText(page)).not.toContain('depends_on');
  const theirs = flow.replace('10m', '20m');
  writeFileSync(fileOf('flow.yaml'), theirs);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('The file has changed since you opened it.').waitFor();
  expect(readFileSync(fileOf('flow.yaml'), 'utf8')).toBe(theirs);
  await page.getByRole('button', { name: 'Show the difference' }).click();
  const difference = page.getByRole('region', { name: 'What your text changes in the file' });
  // Each change has its sign, and is not only a colour.
  expect(await difference.locator('.removed td:last-child').allInnerTexts()).toContain('-timeout: 20m');
  expect(await difference.locator('.added td:last-child').allInnerTexts()).toContain('+timeout: 10m');
  expect(await difference.locator('.removed td:last-child').allInnerTexts()).toContain('-  test:');
  await expectAccessible(page, 'difference');
  await page.getByRole('button', { name: 'Reload the file' }).click();
  await expect.poll(() => shownText(page)).toContain('timeout: 20m');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => shownText(page)).toContain('timeout: 10m');
  expect(bed.fixture.faults).toEqual([]);
});

test('what changed meanwhile stays, and the text goes to a new file', async () => {
  const { address } = await bed.fixture.serve();
  const page = await bed.fixture.open(address);
  await open(page, 'flow');
  await page.getByRole('button', { name: 'Delete test' }).click();
  await expect.poll(() => shownText(page)).not.toContain('depends_on');
  const theirs = flow.replace('10m', '20m');
  // The page hears of it without being asked.
  writeFileSync(fileOf('flow.yaml'), theirs);
  await page.getByText('The file has changed since you opened it.').waitFor();
  await page.getByLabel('Save as').fill('lean');
  await page.getByRole('button', { name: 'Save as a new workflow' }).click();
  await page.getByText('Saved as workflows/lean.yaml.').waitFor();
  expect(readFileSync(fileOf('flow.yaml'), 'utf8')).toBe(theirs);
  expect(readFileSync(fileOf('lean.yaml'), 'utf8')).toBe(
    flow.replace('name:   flow', 'name:   lean').replace(/  test:\n[^]*/, ''),
  );
  await page.getByRole('heading', { name: 'Edit workflows/lean.yaml' }).waitFor();
  await expect.poll(() => shownText(page)).toContain('name:   lean');
  expect(bed.fixture.faults).toEqual([]);
});

test('a file that changes while the code is loading is shown', async () => {
  const { address } = await bed.fixture.serve();
  const page = await bed.fixture.open(address);
  let load = (): void => undefined;
  const held = new Promise<void>((resolve) => (load = resolve));
  await page.route(/\/composer-[^/]*\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole('link', { name: 'Workflows' }).click();
  await page.getByRole('row').filter({ hasText: 'workflows/flow.yaml' }).waitFor();
  const answered = page.waitForResponse(/\/compose$/);
  await page.evaluate(() => {
    location.hash = '#/workflows/flow/edit';
  });
  await (await answered).finished();
  // The page hears of the change, and reads again what it shows.
  const heard = page.waitForResponse((response) => response.request().method() === 'GET');
  writeFileSync(fileOf('flow.yaml'), flow.replace('10m', '20m'));
  await heard;
  load();
  await page.getByRole('group', { name: /^Graph of/ }).waitFor();
  await expect.poll(() => shownText(page)).toContain('timeout: 20m');
  expect(bed.fixture.faults).toEqual([]);
});

test('steps are copied into another workflow by keyboard', async () => {
  const { address } = await bed.fixture.serve();
  const page = await bed.fixture.open(address);
  await open(page, 'flow');
  await page.getByRole('button', { name: /^build, command/ }).press('Enter');
  await page.getByRole('button', { name: /^test, command/ }).press('Shift+Enter');
  await page.getByRole('heading', { name: '2 steps' }).waitFor();
  await page.keyboard.press('Control+c');
  await page.getByText('Copied 2 steps.').waitFor();
  await open(page, 'release');
  await page.getByRole('button', { name: /^lint, agent/ }).press('Enter');
  await page.keyboard.press('Control+v');
  await page.getByRole('heading', { name: '2 steps' }).waitFor();
  await page.getByText('build-2, test').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  const copied = `  build-2:
    command: [echo, built]
  test:
    depends_on: [build-2]
    command: [echo, "\${{ steps.build-2.output }}"]
`;
  expect(readFileSync(fileOf('release.yaml'), 'utf8').endsWith(copied)).toBe(true);

  // In a text the same keys paste lines.
  await openText(page);
  await page.getByRole('button', { name: /^build-2, command/ }).press('Enter');
  await page.keyboard.press('Control+x');
  await expect.poll(() => page.getByRole('button', { name: /^build-2, command/ }).count()).toBe(0);
  await page.getByRole('textbox', { name: 'Text of the workflow' }).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.press('Control+v');
  await page.getByRole('button', { name: /^build-2, command/ }).waitFor();
  expect(bed.fixture.faults).toEqual([]);
});

test('a run is planned and started in the composer, with what is not saved', async () => {
  const { address } = await bed.fixture.serve();
  const [page, list] = [await bed.fixture.open(address), await bed.fixture.open(address)];
  await list.getByRole('link', { name: 'Workflows' }).click();
  const row = list.getByRole('row').filter({ hasText: 'workflows/release.yaml' });
  await row.waitFor();
  await open(page, 'release');
  await page.getByRole('button', { name: 'Delete ship-it' }).click();
  // The server computes what is deleted; what is planned before that is planned again at the start.
  await page.getByRole('button', { name: 'Delete ship-it' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Plan and run' }).click();
  await page.getByRole('button', { name: 'Show the price' }).click();
  await page.getByText('Fill this in.').waitFor();
  await page.getByRole('textbox', { name: 'version (required)' }).fill('3.0.0');
  await page.getByRole('button', { name: 'Show the price' }).click();
  await page.getByRole('heading', { name: 'What a run would do' }).waitFor();
  await expectAccessible(page, 'plan in the composer');
  expect(readFileSync(fileOf('release.yaml'), 'utf8')).toContain('ship-it');
  await page.getByRole('button', { name: 'Save and run it: no cost' }).click();
  await page.locator('main .facts .state', { hasText: 'succeeded' }).waitFor();
  expect(readFileSync(fileOf('release.yaml'), 'utf8')).not.toContain('ship-it');
  // A list that is open elsewhere follows the last run.
  await row.getByRole('link', { name: /^succeeded/ }).waitFor();
  expect(bed.fixture.faults).toEqual([]);
});

test('modules of a prompt are ordered, and its memories are shown', async () => {
  const { address } = await bed.fixture.serve();
  const page = await bed.fixture.open(address);
  await open(page, 'bound');
  const panel = (title: string) =>
    page.locator('section.panel').filter({ has: page.getByRole('heading', { name: title }) });
  const all = panel('Context of every prompt');
  await all.getByRole('row', { name: 'memory/short.md pattern 1 4 packed' }).waitFor();
  await all.getByRole('row', { name: 'memory/long.md 1 125 no room' }).waitFor();
  await all.getByText('any category: about 4 of 20 tokens.').waitFor();

  await page.getByRole('button', { name: /^draft, agent/ }).click();
  const own = panel('Context of draft');
  const names = () => own.locator('.bound code').allInnerTexts();
  await own.getByText('of every prompt, and named here again').waitFor();
  expect(await names()).toEqual(['ctx:rules', 'ctx:style']);
  await own.getByRole('button', { name: 'Up: ctx:rules' }).click();
  await own.getByRole('button', { name: 'Down: ctx:rules' }).waitFor();
  await own.getByRole('button', { name: 'Remove: ctx:rules' }).click();
  await own.getByText('of every prompt', { exact: true }).waitFor();
  expect(await names()).toEqual(['ctx:rules', 'ctx:style']);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  expect(readFileSync(fileOf('bound.yaml'), 'utf8')).toBe(bound.replace('        - ctx:rules\n', ''));

  // What another program writes into memory/ is seen without a reload.
  writeFileSync(join(bed.fixture.project.root, 'memory/long.md'), 'Now short.\n');
  await own.getByRole('row', { name: 'memory/long.md 1 3 packed' }).waitFor();
  await expectAccessible(page, 'context of a step');
  expect(bed.fixture.faults).toEqual([]);
});

test('what stages name and is missing gets a stub', async () => {
  const { address } = await bed.fixture.serve();
  const page = await bed.fixture.open(address);
  writeFileSync(fileOf('review.yaml'), stages.replace('writer', 'poet'));
  await open(page, 'review');
  await page.getByRole('button', { name: 'Write a stub of agent:poet' }).click();
  await page.getByText('Wrote agents/poet/role.md').waitFor();
  await expect.poll(() => page.getByText('is an agent that is not there').count()).toBe(0);
  expect(await page.getByRole('button', { name: /^Write a stub/ }).count()).toBe(0);
  expect(bed.fixture.faults).toEqual([]);
});

test('a person adds a step, connects it, saves and runs it by keyboard alone', async () => {
  const { address } = await bed.fixture.serve();
  const page = await bed.fixture.open(address);
  await open(page, 'flow');
  await tabTo(page, /^build, command/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Step build' }).waitFor();
  await tabTo(page, /^New step/);
  await page.keyboard.type('command');
  await tabTo(page, /^called/);
  await page.keyboard.type('deploy');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Step deploy' }).waitFor();
  await tabTo(page, /^Wait for another step/);
  await page.keyboard.type('test');
  await page.getByRole('button', { name: 'Do not wait for test' }).waitFor();
  await tabTo(page, /^Save$/, 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.getByText('Saved.').waitFor();
  expect(readFileSync(fileOf('flow.yaml'), 'utf8')).toBe(
    `${flow}  deploy:\n    depends_on: [test]\n    command: [echo, deploy]\n`,
  );
  await tabTo(page, /^Plan and run/);
  await page.keyboard.press('Enter');
  await tabTo(page, /^Show the price/);
  await page.keyboard.press('Enter');
  await tabTo(page, /^Run it/);
  await page.keyboard.press('Enter');
  await page.getByText('The run has started.').waitFor();
  expect(bed.fixture.faults).toEqual([]);
});

test.each([
  ['light', 1440],
  ['dark', 1440],
  ['dark', 1024],
  ['light', 390],
] as const)('is accessible, %s at %i pixels', async (theme, width) => {
  const { address } = await bed.fixture.serve();
  const page = await bed.fixture.open(address, { dark: theme === 'dark', width });
  await open(page, 'release');
  await page.getByRole('rowheader', { name: 'build' }).waitFor();
  // Hidden labels of the form do not lengthen the page.
  const empty = await page.evaluate(() => {
    const { bottom } = document.querySelector('.below')!.getBoundingClientRect();
    return document.documentElement.scrollHeight - bottom - scrollY;
  });
  expect(empty).toBeLessThan(200);
  await open(page, 'flow');
  await page.getByRole('button', { name: /^test, command/ }).waitFor();
  await expectAccessible(page, 'composer');
  await page.getByRole('button', { name: /^test, command/ }).click();
  await page.getByRole('heading', { name: 'Step test' }).waitFor();
  await expectAccessible(page, 'composer with a step');
  await open(page, 'review');
  await page.getByRole('listitem').filter({ hasText: 'ctx:rules' }).waitFor();
  await expectAccessible(page, 'composer of stages');
  await page.getByRole('button', { name: 'Top to bottom' }).click();
  await page.getByRole('button', { name: /^look, gate/ }).click();
  await page.getByRole('heading', { name: 'Step look' }).waitFor();
  await expectAccessible(page, 'composer with a stage');
  await openText(page);
  await expectAccessible(page, 'composer with its text, top to bottom');
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow).toBe(0);
  expect(bed.fixture.faults).toEqual([]);
});
