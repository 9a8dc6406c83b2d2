import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { listener } from '../../../src/server/http/listener.ts';

it('cuts off a client that stops reading, and reads no further for it', async () => {
  const chunk = new Uint8Array(1024 * 1024);
  let read = 0;
  let cancelled = (): void => {};
  const over = new Promise<void>((resolve) => (cancelled = resolve));
  const endless = () =>
    new Response(
      new ReadableStream({
        pull: (stream) => {
          read += 1;
          stream.enqueue(chunk);
        },
        cancel: () => cancelled(),
      }),
    );
  const server = createServer(listener(endless, 50));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream];
  response.pause();
  await over;
  expect(read).toBeLessThan(100);
  request.destroy();
  server.close();
  await once(server, 'close');
});
