import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserFixture, expectAccessible } from '../../../browser/browser.ts';
import { open, openText, shownText } from './composer-page.ts';

/** A chain in which no step waits for the one before the one before it. */
const chain = `name: chain
version: "1"
timeout: 10m
steps:
  a: { command: [echo, a] }
  b: { command: [echo, b], depends_on: [a] }
  c: { command: [echo, c], depends_on: [b] }
`;

/** More steps than are drawn at once. */
const large = `name: large
version: "1"
timeout: 10m
steps:
${Array.from({ length: 1_000 }, (_each, index) => {
  const needs = index < 5 ? '' : `, depends_on: [s${String(index - 5)}]`;
  return `  s${String(index)}: { command: [echo, "${String(index)}"]${needs} }\n`;
}).join('')}`;

const bed = browserFixture({
  'workflows/chain.yaml': chain,
  'workflows/large.yaml': large,
});

/** Draws a line from the circle of one step to another step, or to a place, as a hand does. */
async function drawLine(page: Page, from: string, to: string | { readonly x: number; readonly y: number }) {
  const at = await middleOf(page, from);
  await page.mouse.move(at.x, at.y);
  const port = await page.locator(`[data-step="${from}"] .port`).boundingBox();
  if (port === null) throw new Error(`${from} has no circle`);
  await page.mouse.move(port.x + port.width / 2, port.y + port.height / 2);
  await page.mouse.down();
  // A hand sees where the step is now.
  const { x, y } = typeof to === 'string' ? await middleOf(page, to) : to;
  await page.mouse.move(x, y, { steps: 10 });
  await page.mouse.up();
}

async function middleOf(page: Page, step: string): Promise<{ x: number; y: number }> {
  const box = () => page.locator(`[data-step="${step}"]`).boundingBox();
  // It may still be on its way to its place.
  let [before, at] = [await box(), await box()];
  while (JSON.stringify(before) !== JSON.stringify(at)) [before, at] = [at, await box()];
  if (at === null) throw new Error(`there is no step ${step}`);
  return { x: at.x + at.width / 2, y: at.y + at.height / 2 };
}

const zooms = [0, -1, -3].flatMap((zoom) => [[zoom, 'to the right'] as const, [zoom, 'down'] as const]);

test.each(zooms)('a line is drawn by the mouse, %i steps from the opening zoom, %s', async (zoom, way) => {
  const { address } = await bed.fixture.serve();
  const page = await bed.fixture.open(address);
  await open(page, 'chain');
  if (way === 'down') await page.getByRole('button', { name: 'Top to bottom' }).click();
  for (let step = 0; step < Math.abs(zoom); step += 1)
    await page.getByRole('button', { name: zoom < 0 ? 'Zoom out' : 'Zoom in' }).click();
  await drawLine(page, 'a', 'c');
  await expect.poll(() => shownText(page)).toMatch(/c: .*\[(?:a, b|b, a)\]/);
  // What was made is chosen, and has the focus; its form opens when a person opens the step.
  await expect.poll(() => focusedStep(page)).toBe('c');
  expect(await page.getByRole('region', { name: 'Form', exact: true }).count()).toBe(0);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Step c' }).waitFor();
  await page.keyboard.press('Escape');
  await drawLine(page, 'c', 'a');
  await page.getByText(/this would be a cycle/).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  const text = await shownText(page);
  const { x, y } = await middleOf(page, 'a');
  await drawLine(page, 'a', { x: x + 150, y: y + 30 });
  expect(await shownText(page)).toBe(text);
  expect(bed.fixture.faults).toEqual([]);
});

const focusedStep = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('data-step') ?? null);

