import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserFixture } from './browser.ts';
import { ended } from './browser-fixture.ts';

const bed = browserFixture();

/** More than a browser has connections to a server. */
const count = 9;

interface Windows {
  readonly pages: readonly Page[];
  readonly server: Awaited<ReturnType<typeof bed.fixture.serve>>;
  /** The window that has asked for the stream last. */
  readonly reader: () => Page;
  /** How many streams the server has open. */
  readonly streams: () => Promise<number>;
}

async function opened(): Promise<Windows> {
  const { fixture } = bed;
  await fixture.work();
  const server = await fixture.serve();
  const first = await fixture.open(server.address);
  let reader = first;
  first.context().on('request', (request) => {
    if (request.url().endsWith('/events')) reader = request.frame().page();
  });
  const pages = [first];
  while (pages.length < count) pages.push(await fixture.openIn(first.context(), server.address));
  for (const page of pages) await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  const { origin, hash } = new URL(server.address);
  const headers = { authorization: `Bearer ${hash.replace('#key=', '')}`, accept: 'text/plain' };
  const streams = async () => {
    const text = await (await fetch(`${origin}/metrics`, { headers })).text();
    return Number(/^mailroom_event_streams_open (\d+)$/m.exec(text)?.[1]);
  };
  return { pages, server, reader: () => reader, streams };
}

const asks = (subject: string) =>
  bed.fixture.project.run(['send', 'engineer', '--subject', subject, '--message', `The price of ${subject}`]);

/** How many questions each of the windows shows. */
const questions = (pages: readonly Page[]) =>
  Promise.all(
    pages.map((page) => page.locator('[data-row]', { hasText: 'Which currency do prices have?' }).count()),
  );

test('any number of windows of one browser is live by one stream, whichever window closes', async () => {
  const { pages, reader, streams } = await opened();
  await asks('apples');
  await expect.poll(() => questions(pages)).toEqual(pages.map(() => 1));
  expect(await streams()).toBe(1);

  const first = reader();
  const others = pages.filter((page) => page !== first);
  await first.close();
  await expect.poll(() => reader() !== first).toBe(true);
  await asks('pears');
  await expect.poll(() => questions(others)).toEqual(others.map(() => 2));
  expect(await streams()).toBe(1);

  // A window that crashes says nothing to anybody.
  const second = reader();
  const rest = others.filter((page) => page !== second);
  const crashed = second.waitForEvent('crash');
  void second.goto('chrome://crash').catch(() => undefined);
  await crashed;
  await expect.poll(() => reader() !== second).toBe(true);
  await asks('plums');
  await expect.poll(() => questions(rest)).toEqual(rest.map(() => 3));
  expect(await streams()).toBe(1);
  expect(bed.fixture.faults).toEqual([]);
});

test('every window says that the server is gone, and is live when it is back', async () => {
  const { pages, server } = await opened();
  const { fixture } = bed;
  await ended(server.server);
  for (const page of pages) await page.getByText('The server is gone.').waitFor();
  await fixture.serve(Number(new URL(server.address).port));
  for (const page of pages) await page.getByText('The server is gone.').waitFor({ state: 'detached' });
  await asks('apples');
  await expect.poll(() => questions(pages)).toEqual(pages.map(() => 1));
  expect(fixture.faults).toEqual([]);
});

test('any window can ask to connect at once', async () => {
  const { fixture } = bed;
  const { address, server } = await fixture.serve();
  const first = await fixture.open(address);
  const context = first.context();
  const pages = [first, await fixture.openIn(context, address)];
  let reader = first;
  context.on('request', (request) => {
    if (request.url().endsWith('/events')) reader = request.frame().page();
  });
  for (const page of pages) await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await context.clock.install();
  await ended(server);
  for (const page of pages) await page.getByText('The server is gone.').waitFor();
  // No pause between two attempts ends any more.
  await context.clock.pauseAt(new Date(Date.now() + 600_000));
  await fixture.serve(Number(new URL(address).port));
  const other = pages.find((page) => page !== reader)!;
  await other.getByRole('button', { name: 'Try now' }).click();
  for (const page of pages) await page.getByText('The server is gone.').waitFor({ state: 'detached' });
  expect(fixture.faults).toEqual([]);
});
