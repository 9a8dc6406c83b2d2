import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseJson, readExactJson, type JsonObject } from '../../kernel/json.ts';

/** A path that a trigger listens on. */
export interface Webhook {
  readonly path: string;
  /** The key of the signature; null: it is not set, and every request is refused. */
  readonly key: string | null;
  /** Accepts a correctly signed request. Returns the id of its run; null: it was filtered out. */
  take(data: JsonObject): string | null;
}

/** The largest body, in bytes. */
const bodyBytes = 1024 * 1024;
/**
 * Milliseconds that a request may take to arrive, and until a port in use is tried again.
 */
const requestTime = 10_000;
const tryAgain = 2_000;
const checkEvery = 1_000;

/**
 * Listens on the loopback interface for signed requests. `X-Hub-Signature-256: sha256=<hex>` is the
 * HMAC-SHA256 of the body, as GitHub and others send it. Answers 202 with the run's id once the
 * request is durable.
 */
export class WebhookListener {
  readonly #hooks: ReadonlyMap<string, Webhook>;
  readonly #port: number;
  readonly #server: Server;
  #timer: NodeJS.Timeout | null = null;
  #closed = false;
  #problem: string | null = null;

  constructor(hooks: readonly Webhook[], port: number, patience = requestTime) {
    this.#hooks = new Map(hooks.map((hook) => [hook.path, hook]));
    this.#port = port;
    this.#server = createServer(
      {
        requestTimeout: patience,
        headersTimeout: patience,
        // Node checks these timeouts only at intervals, by default every 30 seconds.
        connectionsCheckingInterval: Math.min(patience, checkEvery),
      },
      (request, response) => {
        void answer(this.#hooks, request, response);
      },
    );
    // The caller keeps the program running.
    this.#server.unref();
    this.#server.on('error', (error) => this.#failed(error));
    this.#server.on('listening', () => (this.#problem = null));
  }

  /** Why it is not listening; null: no problem. */
  get problem(): string | null {
    return this.#problem;
  }

  /** `http://127.0.0.1:6245`; null: not listening. */
  get address(): string | null {
    const at = this.#server.address() as AddressInfo | null;
    return at === null ? null : `http://127.0.0.1:${String(at.port)}`;
  }

  /** Resolves when it listens, or when the port is in use: then it retries until closed. */
  listen(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#server.off('listening', done).off('error', done);
        resolve();
      };
      this.#server.once('listening', done).once('error', done);
      this.#server.listen(this.#port, '127.0.0.1');
    });
  }

  #failed(error: NodeJS.ErrnoException): void {
    const why = error.code === 'EADDRINUSE' ? 'another program uses it' : error.message;
    this.#problem = `cannot listen for webhooks on port ${String(this.#port)}: ${why}; free the port, or set another one with \`webhooks: { port: N }\` in mailroom.yaml and restart`;
    if (this.#closed || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.listen();
    }, tryAgain);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}

async function answer(
  hooks: ReadonlyMap<string, Webhook>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const reply = (status: number, document: JsonObject) => {
    const headers = { 'content-type': 'application/json', connection: 'close' };
    response.writeHead(status, status === 405 ? { ...headers, allow: 'POST' } : headers);
    response.end(`${JSON.stringify(document)}\n`);
    // A client that is still sending would otherwise miss the answer; its time is bounded.
    request.resume();
  };
  try {
    const [status, document] = await judge(hooks, request);
    reply(status, document);
  } catch {
    reply(500, { error: 'this could not be written down; try again' });
  }
}

async function judge(
  hooks: ReadonlyMap<string, Webhook>,
  request: IncomingMessage,
): Promise<[number, JsonObject]> {
  const { method, headers } = request;
  // A browser page may reach this server by a host name of its own (DNS rebinding).
  if (!/^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i.test(headers.host ?? ''))
    return [421, { error: 'this host is not known here' }];
  const path = (request.url ?? '').replace(/\?.*$/s, '');
  const hook = hooks.get(path);
  if (hook === undefined) return [404, { error: 'no trigger listens here' }];
  if (method !== 'POST') return [405, { error: 'only POST' }];
  if (hook.key === null) return [503, { error: 'the secret of this trigger is not set' }];
  const body = await read(request);
  if (body === null) return [413, { error: `at most ${String(bodyBytes)} bytes` }];
  const signature = String(headers['x-hub-signature-256'] ?? '');
  if (signature === '')
    return [401, { error: 'the signature is missing: X-Hub-Signature-256: sha256=<hex>' }];
  if (!isSigned(body, hook.key, signature)) return [401, { error: 'the signature is wrong' }];
  const data = dataOf(path, headers, body);
  return typeof data === 'string' ? [400, { error: data }] : [202, { run: hook.take(data) }];
}

/**
 * The body; null: it is too long, and the rest is not read. Rejects when the client disconnects.
 */
async function read(request: IncomingMessage): Promise<Buffer | null> {
  if (Number(request.headers['content-length'] ?? 0) > bodyBytes) return null;
  const chunks: Buffer[] = [];
  let size = 0;
  const incoming = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size > bodyBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Constant time: a wrong signature takes as long as a correct one. */
function isSigned(body: Buffer, key: string, signature: string): boolean {
  const wanted = createHmac('sha256', key).update(body).digest();
  const given = Buffer.from(/^sha256=([\da-f]{64})$/i.exec(signature)?.[1] ?? '', 'hex');
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/**
 * The `trigger` data of the run: the body, parsed if it is JSON, and selected headers; a string:
 * why the body is refused.
 */
function dataOf(path: string, headers: IncomingMessage['headers'], bytes: Buffer): JsonObject | string {
  const text = bytes.toString('utf8');
  const body = readExactJson(text);
  if (!body.ok && parseJson(text) !== undefined) return `the body: ${body.problem}`;
  const own = Object.entries(headers).filter(
    ([name]) => name.startsWith('x-') && !name.startsWith('x-hub-signature'),
  );
  return {
    path,
    headers: Object.fromEntries(own.map(([name, value]) => [name, String(value)])),
    body: body.ok ? body.value : text,
  };
}
