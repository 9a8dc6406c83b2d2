import type { Hono } from 'hono';
import { MailroomError } from '../../kernel/errors.ts';
import { Refusal } from './problem.ts';
import type { HttpServices } from './route.ts';

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  map: 'application/json',
  json: 'application/json',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
};

/** Serves the files of the page, and the explanation of the error codes. They hold no data. */
export function addPage(app: Hono, { api }: HttpServices): void {
  app.get('/docs/errors.md', () => file(api.asset('docs/errors.md'), 'txt', 'no-cache'));
  app.get('/', () => {
    const page = api.asset('dist/web/index.html');
    if (page === null)
      throw new Refusal(404, 'E_TARGET', 'this installation has no page', {
        hint: 'build it with `npm run build`; the API is at /api/v1',
      });
    return file(page, 'html', 'no-cache');
  });
  app.get('/:name{[\\w-][\\w.-]*}', ({ req }) => {
    const name = req.param('name');
    // The names of the other files change with their content.
    return file(
      assetOrNull(api, `dist/web/${name}`),
      name.split('.').at(-1) ?? '',
      'max-age=31536000, immutable',
    );
  });
}

function assetOrNull(api: HttpServices['api'], path: string): Buffer | null {
  try {
    return api.asset(path);
  } catch (error) {
    if (error instanceof MailroomError) return null;
    throw error;
  }
}

function file(bytes: Buffer | null, ending: string, caching: string): Response {
  const type = types[ending];
  if (bytes === null || type === undefined)
    throw new Refusal(404, 'E_TARGET', 'there is nothing at this address');
  return new Response(new Uint8Array(bytes), {
    headers: { 'Content-Type': type, 'Cache-Control': caching },
  });
}
