import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserFixture, expectAccessible } from './browser.ts';
import { workOfEveryKind } from './browser-fixture.ts';

const bed = browserFixture();

interface Status {
  readonly roles: readonly {
    readonly name: string;
    readonly person: boolean;
    readonly standing: { readonly word: string };
  }[];
}

/** How the roles of agents stood at a record, as the command line has it. */
async function rolesAt(record: number): Promise<readonly string[]> {
  const ran = await bed.fixture.project.run(['status', '--at', String(record), '--json']);
  const { roles } = JSON.parse(ran.stdout) as Status;
  return roles.filter(({ person }) => !person).map(({ name, standing }) => `${name} ${standing.word}`);
}

/** How the roles of agents stand as the page has it. */
async function rolesOf(page: Page): Promise<readonly string[]> {
  const rows = await page.getByRole('table', { name: 'Roles and their waits' }).locator('tbody tr').all();
  return await Promise.all(
    rows.map(async (row) =>
      [await row.locator('th').innerText(), await row.locator('.state').first().innerText()].join(' '),
    ),
  );
}

const shown = (page: Page) => page.locator('.past output').innerText();
const recordShown = async (page: Page) => Number(/record (\d+)$/.exec(await shown(page))?.[1] ?? 0);
const ofFocus = (page: Page) =>
  page.evaluate(
    () =>
      document.activeElement?.id ||
      (document.activeElement?.ariaLabel ?? document.activeElement?.textContent),
  );

test('a person goes through the past by keyboard alone, record by record, and back to now', async () => {
  const { fixture } = bed;
  await workOfEveryKind(fixture);
  // After a run and turns: far behind the fifth record.
  const { project } = fixture;
  await project.run(['send', 'writer', '--message', 'Write it later.']);
  await expect.poll(async () => (await project.run(['trail'])).stdout).toContain('Write it later.');
  const { address } = await fixture.serve();
  const page = await fixture.open(address);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page.getByRole('heading', { name: 'Roles' }).waitFor();
  await page.keyboard.press('h');
  await expect.poll(() => ofFocus(page)).toBe('past');
  expect(await shown(page)).toBe('now');

  // The slider knows where the past begins once the first record has arrived.
  await expect
    .poll(async () => {
      await page.keyboard.press('Home');
      return await shown(page);
    })
    .toMatch(/, record 1$/);
  await expect.poll(() => rolesOf(page)).toEqual(await rolesAt(1));
  // There is no record before the first, so that button is disabled and has no place in the order.
  await page.keyboard.press('Tab');
  expect(await ofFocus(page)).toBe('Change after');
  const seen = new Set<string>();
  let record = 1;
  for (let presses = 0; presses < 4; presses += 1) {
    const before = record;
    await page.keyboard.press('Enter');
    await expect.poll(() => recordShown(page)).toBeGreaterThan(before);
    record = await recordShown(page);
    const roles = await rolesAt(record);
    await expect.poll(() => rolesOf(page)).toEqual(roles);
    expect(page.url()).toContain(`#/roles?at=${String(record)}`);
    expect(await ofFocus(page)).toBe('Change after');
    seen.add(roles.join());
  }
  // Otherwise a page that shows only one moment would have passed.
  expect(seen.size).toBeGreaterThan(1);
  const pauses = page.getByRole('button', { name: 'Pause all roles' });
  expect(await pauses.isDisabled()).toBe(true);

  // A way to another view keeps the moment.
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await page.getByRole('heading', { name: 'Threads' }).waitFor();
  await expect.poll(() => page.url()).toContain(`#/threads?at=${String(record)}`);
  await expect.poll(() => page.locator('main').innerText()).not.toContain('Write it later.');

  await page.locator('#past').focus();
  await page.keyboard.press('End');
  await expect.poll(() => shown(page)).toBe('now');
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page.getByRole('heading', { name: 'Roles' }).waitFor();
  expect(page.url()).not.toContain('at=');
  await expect.poll(() => pauses.isDisabled()).toBe(false);
  expect(fixture.faults).toEqual([]);
});

