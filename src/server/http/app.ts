import { createHash } from 'node:crypto';
import { Hono } from 'hono';
import type * as z from 'zod';
import type { Json } from '../../kernel/json.ts';
import type { ApiKey } from '../../project/api.ts';
import { keyOf, refuseForeign } from './access.ts';
import { parsed, readBody } from './body.ts';
import { digestOf, idFor, Once } from './once.ts';
import { addPage } from './page.ts';
import { asMailroomError, problemOf, problemType, Refusal } from './problem.ts';
import {
  noQuery,
  type Asked,
  type HttpServices,
  type DocumentAnswer,
  type Route,
  type TextAnswer,
} from './route.ts';

/** The longest address, in characters. */
const longestAddress = 8_192;

/** Headers of every answer. Text of agents is never a page of its own: nothing is sniffed. */
const everywhere = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
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
    for (const [name, value] of Object.entries(everywhere)) context.res.headers.set(name, value);
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

function refused({ api }: HttpServices, error: ReturnType<typeof asMailroomError>): Response {
  const document = api.mask(problemOf(error));
  const headers = error instanceof Refusal ? error.headers : {};
  return new Response(`${JSON.stringify(document)}\n`, {
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
  const key = route.isPublic ? nobody : keyOf(request.headers, services.api.keys(), isWriting);
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
  { status = 200, document, headers = {} }: DocumentAnswer<unknown>,
): Response {
  const checked = (schema?.parse(document) ?? document) as Json;
  const text = `${JSON.stringify(api.mask(checked))}\n`;
  return tagged(request, text, status, { 'Content-Type': 'application/json', ...headers });
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
  const tag = headers['ETag'] ?? `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
  const all = { ETag: tag, 'Cache-Control': 'no-cache', Vary: 'Authorization, Accept', ...headers };
  if (request.method === 'GET' && isKnown(request.headers.get('if-none-match'), tag))
    return new Response(null, { status: 304, headers: all });
  return new Response(text, { status, headers: all });
}

function isKnown(given: string | null, tag: string): boolean {
  return given !== null && given.split(',').some((each) => [tag, '*'].includes(each.trim()));
}
