import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Project } from '../../../src/project/project.ts';
import { ProjectFixture } from '../../cli/project-fixture.ts';
import { team } from '../../cli/team.ts';
import { ada, ApiFixture } from './api-fixture.ts';

const ship = 'name: ship\nversion: "1"\nsteps: { build: { command: [echo, built] } }\n';

/** The API of a project on the real disk, beside a file that is not its own. */
function onDisk(): { readonly api: ApiFixture; readonly files: () => string[] } {
  const outside = realpathSync(mkdtempSync(join(tmpdir(), 'mailroom-attacks-')));
  onTestFinished(() => rmSync(outside, { recursive: true }));
  const root = join(outside, 'project');
  const files = {
    'protocols/team.yaml': team,
    'mailroom.yaml': 'trail: off\n',
    'workflows/ship.yaml': ship,
    '.mailroom/api/keys.json': ada.key,
    '../outside.yaml': ada.key,
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const api = new ApiFixture(new ProjectFixture(), Project.at(root, { packageRoot: root, environment: {} }));
  return { api, files: () => readdirSync(outside, { recursive: true, encoding: 'utf8' }).toSorted() };
}

/** Ids that lead somewhere else where they become a part of a path or the key of an object. */
const ids = [
  '..%2f..%2foutside.yaml',
  '%2e%2e%2f%2e%2e%2foutside.yaml',
  '..%5c..%5coutside.yaml',
  '%2fetc%2fpasswd',
  '.mailroom%2fapi%2fkeys.json',
  'workflows%2f..%2f..%2foutside.yaml',
  'a%00b',
  '%ff',
  '__proto__',
  'constructor',
  'b'.repeat(100),
];

describe('an id that leads out', () => {
  it.each(ids)('is that of nothing, at every address: %s', async (id) => {
    const { api, files } = onDisk();
    const before = files();
    for (const { method, path } of api.routes.filter((each) => each.path.includes('{')))
      // Each part of the address on its own: another one could be refused first.
      for (let part = 0; part < path.split('{').length - 1; part += 1) {
        let at = 0;
        const address = path.replaceAll(/\{\w+\}/g, () => (at++ === part ? id : 'x'));
        const body = method === 'get' ? {} : { body: '{}', headers: { 'content-type': 'application/json' } };
        const response = await api.ask(address, { method: method.toUpperCase(), ...body });
        const shown = { method, path, status: response.status };
        expect({ ...shown, refused: response.status >= 400 && response.status < 500 }).toEqual({
          ...shown,
          refused: true,
        });
        if (method === 'get') expect(shown).toEqual({ ...shown, status: 404 });
        expect(await response.text()).not.toContain(ada.key);
      }
    expect(api.bugs).toEqual([]);
    expect(files()).toEqual(before);
  });
});

describe('a page of another origin', () => {
  const forms = ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain'];

  it.each(forms)('changes nothing by a form of the type %s, which has no key', async (type) => {
    const api = new ApiFixture();
    for (const { method, path } of api.routes.filter((each) => each.method === 'post')) {
      const headers = { 'content-type': type, authorization: '', origin: 'https://evil.example' };
      const response = await api.ask(path.replaceAll(/\{\w+\}/g, 'x'), {
        method: method.toUpperCase(),
        headers,
        body: '{"to":["architect"],"text":"a","x=":""}',
      });
      expect([path, response.status]).toEqual([path, 403]);
      // A browser that would not say where the form is from.
      const unsaid = await api.ask(path.replaceAll(/\{\w+\}/g, 'x'), {
        method: method.toUpperCase(),
        headers: { 'content-type': type, authorization: '' },
        body: '{}',
      });
      expect([path, unsaid.status]).toEqual([path, 401]);
    }
  });

  it('is not told that it may ask with a key', async () => {
    const api = new ApiFixture();
    for (const origin of ['https://evil.example', 'null']) {
      const preflight = await api.ask('/api/v1/messages', {
        method: 'OPTIONS',
        headers: {
          authorization: '',
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type',
        },
      });
      expect(preflight.status).toBe(403);
      expect([...preflight.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describe('a body that names the prototype of objects', () => {
  it.each([
    '{"__proto__":{"polluted":1}}',
    '{"fields":{"__proto__":{"polluted":1}}}',
    '{"parameters":{"a":[{"\\u005f\\u005fproto__":{"polluted":1}}]}}',
  ])('is refused at every address: %s', async (body) => {
    const api = new ApiFixture();
    for (const { path } of api.routes.filter((each) => each.method === 'post')) {
      const { status } = await api.post(path.replaceAll(/\{\w+\}/g, 'x'), body);
      expect([path, status]).toEqual([path, 400]);
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(api.bugs).toEqual([]);
  });

  it('changes nothing by the query either', async () => {
    const { status } = await new ApiFixture().get('/api/v1/status?__proto__=1&constructor=2');
    expect(status).toBe(400);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
