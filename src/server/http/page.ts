import type { Hono } from 'hono';
import { Refusal } from './problem.ts';
import type { HttpServices } from './route.ts';
import { ownValue } from '../../kernel/own.ts';

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
  app.get('/docs/errors.md', () => file(api.explanations(), 'txt', 'no-cache'));
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
  return new Response(text, {
    headers: { 'Content-Type': type, 'Cache-Control': caching },
  });
}
