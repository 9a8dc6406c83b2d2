import { describe, expect, it } from 'vitest';
import { ada, ApiFixture, reader } from './api-fixture.ts';

const status = '/api/v1/status';

describe('the API', () => {
  it.each([
    ['no key', { authorization: '' }],
    ['another scheme', { authorization: `Basic ${ada.key}` }],
    ['a wrong key', { authorization: `Bearer ${'c'.repeat(43)}` }],
    ['a part of a key', { authorization: `Bearer ${ada.key.slice(1)}` }],
  ])('refuses %s', async (_what, headers) => {
    const { status: code, headers: answered, document } = await new ApiFixture().get(status, headers);
    expect(code).toBe(401);
    expect(answered.get('www-authenticate')).toBe('Bearer');
    expect(answered.get('content-type')).toBe('application/problem+json');
    expect(document).toMatchObject({ type: '/docs/errors.md#e_key', code: 'E_KEY', status: 401 });
  });

  it('follows the file of keys as it is now', async () => {
    const api = new ApiFixture();
    expect((await api.get(status)).status).toBe(200);
    api.keys = [reader];
    expect((await api.get(status)).status).toBe(401);
  });

  it.each([
    'evil.example',
    'evil.example:6246',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '169.254.0.1',
    'localhost:6246:1',
    '',
  ])('answers to no other host: %s', async (host) => {
    const { status: code, document } = await new ApiFixture().get(status, { host });
    expect(code).toBe(421);
    expect(document).toMatchObject({ code: 'E_USAGE' });
  });

  it.each(['127.0.0.1:6246', 'localhost:6246', '[::1]:6246', 'LOCALHOST'])('answers to %s', async (host) => {
    expect((await new ApiFixture().get(status, { host })).status).toBe(200);
  });

  it.each([
    'https://evil.example',
    'null',
    'http://127.0.0.1:1',
    'https://127.0.0.1:6246',
    'file://',
    'http://127.0.0.1:6246.evil.example',
    'http://127.0.0.1:62460',
    'xhttp://127.0.0.1:6246',
  ])('refuses a page of the origin %s, even with a key', async (origin) => {
    const { status: code, document, headers } = await new ApiFixture().get(status, { origin });
    expect(code).toBe(403);
    expect(document).toMatchObject({ code: 'E_KEY' });
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('answers its own page', async () => {
    expect((await new ApiFixture().get(status, { origin: 'http://127.0.0.1:6246' })).status).toBe(200);
  });

  it('answers without a key only that it is there', async () => {
    const api = new ApiFixture();
    const headers = { authorization: 'none' };
    expect((await api.get('/healthz', headers)).document).toEqual({ ok: true, version: '1.2.3' });
    const open = api.routes.filter(({ isPublic }) => isPublic);
    expect(open.map(({ path }) => path)).toEqual(['/api/v1/downloads/{secret}', '/healthz']);
    for (const { method, path } of api.routes.filter(({ isPublic }) => !isPublic)) {
      const response = await api.ask(path.replaceAll(/\{\w+\}/g, 'x'), {
        method: method.toUpperCase(),
        headers,
      });
      expect([path, response.status]).toEqual([path, 401]);
    }
  });

  it('sends strict headers with every answer, failures included', async () => {
    const api = new ApiFixture();
    for (const path of [status, '/api/v1/nothing', '/', '/nothing.js', '/docs/errors.md']) {
      const { headers } = await api.ask(path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      // A browser shows no JSON as a page, so it weighs no more than it must.
      if (headers.get('content-type')?.includes('json') === true) {
        expect(headers.get('content-security-policy')).toBeNull();
        continue;
      }
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).not.toContain('unsafe');
    }
    const foreign = await api.ask('/', { headers: { host: 'evil.example' } });
    expect([foreign.status, foreign.headers.get('x-content-type-options')]).toEqual([421, 'nosniff']);
  });

  it('says which methods an address takes', async () => {
    const api = new ApiFixture();
    for (const method of ['DELETE', 'POST', 'OPTIONS', 'PATCH']) {
      const response = await api.ask(status, { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET']);
    }
  });

  it('refuses a long address and an unknown key of the query, with the nearest', async () => {
    const api = new ApiFixture();
    expect((await api.get(`${status}?a=${'b'.repeat(9_000)}`)).status).toBe(414);
    expect((await api.get('/api/v1/inbox?ass=lead')).document).toMatchObject({
      status: 400,
      code: 'E_UNKNOWN_KEY',
      hint: 'did you mean `as`?',
    });
  });

  it('shows nothing of a failure that is a bug, and reports it to whoever started it', async () => {
    const api = new ApiFixture();
    api.project.text += '\n';
    const bug = new TypeError('x is undefined at /home/ada/secret');
    api.project.workflowStatus = new Proxy(api.project.workflowStatus, {
      get: () => {
        throw bug;
      },
    });
    const { status: code, document } = await api.get(status);
    expect(code).toBe(500);
    expect(JSON.stringify(document)).not.toContain('/home');
    expect(document).toMatchObject({ code: 'E_INTERNAL' });
    expect(api.bugs).toEqual([bug]);
  });
});

describe('the page', () => {
  it('needs no key, as its files hold no data', async () => {
    const api = new ApiFixture();
    api.pageFiles.set('index.html', '<title>Mailroom</title>');
    api.pageFiles.set('page-A1.js', 'start()');
    const index = await api.ask('/', { headers: { authorization: 'none' } });
    expect([index.status, index.headers.get('content-type'), await index.text()]).toEqual([
      200,
      'text/html; charset=utf-8',
      '<title>Mailroom</title>',
    ]);
    const script = await api.ask('/page-A1.js', { headers: { authorization: 'none' } });
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  });

  it.each([
    '/..%2fsrc%2fmain.ts',
    '/%2e%2e/package.json',
    '/.hidden.js',
    '/a%00.js',
    '/dist/app.cjs',
    '/page',
  ])('serves no other file: %s', async (path) => {
    const api = new ApiFixture();
    for (const each of ['page', '.hidden.js']) api.pageFiles.set(each, 'secret');
    const { status: code, document } = await api.get(path);
    expect(code).toBe(404);
    expect(document).toMatchObject({ code: 'E_TARGET' });
  });

  it('says how to build it where it is missing', async () => {
    expect((await new ApiFixture().get('/')).document).toMatchObject({
      status: 404,
      detail: 'this installation has no page',
    });
  });
});
