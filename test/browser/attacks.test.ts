import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { browserFixture } from './browser.ts';

/** A name of another site, which its owner lets lead to this machine. */
const rebound = 'evil.example';
const bed = browserFixture({}, [`--host-resolver-rules=MAP ${rebound} 127.0.0.1`]);

/** Another site, in the browser of a person who has the project's page open. */
async function site(beside: Page): Promise<Page> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>Another site</title><iframe name="hidden"></iframe>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const page = await beside.context().newPage();
  await page.goto(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`);
  return page;
}

/** What comes of a request by a script of this page. */
function asked(page: Page, address: string, options: RequestInit): Promise<string> {
  return page.evaluate(
    async ([to, how]) => {
      try {
        return String((await fetch(to, how)).status);
      } catch (error) {
        return String(error);
      }
    },
    [address, options] as const,
  );
}

const refused = 'TypeError: Failed to fetch';
const forged = '{"to":["engineer"],"text":"forged';

async function mail(): Promise<number> {
  const { stdout } = await bed.fixture.project.run(['trail', '--json']);
  return (JSON.parse(stdout) as unknown[]).length;
}

test('a page of another site reads nothing and changes nothing', async () => {
  const { fixture } = bed;
  await fixture.work();
  const own = await fixture.open((await fixture.serve()).address);
  await own.getByRole('heading', { name: 'Inbox' }).waitFor();
  const { origin } = new URL(own.url());
  const page = await site(own);
  const messages = `${origin}/api/v1/messages`;

  // A form may send what looks like JSON, and is not stopped by the browser.
  const answered = page.waitForResponse(messages);
  await page.evaluate(
    ([action, body]) => {
      const form = document.createElement('form');
      Object.assign(form, { action, method: 'post', enctype: 'text/plain', target: 'hidden' });
      const input = document.createElement('input');
      [input.name, input.value] = [`${body}","x":"`, '"}'];
      form.append(input);
      document.body.append(form);
      form.submit();
    },
    [messages, forged] as const,
  );
  expect((await answered).status()).toBe(403);

  const body = `${forged}"}`;
  const key = { authorization: `Bearer ${'a'.repeat(43)}` };
  // The browser lets it ask, but drops an answer that says that it is for its own origin.
  expect(await asked(page, messages, { method: 'POST', mode: 'no-cors', body })).toBe(refused);
  const json = { ...key, 'content-type': 'application/json' };
  expect(await asked(page, messages, { method: 'POST', headers: json, body })).toBe(refused);
  expect(await asked(page, `${origin}/api/v1/status`, { headers: key })).toBe(refused);
  expect(await asked(page, `${origin}/api/v1/events`, {})).toBe(refused);
  expect(await asked(page, `${origin}/healthz`, {})).toBe(refused);

  // Nor does a frame without an origin, or the project's page inside another one.
  await page
    .evaluate((to) => {
      const frame = document.createElement('iframe');
      frame.setAttribute('sandbox', 'allow-scripts');
      frame.srcdoc = `<script>fetch(${JSON.stringify(to)}, { headers: { authorization: 'Bearer x' } })
      .then(({ status }) => parent.postMessage(String(status), '*'), (error) => parent.postMessage(String(error), '*'))</script>`;
      document.body.append(frame);
      return new Promise<string>((resolve) => {
        addEventListener('message', ({ data }) => resolve(data as string), { once: true });
      });
    }, `${origin}/api/v1/status`)
    .then((heard) => expect(heard).toBe(refused));
  await page.evaluate(
    (src) =>
      new Promise<void>((resolve) => {
        const frame = document.createElement('iframe');
        frame.name = 'framed';
        frame.addEventListener('load', () => resolve());
        frame.src = src;
        document.body.append(frame);
      }),
    `${origin}/`,
  );
  expect(await page.frame('framed')?.locator('#app').count()).toBe(0);

  expect(await mail()).toBe(0);
  expect(fixture.faults).toEqual([]);
});

test('a site whose name leads to this machine gets no answer', async () => {
  const { fixture } = bed;
  const { address } = await fixture.serve();
  const own = await fixture.open(address);
  await own.getByRole('heading', { name: 'Inbox' }).waitFor();
  const page = await own.context().newPage();
  const origin = `http://${rebound}:${new URL(address).port}`;
  expect((await page.goto(`${origin}/`))?.status()).toBe(421);
  const { hash } = new URL(address);
  // Even with the very key: the browser takes it for the site's own server.
  const headers = { authorization: `Bearer ${hash.replace('#key=', '')}` };
  expect(await asked(page, `${origin}/api/v1/status`, { headers })).toBe('421');
  expect(await asked(page, `${origin}/api/v1/pause`, { method: 'POST', headers, body: '{}' })).toBe('421');
  expect(fixture.faults).toEqual([]);
});
