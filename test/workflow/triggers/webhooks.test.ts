import { createHmac } from 'node:crypto';
import { request as ask } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { WebhookListener } from '../../../src/workflow/triggers/webhooks.ts';

const key = 'sesame';
/** Milliseconds that a request may take, where that is tested and everywhere else. */
const [impatient, patient] = [200, 300_000];
let taken: JsonObject[];
let listener: WebhookListener;
let port: number;

async function listen(patience: number): Promise<void> {
  taken = [];
  const take = (data: JsonObject) => `run-${String(taken.push(data))}`;
  const broken = () => {
    throw new Error('the disk is full');
  };
  const hooks = [
    { path: '/hooks/ship', key, take },
    { path: '/hooks/unset', key: null, take },
    { path: '/hooks/broken', key, take: broken },
  ];
  listener = new WebhookListener(hooks, 0, patience);
  await listener.listen();
  port = Number(new URL(listener.address ?? '').port);
}

beforeEach(() => listen(patient));

afterEach(() => listener.close());

function signature(body: string, by = key): string {
  return `sha256=${createHmac('sha256', by).update(body).digest('hex')}`;
}

interface Wish {
  readonly path?: string;
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request over the loopback interface; its headers are sent as they are. */
function send({ path = '/hooks/ship', method = 'POST', body = '{}', headers = {} }: Wish) {
  return new Promise<{ status: number | undefined; document: unknown; allow: string | undefined }>(
    (resolve, reject) => {
      const signed = { 'x-hub-signature-256': signature(body), ...headers };
      const sent = ask({ host: '127.0.0.1', port, path, method, headers: signed }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        const { statusCode: status, headers: got } = response;
        response
          .on('error', reject)
          .on('end', () => resolve({ status, document: JSON.parse(text), allow: got.allow }));
      });
      sent.on('error', reject);
      sent.end(body);
    },
  );
}

describe('a webhook', () => {
  it("takes what is signed, as JSON or as text, with the headers that are the sender's own", async () => {
    const headers = { 'X-GitHub-Event': 'push', authorization: 'secret', host: 'localhost:6245' };
    const body = '{"ref":"main"}';
    expect(await send({ path: '/hooks/ship?x=1', body, headers })).toEqual({
      status: 202,
      document: { run: 'run-1' },
      allow: undefined,
    });
    expect(await send({ body: 'ref=main', headers: { host: `[::1]:${String(port)}` } })).toMatchObject({
      status: 202,
    });
    expect(taken).toEqual([
      { path: '/hooks/ship', headers: { 'x-github-event': 'push' }, body: { ref: 'main' } },
      { path: '/hooks/ship', headers: {}, body: 'ref=main' },
    ]);
  });

  it.each(['{"ref":9007199254740993}', '[1e400]', '0.1234567890123456789'])(
    'refuses JSON with a number that cannot be kept: %s',
    async (body) => {
      const { status, document } = await send({ body });
      expect([status, taken]).toEqual([400, []]);
      expect(document).toEqual({
        error: expect.stringMatching(
          /^the body: `[\d.e]+` \(line 1, column \d+\) is a number that cannot be kept exactly/,
        ),
      });
    },
  );

  it('takes the same request twice: a signature does not say when it was made', async () => {
    expect(await send({})).toMatchObject({ status: 202, document: { run: 'run-1' } });
    expect(await send({})).toMatchObject({ status: 202, document: { run: 'run-2' } });
  });

  const refused: readonly (readonly [string, Wish, number, string])[] = [
    [
      'a host that is not this machine',
      { headers: { host: 'evil.example' } },
      421,
      'this host is not known here',
    ],
    [
      'a host that only looks like it',
      { headers: { host: '127.0.0.1.evil.example' } },
      421,
      'this host is not known here',
    ],
    ['a path that nobody listens to', { path: '/hooks/ship/' }, 404, 'no trigger listens here'],
    ['another method', { method: 'PUT' }, 405, 'only POST'],
    ['a body that is too large', { body: 'x'.repeat(3 * 1024 * 1024) }, 413, 'at most 1048576 bytes'],
    [
      'a body that is too large and does not say so',
      { body: 'x'.repeat(3 * 1024 * 1024), headers: { 'transfer-encoding': 'chunked' } },
      413,
      'at most 1048576 bytes',
    ],
    [
      'no signature',
      { headers: { 'x-hub-signature-256': '' } },
      401,
      'the signature is missing: X-Hub-Signature-256: sha256=<hex>',
    ],
    [
      'the signature of another key',
      { headers: { 'x-hub-signature-256': signature('{}', 'other') } },
      401,
      'the signature is wrong',
    ],
    [
      'the signature of another body',
      { headers: { 'x-hub-signature-256': signature('[]') } },
      401,
      'the signature is wrong',
    ],
    [
      'half a signature',
      { headers: { 'x-hub-signature-256': signature('{}').slice(0, -2) } },
      401,
      'the signature is wrong',
    ],
    ['a secret that is not set', { path: '/hooks/unset' }, 503, 'the secret of this trigger is not set'],
    [
      'what could not be written down',
      { path: '/hooks/broken' },
      500,
      'this could not be written down; try again',
    ],
  ];
  it.each(refused)('refuses %s', async (_what, wish, status, error) => {
    const allow = status === 405 ? 'POST' : undefined;
    expect(await send(wish)).toEqual({ status, document: { error }, allow });
    expect(taken).toEqual([]);
  });

  it.each([
    ['the head', 'POST /hooks/ship HTTP/1.1\r\nHost: localhost\r\n'],
    ['the body', 'POST /hooks/ship HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{'],
  ])('lets nobody keep it waiting for %s', async (_what, begun) => {
    await listener.close();
    await listen(impatient);
    const said = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(begun));
      socket.on('data', (chunk) => (text += chunk.toString()));
      socket.on('close', () => resolve(text)).on('error', reject);
    });
    expect(said).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(taken).toEqual([]);
  });
});