test.each([1440, 390])('at first the whole graph is seen, in reach of its buttons, at %i', async (width) => {
  const { address } = await bed.fixture.serve();
  const page = await bed.fixture.open(address, { width });
  await page.evaluate(() => {
    new PerformanceObserver((list) => {
      for (const { sources } of list.getEntries() as (PerformanceEntry & { sources: { node: Node }[] })[])
        if (sources.some(({ node }) => node instanceof Element && node.matches('.composer')))
          document.documentElement.dataset['moved'] = 'yes';
    }).observe({ type: 'layout-shift' });
  });
  await open(page, 'release');
  await page.locator('[data-step="ship-it"]').waitFor();
  await page.locator('#add-kind option').first().waitFor({ state: 'attached' });
  // Measured in one go, as what is loaded moves what is below it.
  const measured = () =>
    page.evaluate(() => {
      const boxes = (selector: string) =>
        [...document.querySelectorAll(selector)].map(
          (each) => each.getBoundingClientRect().toJSON() as DOMRect,
        );
      const [canvas] = boxes('.canvas > svg');
      if (canvas === undefined) throw new Error('there is no canvas');
      const [steps, tools] = [boxes('[data-step]'), boxes('.canvas-tools button')];
      const outside = steps.filter(
        ({ left, right, top, bottom }) =>
          left < canvas.left || right > canvas.right || top < canvas.top || bottom > canvas.bottom,
      );
      const covered = steps.filter((step) =>
        tools.some(
          ({ left, right, top, bottom }) =>
            left < step.right && right > step.left && top < step.bottom && bottom > step.top,
        ),
      );
      const far = [...tools, ...boxes('.composer-bar button')].filter(
        ({ left, right, bottom }) => left < 0 || right > innerWidth || bottom >= 400,
      );
      return { outside, covered, far };
    });
  await expect.poll(measured).toEqual({ outside: [], covered: [], far: [] });
  // What is loaded last does not move the graph from under the pointer.
  expect(await page.evaluate(() => document.documentElement.dataset['moved'])).toBeUndefined();
  expect(await page.locator('.drawer:visible').count()).toBe(0);
  // To be in the lines of a step is not to open it.
  await openText(page);
  await page.locator('.cm-content').getByText('unit-tests').first().click();
  await page.locator('[data-step="unit-tests"][aria-pressed="true"]').waitFor({ state: 'attached' });
  expect(await page.locator('.drawer.form:visible').count()).toBe(0);
  expect(bed.fixture.faults).toEqual([]);
});

async function widthOf(page: Page, drawer: 'Text' | 'Form'): Promise<number> {
  const box = await page.getByRole('region', { name: drawer, exact: true }).boundingBox();
  return Math.round(box?.width ?? 0);
}

test('drawers are dragged wider, moved by keys, pinned and closed, also after a reload', async () => {
  const { address } = await bed.fixture.serve();
  const page = await bed.fixture.open(address, { width: 1440 });
  await open(page, 'chain');
  const canvas = () => page.locator('.canvas').boundingBox();
  const whole = (await canvas())!.width;
  // Nothing is open, and the views of the page are folded.
  expect(whole).toBeGreaterThan(1_300);
  await openText(page);
  expect((await canvas())!.width).toBe(whole);
  const before = await widthOf(page, 'Text');
  const edge = (await page.getByRole('separator', { name: 'Width of the text' }).boundingBox())!;
  await page.mouse.move(edge.x + edge.width / 2, edge.y + 200);
  await page.mouse.down();
  await page.mouse.move(edge.x + edge.width / 2 + 120, edge.y + 200, { steps: 5 });
  await page.mouse.up();
  expect(await widthOf(page, 'Text')).toBe(before + 120);
  await page.getByRole('button', { name: 'Pin the text' }).press('Enter');
  await expect.poll(async () => (await canvas())!.width).toBeLessThan(whole - before);

  await page.getByRole('button', { name: /^b, command/ }).press('Enter');
  await page.getByRole('heading', { name: 'Step b' }).waitFor();
  const form = await widthOf(page, 'Form');
  await page.getByRole('separator', { name: 'Width of the form' }).press('ArrowLeft');
  await expect.poll(() => widthOf(page, 'Form')).toBe(form + 24);
  await expectAccessible(page, 'drawers');
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Step b' }).waitFor({ state: 'hidden' });
  await expect.poll(() => focusedStep(page)).toBe('b');

  await page.reload();
  await page.getByRole('button', { name: 'Pin the text', pressed: true }).waitFor();
  expect(await widthOf(page, 'Text')).toBe(before + 120);
  await page.getByRole('button', { name: 'Close the text' }).press('Enter');
  await expect.poll(async () => (await canvas())!.width).toBe(whole);
  await page.reload();
  await page.getByRole('group', { name: /^Graph of/ }).waitFor();
  expect(await page.getByRole('button', { name: 'Text', exact: true }).getAttribute('aria-expanded')).toBe(
    'false',
  );
  expect(bed.fixture.faults).toEqual([]);
});