test('keys of the slider go from change to change, each in words, with marks of failures', async () => {
  const { fixture } = bed;
  const made = await workOfEveryKind(fixture);
  await fixture.project.run(['cancel', made.thread]);
  const { address } = await fixture.serve();
  const page = await fixture.open(address);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await page.goto(`${new URL(address).origin}/#/send`);
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'The past' }).click();
  const slider = page.locator('#past');
  await expect.poll(() => page.locator('.marks path').first().getAttribute('d')).toMatch(/^M.*M/);
  await slider.press('ArrowLeft');
  await expect.poll(() => recordShown(page)).toBeGreaterThan(10);
  const last = await recordShown(page);
  await slider.press('PageDown');
  await expect.poll(() => recordShown(page)).toBeLessThanOrEqual(last - 10);
  const tenth = await recordShown(page);
  await slider.press('ArrowLeft');
  await expect.poll(() => recordShown(page)).toBeLessThan(tenth);
  // The task is sent once; from now on backwards the keys find it, wherever it stands.
  await slider.press('End');
  await expect.poll(() => shown(page)).toBe('now');
  await slider.press('ArrowLeft');
  await expect.poll(() => recordShown(page)).toBeGreaterThanOrEqual(last);
  const says = page.locator('.past strong');
  const sent = 'user → writer: task — Write about the shop.';
  const said: string[] = [];
  // A key pressed before the last one's change is shown would pass over a change unseen.
  while (said.at(-1) !== sent) {
    const before = page.url();
    await slider.press('ArrowLeft');
    await expect.poll(() => page.url()).not.toBe(before);
    said.push(await says.innerText());
  }
  expect(said).toContain(`release ${made.run}: began`);
  expect(await slider.getAttribute('aria-valuetext')).toMatch(/^\d{4}-.* ago: \S/);
  const field = page.getByLabel('Time to show');
  await field.fill('2001-01-01T00:00');
  await field.press('Enter');
  await page.getByText('nothing had happened at 2001-01-01').waitFor();
  await field.fill('2999-01-01T00:00');
  await field.press('Enter');
  await expect.poll(() => shown(page)).toBe('now');
  await slider.press('ArrowLeft');
  await expect.poll(() => recordShown(page)).toBeGreaterThan(10);

  // The form of a task says that it is the past, and how to go back.
  await page.getByText('The page shows the past, in which nothing can be sent.').waitFor();
  expect(await page.getByText('No controller runs').count()).toBe(0);
  expect(await page.locator('form.letter').innerText()).not.toMatch(/\wCtrl/);
  await expectAccessible(page, 'a new task in the past');
  await page.locator('main').getByRole('button', { name: 'Back to now' }).click();
  await expect.poll(() => shown(page)).toBe('now');
  expect(fixture.faults).toEqual([]);
});

test('an address with a record opens that moment, and one that does not exist is reported', async () => {
  const { fixture } = bed;
  await workOfEveryKind(fixture);
  const { address } = await fixture.serve();
  const page = await fixture.open(address);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  const open = async (route: string) => {
    await page.goto('about:blank');
    await page.goto(`${new URL(address).origin}/#/${route}`);
  };
  await open('roles?at=2');
  await expect.poll(() => shown(page)).toMatch(/, record 2$/);
  await expect.poll(() => rolesOf(page)).toEqual(await rolesAt(2));
  const problem = page.locator('.past').getByRole('alert');
  for (const [at, says] of [
    ['99999', /the journal ends with record \d+ E_TARGET/],
    ['0', /at 0 is not a moment E_VALUE/],
    ['2001-01-01T00%3A00', /nothing had happened at 2001-01-01T\S+ E_TARGET/],
  ] as const) {
    await open(`roles?at=${at}`);
    await expect.poll(() => problem.innerText()).toMatch(says);
    // What is shown is of now, and the address does not claim anything else.
    expect(await shown(page)).toBe('now');
    expect(page.url()).not.toContain('at=');
  }
  await page.getByText('Loading …').waitFor({ state: 'detached' });
  await expectAccessible(page, 'a moment that does not exist');
  await page.getByRole('button', { name: 'Back to now' }).click();
  expect(await page.locator('.past').count()).toBe(0);
  expect(fixture.faults).toEqual([]);
});
