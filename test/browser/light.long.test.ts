import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { protocolOf } from '../../bench/world.ts';
import { browserFixture } from './browser.ts';

const bed = browserFixture({
  'protocols/team.yaml': protocolOf(4),
  'mailroom.yaml': 'providers: { bench: { command: ["true"] } }\ntrail: off\n',
});

const threads = 3_000;
/** What an event may cost on the wire. */
const mostBytes = 5_000;

/** A project with so many open threads, whose roles are paused, so that nothing else happens. */
async function filled(): Promise<void> {
  const { project } = bed.fixture;
  for (let index = 0; index < threads; index += 1)
    project.write(
      `agents/role${String(index % 4)}/inbox/m${String(index)}.md`,
      `# Task ${String(index)}\n\nDo it.\n`,
    );
  await project.run(['pause', 'all']);
  await project.run(['up', '--until-idle']);
}

/** Counts the bytes of answers, with their headers, as they come over the wire. */
async function metered(page: Page): Promise<{ readonly bytes: () => number }> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const received = new Map<string, number>();
  session.on('Network.dataReceived', ({ requestId, encodedDataLength: size }) =>
    received.set(requestId, (received.get(requestId) ?? 0) + size),
  );
  // The stream of events never ends; of all others this is the whole.
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength: size }) =>
    received.set(requestId, size),
  );
  return { bytes: () => [...received.values()].reduce((sum, size) => sum + size, 0) };
}

test('with thousands of threads an event costs the page little', { timeout: 180_000 }, async () => {
  const { fixture } = bed;
  await filled();
  const { stdout } = await fixture.project.run(['status', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ thread_counts: { open: threads } });
  await fixture.work();
  const { address } = await fixture.serve();
  const page = await fixture.open(address);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await page.evaluate(() => (location.hash = '#/threads'));
  await page.locator('[data-row]').first().waitFor({ timeout: 20_000 });
  const meter = await metered(page);
  for (const name of ['first', 'second', 'third']) {
    const bytes = meter.bytes();
    await fixture.project.run(['send', 'role0', '--message', `The ${name} event`]);
    await page.getByRole('link', { name: `The ${name} event` }).waitFor();
    expect(meter.bytes() - bytes).toBeLessThan(mostBytes);
  }
});

/** One thread with so many messages, which has failed. Returns its id. */
async function longThread(count: number): Promise<string> {
  const { project } = bed.fixture;
  const drop = (index: number, head: string) =>
    project.write(
      `agents/role0/inbox/m${String(index)}.md`,
      `---\ntype: task\n${head}subject: Part ${String(index)}\n---\nWhat was found, in a sentence of usual length.\n`,
    );
  await project.run(['pause', 'role0']);
  drop(1, '');
  await project.run(['up', '--until-idle']);
  const [{ thread }] = JSON.parse((await project.run(['trail', '--json'])).stdout) as [{ thread: string }];
  for (let index = 2; index <= count; index += 1) drop(index, `thread: ${thread}\n`);
  await project.run(['up', '--until-idle']);
  await project.run(['unpause', 'role0']);
  await project.run(['up', '--until-idle']);
  return thread;
}

test('a saved thread of 2,000 messages is below 2 MB, and says first why it failed', async () => {
  const { fixture } = bed;
  const thread = await longThread(2_000);
  const { stdout } = await fixture.project.run(['show', thread, '--html']);
  expect(Buffer.byteLength(stdout)).toBeLessThan(2_000_000);
  fixture.project.write('thread.html', stdout);
  const page = await fixture.open(`file://${fixture.project.root}/thread.html`);
  const reason = page.getByText(/used up its \d+ turns/).first();
  await reason.waitFor();
  expect((await reason.boundingBox())!.y).toBeLessThan(400);
  expect(await page.locator('.conversation .message').count()).toBeGreaterThanOrEqual(2_000);
  expect(fixture.faults).toEqual([]);
});
