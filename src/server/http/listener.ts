import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';

/**
 * Answers requests of Node's server by a function of the web's kind, which never throws. A client
 * that leaves an answer unread for `patience` milliseconds is cut off.
 */
export function listener(
  answer: (request: Request) => Response | Promise<Response>,
  patience = 30_000,
): RequestListener {
  return (incoming, outgoing) => {
    const left = new AbortController();
    outgoing.once('close', () => left.abort());
    // A client that has gone, or is cut off, needs no answer.
    Promise.resolve()
      .then(() => answer(requestOf(incoming, left.signal)))
      .then((response) => send(response, outgoing, left.signal, patience))
      .catch(() => outgoing.destroy());
  };
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/' } = incoming;
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  const hasBody = method !== 'GET' && method !== 'HEAD';
  // The path alone, as it was sent: the host is checked as a header.
  return new Request(`http://localhost${url.startsWith('/') ? url : '/'}`, {
    method,
    headers,
    signal,
    ...(hasBody && { body: Readable.toWeb(incoming), duplex: 'half' }),
  });
}

async function send(
  response: Response,
  outgoing: ServerResponse,
  left: AbortSignal,
  patience: number,
): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  const body = response.body as ReadableStream<Uint8Array> | null;
  if (body === null || outgoing.req.method === 'HEAD') {
    await body?.cancel();
    outgoing.end();
  } else {
    const reader = body.getReader();
    left.addEventListener('abort', () => void reader.cancel().catch(() => {}));
    for (;;) {
      const { done, value } = await reader.read();
      if (done || left.aborted) break;
      if (!outgoing.write(value)) await drained(outgoing, left, patience);
    }
    outgoing.end();
  }
  // What the client still sends is read, so that it does not miss the answer.
  outgoing.req.resume();
}

async function drained(outgoing: ServerResponse, left: AbortSignal, patience: number): Promise<void> {
  const late = setTimeout(() => outgoing.destroy(), patience);
  await once(outgoing, 'drain', { signal: left }).finally(() => clearTimeout(late));
}
