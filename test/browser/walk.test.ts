import { expect, test } from 'vitest';
import { browserFixture, tabTo } from './browser.ts';
import { ended } from './browser-fixture.ts';
import { Link } from './link.ts';

const bed = browserFixture();

interface Row {
  readonly type: string;
  readonly from: string;
  readonly body: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const trail = async () => JSON.parse((await bed.fixture.project.run(['trail', '--json'])).stdout) as Row[];

test('a person drops a task, answers a question and approves a gate by keyboard alone', async () => {
  const { fixture } = bed;
  await fixture.work();
  const { address } = await fixture.serve();
  const page = await fixture.open(address);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();

  await page.keyboard.press('n');
  await page.getByLabel('To').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('e');
  await tabTo(page, /^Subject/);
  await page.keyboard.type('Add totals');
  await tabTo(page, /^Text/);
  await page.keyboard.type('Show totals; the price list is in data/.');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('heading', { name: 'Add totals' }).waitFor();

  // The question arrives on its own.
  await page.keyboard.press('g');
  await page.keyboard.press('i');
  await page.getByRole('heading', { name: 'Inbox' }).first().waitFor();
  await page.getByText('Which currency do prices have?').first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByText('Should totals be in euros').first().waitFor();
  await page.keyboard.press('a');
  await page.keyboard.type('Euros.');
  await tabTo(page, /^EUR/);
  await page.keyboard.press('Space');
  await tabTo(page, /^Send answer/);
  await page.keyboard.press('Enter');
  await page.getByText('Answered engineer.').waitFor();
  await page.getByText('Nothing waits for you.').waitFor();
  expect((await trail()).find(({ type }) => type === 'answer')).toMatchObject({
    from: 'user',
    body: 'Euros.\n',
    fields: { currency: 'EUR' },
  });

  const run = fixture.start(['run', 'release', '--param', 'version=1.0.0', '--plain']);
  await page.keyboard.press('g');
  await page.keyboard.press('i');
  await page.getByRole('heading', { name: 'Inbox' }).first().waitFor();
  await page.getByText('Publish version 1.0.0 to beta?').first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.keyboard.press('a');
  await page.keyboard.type('Looks right');
  await tabTo(page, /^Approve/);
  await page.keyboard.press('Enter');
  await page.getByText('Nothing waits for you.').waitFor();
  await expect.poll(() => run.exitCode).toBe(0);
  expect(fixture.faults).toEqual([]);
});

test('a person sees why a role is stuck, and runs a workflow by keyboard alone', async () => {
  const { fixture } = bed;
  await fixture.work();
  const { address } = await fixture.serve();
  const page = await fixture.open(address);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await fixture.project.run(['send', 'writer', '--message', 'Write about the shop']);
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page.getByRole('heading', { name: 'Roles' }).waitFor();
  await page.locator('svg .edge').waitFor();
  await tabTo(page, /^writer/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'writer' }).waitFor();
  await tabTo(page, /^Why\?/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Why: writer' }).waitFor();
  await page.locator('main').getByText('qa').first().waitFor();

  await page.keyboard.press('g');
  await page.keyboard.press('w');
  await page.getByRole('heading', { name: 'Workflows' }).waitFor();
  await page.getByRole('link', { name: 'release', exact: true }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'release' }).waitFor();
  // What is missing is said beside its field, and that has the focus.
  await tabTo(page, /^Show the price/);
  await page.keyboard.press('Enter');
  await page.getByText('Fill this in.').waitFor();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('run-release-version');
  await page.keyboard.type('2.0.0');
  await tabTo(page, /^Show the price/);
  await page.keyboard.press('Enter');
  await page.getByText('Run it: no cost').waitFor();
  await tabTo(page, /^Run it: no cost/);
  await page.keyboard.press('Enter');
  await page.getByText('Publish version 2.0.0 to beta?').filter({ visible: true }).first().waitFor();
  await page.keyboard.press('a');
  await page.keyboard.type('Looks right');
  await tabTo(page, /^Approve/);
  await page.keyboard.press('Enter');
  await page.locator('main .facts .state', { hasText: 'succeeded' }).waitFor();
  expect(fixture.faults).toEqual([]);
});

