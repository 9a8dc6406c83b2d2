import { createHash, timingSafeEqual } from 'node:crypto';
import { Hono } from 'hono';
import type * as z from 'zod';
import type { Json } from '../../kernel/json.ts';
import { manualPages, type ApiKey } from '../../project/api.ts';
import { parsed, readBody } from './body.ts';
import { compressed, plainTag } from './compressing.ts';
import { asMailroomError, problemOf, problemType, Refusal } from './problem.ts';
import {
  noQuery,
  type Asked,
  type HttpServices,
  type DocumentAnswer,
  type Route,
  type TextAnswer,
} from './route.ts';
import { ownValue } from '../../kernel/own.ts';

/** The longest address, in characters. */
const longestAddress = 8_192;

/** Headers of every answer. Text of agents is never a page of its own: nothing is sniffed. */
const everywhere = {
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/**
 * Headers of all that a browser may show as a page. Documents of the API are not, and most answers
 * are such documents: they would weigh less than these headers.
 */
const ofPages = {
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
};

interface Served {
  readonly services: HttpServices;
  readonly once: Once;
}

/** The API and the page. `complain` receives failures that are bugs. */
export function makeApp(
  services: HttpServices,
  routes: readonly Route[],
  complain: (error: unknown) => void,
): Hono {
  const app = new Hono();
  const served: Served = { services, once: new Once() };
  app.use(async (context, next) => {
    await next();
    const headers = isDocument(context.res) ? everywhere : { ...everywhere, ...ofPages };
    for (const [name, value] of Object.entries(headers)) context.res.headers.set(name, value);
    // Headers of an answer that is replaced would be kept beside its own.
    const answered = compressed(context.req.raw, context.res);
    if (answered === context.res) return;
    context.res = undefined;
    context.res = answered;
  });
  app.use(async ({ req }, next) => {
    if (req.url.length > longestAddress)
      throw new Refusal(414, 'E_USAGE', `an address has at most ${String(longestAddress)} characters`);
    refuseForeign(req.raw.headers);
    await next();
  });
  for (const each of routes)
    app.on(each.method.toUpperCase(), each.path.replaceAll(/\{(\w+)\}/g, ':$1'), async ({ req }) =>
      answer(served, each, req.raw, { params: req.param(), query: req.query() }),
    );
  for (const path of new Set(routes.map((each) => each.path)))
    app.all(path.replaceAll(/\{(\w+)\}/g, ':$1'), () => {
      const allow = routes.filter((each) => each.path === path).map(({ method }) => method.toUpperCase());
      throw new Refusal(405, 'E_USAGE', `this takes ${allow.join(', ')}`, {
        headers: { Allow: allow.join(', ') },
      });
    });
  addPage(app, services);
  app.notFound(() => refused(services, new Refusal(404, 'E_TARGET', 'there is nothing at this address')));
  app.onError((error) => {
    const known = asMailroomError(error);
    if (known !== error || known.code === 'E_INTERNAL') complain(error);
    return refused(services, known);
  });
  return app;
}

/** Whether an answer is JSON, or the client has the document already. */
function isDocument({ status, headers }: Response): boolean {
  return status === 304 || /^application\/(?:\w+\+)?json\b/.test(headers.get('content-type') ?? '');
}

function refused({ api }: HttpServices, error: ReturnType<typeof asMailroomError>): Response {
  const document = api.mask(problemOf(error));
  const headers = error instanceof Refusal ? error.headers : {};
  return textResponse(`${JSON.stringify(document)}\n`, {
    status: document.status,
    headers: { 'Content-Type': problemType, 'Cache-Control': 'no-store', ...headers },
  });
}

const nobody: ApiKey = { name: '', access: 'read', key: '' };

async function answer(
  { services, once }: Served,
  route: Route,
  request: Request,
  given: { readonly params: object; readonly query: object },
): Promise<Response> {
  const isWriting = route.method !== 'get';
  const key = route.isPublic ? nobody : keyOf(request.headers, services.api.keys(), !route.isReading);
  const { headers, signal } = request;
  const id = isWriting ? idFor(headers, key.name) : null;
  const raw = route.body && (await readBody(request, route.bodyBytes));
  const asked: Asked<unknown, unknown, unknown> = {
    params: route.params && idsIn(route.params, given.params),
    query: parsed(route.query ?? noQuery, given.query, 'the query'),
    body: route.body && parsed(route.body, raw, 'the body'),
    key,
    id,
    headers,
    url: new URL(request.url),
    signal,
  };
  const act = async () => {
    const found = await route.handle(services, asked as Asked<never, never, never>);
    if (found instanceof Response) {
      // Its body is not read: a stream ends here.
      if (request.method === 'HEAD') await found.body?.cancel();
      return found;
    }
    return 'text' in found
      ? textAnswer(services, request, found)
      : documentAnswer(services, route, request, found);
  };
  if (id === null) return act();
  return once.answer(id, digestOf([route.path, given, raw]), act);
}

/** An id that nothing can have is one that nothing has. */
function idsIn<T>(schema: z.ZodType<T>, given: object): T {
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  throw new Refusal(404, 'E_TARGET', 'there is nothing at this address');
}

/** The document by its schema, without secrets, with a strong tag of its bytes. */
function documentAnswer(
  { api }: HttpServices,
  { document: schema }: Route,
  request: Request,
  { status = 200, document, revision, headers = {} }: DocumentAnswer<unknown>,
): Response {
  const checked = (schema?.parse(document) ?? document) as Json;
  const text = `${JSON.stringify(api.mask(checked))}\n`;
  const tag = revision === undefined ? {} : { ETag: `"${revision}.${digestOfText(text)}"` };
  return tagged(request, text, status, { 'Content-Type': 'application/json', ...tag, ...headers });
}

/** The text without secrets, with a strong tag of its bytes. */
function textAnswer(
  { api }: HttpServices,
  request: Request,
  { text, type, headers = {} }: TextAnswer,
): Response {
  return tagged(request, api.mask(text), 200, { 'Content-Type': type, ...headers });
}

/** 304 without the text where the client has it. */
function tagged(
  request: Request,
  text: string,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  const tag = headers['ETag'] ?? `"${digestOfText(text)}"`;
  const all = { ETag: tag, 'Cache-Control': 'no-cache', Vary: 'Authorization, Accept', ...headers };
  const known = request.method === 'GET' ? knownTag(request.headers.get('if-none-match'), tag) : null;
  if (known !== null) return new Response(null, { status: 304, headers: { ...all, ETag: known } });
  return textResponse(text, { status, headers: all });
}

/** With its length, which says whether it is worth packing. */
function textResponse(
  text: string,
  { status = 200, headers }: { readonly status?: number; readonly headers: Record<string, string> },
): Response {
  const size = String(Buffer.byteLength(text));
  return new Response(text, { status, headers: { ...headers, 'Content-Length': size } });
}

function digestOfText(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 27);
}