test('on a narrow screen one drawer at a time covers the canvas, and a step is changed', async () => {
  const { address } = await bed.fixture.serve();
  const page = await bed.fixture.open(address, { width: 390 });
  await open(page, 'chain');
  const box = async (selector: string) => (await page.locator(selector).boundingBox())!;
  const circle = await box('[data-step="a"] .port');
  expect(Math.min(circle.width, circle.height)).toBeGreaterThanOrEqual(24);
  await drawLine(page, 'a', 'c');
  await expect.poll(() => focusedStep(page)).toBe('c');

  await page.locator('[data-step="b"]').click();
  await page.getByRole('heading', { name: 'Step b' }).waitFor();
  const covers = async (drawer: string) => {
    const [own, canvas] = [await box(`.drawer.${drawer}`), await box('.canvas')];
    expect(own).toEqual(canvas);
    expect(own.width).toBeGreaterThan(340);
    // It is in view, below its button.
    expect(own.y).toBeGreaterThan(30);
    expect(own.y + own.height).toBeLessThanOrEqual(800);
    expect(await page.locator('.drawer:visible').count()).toBe(1);
  };
  await covers('form');
  const form = page.getByRole('region', { name: 'Form', exact: true });
  const command = form.getByRole('textbox', { name: 'command' }).first();
  await command.fill('npm test');
  await command.blur();
  await page.getByRole('button', { name: 'Text', exact: true }).click();
  await expect.poll(() => shownText(page)).toContain('npm');
  await covers('text');
  expect(await shownText(page)).toMatch(/c: .*\[(?:a, b|b, a)\]/);
  await page.getByRole('button', { name: 'Form', exact: true }).click();
  await page.getByRole('heading', { name: 'Step b' }).waitFor();
  await covers('form');
  await expectAccessible(page, 'a form on a narrow screen');
  await page.getByRole('button', { name: 'Close the form' }).click();
  expect(await page.locator('.drawer:visible').count()).toBe(0);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Not saved').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  expect(bed.fixture.faults).toEqual([]);
});

test('the form has what is set and mostly needed; the rest is found', async () => {
  const { address } = await bed.fixture.serve();
  const page = await bed.fixture.open(address);
  await open(page, 'chain');
  await page.getByRole('button', { name: /^b, command/ }).press('Enter');
  const form = page.getByRole('region', { name: 'Form', exact: true });
  const keys = () =>
    form.locator('.panel > .field > label[for^="field-"], .panel > .group > summary').allInnerTexts();
  await expect.poll(keys).toEqual(['command', 'workspace', 'outputs', 'timeout', 'retry', 'on the canvas']);
  await form.getByRole('searchbox').fill('grace');
  await form.getByRole('textbox', { name: 'grace' }).fill('5s');
  await page.keyboard.press('Tab');
  await expect.poll(() => shownText(page)).toContain('grace: 5s');
  await form.getByRole('searchbox').fill('');
  await expect.poll(keys).toContain('grace');
  // A new name keeps the focus in the form.
  await form.getByRole('textbox', { name: 'id', exact: true }).fill('built');
  await page.keyboard.press('Tab');
  await page.getByRole('heading', { name: 'Step built' }).waitFor();
  await expect.poll(() => shownText(page)).toContain('depends_on: [built]');
  expect(await form.evaluate((element) => element.contains(document.activeElement))).toBe(true);
  expect(bed.fixture.faults).toEqual([]);
});

test('of a large workflow only steps in view are drawn, and one can go to any', async () => {
  const { address } = await bed.fixture.serve();
  const page = await bed.fixture.open(address);
  await open(page, 'large');
  await page.getByText('1,000 steps. Those in view are drawn; the table below has all.').waitFor();
  expect(await page.locator('[data-step]').count()).toBeLessThan(300);
  await page.getByRole('searchbox', { name: 'Find a step' }).fill('s999');
  await page.getByRole('rowheader', { name: 's999' }).getByRole('button').click();
  await page
    .getByRole('button', { name: /^s999, command/, pressed: true })
    .and(page.locator('[data-step]'))
    .waitFor();
  expect(bed.fixture.faults).toEqual([]);
});