test('two tabs show the same, and what is answered in one is settled in the other', async () => {
  const { fixture } = bed;
  await fixture.work();
  const { address } = await fixture.serve();
  const [one, other] = [await fixture.open(address), await fixture.open(address)];
  await fixture.project.run(['send', 'engineer', '--message', 'Show the price']);
  for (const page of [one, other]) await page.getByText('Which currency do prices have?').first().click();
  await one.getByLabel('Your answer').fill('Dollars.');
  await one.getByRole('radio', { name: 'USD' }).check();
  await one.getByRole('button', { name: 'Send answer' }).click();
  await other.getByRole('heading', { name: 'Settled' }).waitFor();
  expect(fixture.faults).toEqual([]);
});

test('says that the server is gone, keeps what was typed, and comes back', async () => {
  const { fixture } = bed;
  await fixture.work();
  const { address, server } = await fixture.serve();
  const page = await fixture.open(address);
  await fixture.project.run(['send', 'engineer', '--message', 'Show the price']);
  await page.getByText('Which currency do prices have?').first().click();
  await page.getByLabel('Your answer').fill('Euros, I think.');
  await page.getByRole('radio', { name: 'EUR' }).check();
  await ended(server);
  await page.getByText('The server is gone.').waitFor();
  await page.getByRole('button', { name: 'Send answer' }).click();
  await page.getByRole('alert').getByText('E_OFFLINE').first().waitFor();

  // What happens meanwhile is there when the server is.
  await fixture.project.run(['send', 'writer', '--message', 'Write about the price']);
  await fixture.serve(Number(new URL(address).port));
  await page.getByText('The server is gone.').waitFor({ state: 'detached' });
  await expect.poll(() => page.getByText('Which currency do prices have?').count()).toBeGreaterThan(2);
  await page.reload();
  expect(await page.getByLabel('Your answer').inputValue()).toBe('Euros, I think.');
  await page.getByRole('button', { name: 'Send answer' }).click();
  await page.getByText('Answered engineer.').waitFor();
  expect((await trail()).filter(({ type }) => type === 'answer')).toHaveLength(1);
});

test('continues from the last event after the stream was cut', async () => {
  const { fixture } = bed;
  await fixture.work();
  const { link, address } = await Link.to((await fixture.serve()).address);
  try {
    const page = await fixture.open(address);
    const resumed: string[] = [];
    page.on('request', (request) => {
      const last = request.headers()['last-event-id'];
      if (last !== undefined) resumed.push(last);
    });
    await fixture.project.run(['send', 'engineer', '--message', 'Show the price']);
    await page.getByText('Which currency do prices have?').first().click();
    await page.getByLabel('Your answer').fill('Euros, I think.');
    link.cut();
    await page.getByText('The server is gone.').waitFor();
    // The server is up all the time, and what happens meanwhile is not lost.
    await fixture.project.run(['send', 'writer', '--message', 'Write about the price']);
    link.restore();
    await page.getByText('The server is gone.').waitFor({ state: 'detached' });
    await expect.poll(() => page.getByText('Which currency do prices have?').count()).toBeGreaterThan(2);
    expect(resumed.length).toBeGreaterThan(0);
    expect(resumed[0]).toMatch(/^(mail|project|run:[^:]+):\d+$/);
    expect(await page.getByLabel('Your answer').inputValue()).toBe('Euros, I think.');
    expect(fixture.faults).toEqual([]);
  } finally {
    link.close();
  }
});

test('asks for the key where it has none, and takes a pasted address', async () => {
  const { fixture } = bed;
  const { address } = await fixture.serve();
  const page = await fixture.open(address.replace(/#.*/, ''));
  await page.getByLabel('Or paste the address').fill(address);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  expect(page.url()).not.toContain('key=');
  expect(fixture.faults).toEqual([]);
});

test('a hidden tab uses no connection, and is up to date when shown', async () => {
  const { fixture } = bed;
  await fixture.work();
  const { address } = await fixture.serve();
  const page = await fixture.open(address);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  const show = (hidden: boolean) =>
    page.evaluate((now) => {
      Object.defineProperty(document, 'hidden', { value: now, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  const cut = page.waitForEvent('requestfailed', (request) => request.url().includes('/events'));
  await show(true);
  await cut;
  await fixture.project.run(['send', 'engineer', '--message', 'Show the price']);
  const again = page.waitForRequest((request) => request.url().includes('/events'));
  await show(false);
  await again;
  await page.getByText('Which currency do prices have?').first().waitFor();
  expect(fixture.faults).toEqual([]);
});