/** The tag as the client has it, which may be of a packed answer; null: it has another one. */
function knownTag(given: string | null, tag: string): string | null {
  const tags = given?.split(',').map((each) => each.trim()) ?? [];
  return tags.includes('*') ? tag : (tags.find((each) => plainTag(each) === tag) ?? null);
}

/** The names of this machine in a `Host` header. */
const ownHost = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/**
 * Throws unless a request was sent to this machine by its own names, and not by a page of another
 * origin: a page may reach this server by a host name of its own (DNS rebinding).
 */
function refuseForeign(headers: Headers): void {
  const host = headers.get('host') ?? '';
  if (!ownHost.test(host))
    throw new Refusal(421, 'E_USAGE', 'this server answers only to localhost, 127.0.0.1 and [::1]');
  const origin = headers.get('origin');
  if (origin !== null && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
    throw new Refusal(403, 'E_KEY', 'pages of other origins must not use the API');
}

/** The key of a request. Throws `E_KEY`. */
function keyOf(headers: Headers, keys: readonly ApiKey[], writes: boolean): ApiKey {
  const [, given] = /^Bearer ([\w-]+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  const challenge = { 'WWW-Authenticate': 'Bearer' };
  const hint = 'open the address that `mailroom serve` prints; programs send `Authorization: Bearer KEY`';
  if (given === undefined) throw new Refusal(401, 'E_KEY', 'a key is missing', { hint, headers: challenge });
  // All keys are compared, so that the time does not depend on which one fits.
  const [found] = keys.filter(({ key }) => isSame(key, given));
  if (found === undefined) throw new Refusal(401, 'E_KEY', 'the key is wrong', { hint, headers: challenge });
  if (writes && found.access === 'read')
    throw new Refusal(403, 'E_KEY', `the key of ${found.name} may only read`);
  return found;
}

function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  map: 'application/json',
  json: 'application/json',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
};

/** Serves the files of the page, and pages of the documentation. They hold no data. */
function addPage(app: Hono, { api }: HttpServices): void {
  for (const name of manualPages) app.get(`/docs/${name}`, () => file(api.manual(name), 'txt', 'no-cache'));
  app.get('/', () => {
    const page = api.pageFile('index.html');
    if (page === null)
      throw new Refusal(404, 'E_TARGET', 'this installation has no page', {
        hint: 'build it with `npm run build`; the API is at /api/v1',
      });
    return file(page, 'html', 'no-cache');
  });
  app.get('/:name{[\\w-][\\w.-]*}', ({ req }) => {
    const name = req.param('name');
    // The names of the other files change with their content.
    return file(api.pageFile(name), name.split('.').at(-1) ?? '', 'max-age=31536000, immutable');
  });
}

function file(text: string | null, ending: string, caching: string): Response {
  const type = ownValue(types, ending);
  if (text === null || type === undefined)
    throw new Refusal(404, 'E_TARGET', 'there is nothing at this address');
  return textResponse(text, { headers: { 'Content-Type': type, 'Cache-Control': caching } });
}

/** The most answers that are kept to be given again. */
const mostKept = 1_000;

interface Kept {
  /** The digest of the request. */
  readonly digest: string;
  readonly answer: Promise<Response>;
}

/**
 * Requests with an `Idempotency-Key`: a repeated one gets the answer of the first. After a restart
 * the command's file, whose name is made of the key, prevents a repetition.
 */
export class Once {
  readonly #kept = new Map<string, Kept>();

  /** The answer that `act` gives to a request (`digest`), or has given. Throws 409 for another. */
  async answer(id: string, digest: string, act: () => Promise<Response>): Promise<Response> {
    const known = this.#kept.get(id);
    if (known !== undefined && known.digest !== digest)
      throw new Refusal(409, 'E_REFUSED', 'another request has this Idempotency-Key');
    if (known !== undefined) return (await known.answer).clone();
    const given = act();
    this.#kept.set(id, { digest, answer: given });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest);
    try {
      return (await given).clone();
    } catch (error) {
      // Nothing took effect, or the id finds it again.
      this.#kept.delete(id);
      throw error;
    }
  }
}

/** The id of a command: of the person's `Idempotency-Key`; null: the request has none. */
function idFor(headers: Headers, name: string): string | null {
  const key = headers.get('idempotency-key');
  if (key === null) return null;
  if (!/^[\x21-\x7e]{1,200}$/.test(key))
    throw new Refusal(400, 'E_USAGE', 'an Idempotency-Key has 1 to 200 characters, without spaces');
  return `once-${digestOf([name, key]).slice(0, 32)}`;
}

function digestOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
