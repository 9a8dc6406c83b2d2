import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/kernel/json.ts';
import { workflowsDocument } from '../../../src/documents/workflows.ts';
import { ApiFixture, type Told } from './api-fixture.ts';

const ship = `# Ships a release.
workflow:
  id: ship
  name: Ship   # what people call it
  version: 1.0.0
  author: ada
  tags: [release]
  ui: { color: teal }
stages:
  - id: plan
    type: gate
    gate: { kind: manual_approval, message: "Plan?" }
    ui: { position: [100, 200] }
  # The second stage.
  - id: build
    name: Build it
    depends_on: [plan]
    condition: \${{ stages.plan.outputs.choice == 'approve' }}
    roles: { primary: { artifact: "agent:builder" }, tools: ["skill:search", "mcp:github"] }
`;
const at = '/api/v1/workflows/workflows%2Fship.yaml';

function api(files: Readonly<Record<string, string>> = {}): ApiFixture {
  const made = new ApiFixture();
  for (const [path, text] of Object.entries({ 'workflows/ship.yaml': ship, ...files }))
    made.project.disk.plant(path, text);
  return made;
}

function textOf({ project }: ApiFixture, path = 'workflows/ship.yaml'): string {
  return project.disk.read(path, 1_000_000)?.toString('utf8') ?? '';
}

function revisionOf({ document }: Told): string {
  return (document as { revision: string }).revision;
}

async function revision(of: ApiFixture): Promise<{ 'if-match': string }> {
  return { 'if-match': `"${revisionOf(await of.get(at))}"` };
}

describe('a workflow', () => {
  it('is shown with its text, its definition and its graph', async () => {
    const { status, document } = await api().get(at);
    expect(status).toBe(200);
    expect(document).toMatchObject({
      id: 'ship',
      name: 'ship',
      title: 'Ship',
      file: 'workflows/ship.yaml',
      language: 'swdl',
      ok: true,
      author: 'ada',
      tags: ['release'],
      ui: { color: 'teal' },
      text: ship,
      overridden: [],
      graph: {
        nodes: [
          { id: 'plan', name: 'plan', batch: 1, ui: { position: [100, 200] }, path: ['stages', 0] },
          { id: 'build', name: 'Build it', batch: 2, ui: null, path: ['stages', 1] },
        ],
        edges: [{ from: 'plan', to: 'build' }],
      },
      warnings: [{ code: 'E_REFERENCE' }, { code: 'E_REFERENCE' }],
    });
  });

  it('shows what override files say, and which one', async () => {
    const overrides = 'overrides:\n  ship:\n    stages:\n      build:\n        name: Make it\n';
    const made = api({ 'workflows/overrides.yaml': overrides });
    const { document } = await made.get(at);
    expect(document).toMatchObject({
      text: ship,
      definition: { stages: [{}, { name: 'Build it' }] },
      effective: { stages: [{}, { name: 'Make it' }] },
      overridden: [{ path: ['stages', 1, 'name'], file: 'workflows/overrides.yaml', line: 5 }],
    });
    const applied = await made.get(`${at}?overrides=applied`);
    expect(applied.document).toMatchObject({ text: ship, definition: { stages: [{}, { name: 'Make it' }] } });
    const yaml = await made.ask(`${at}?overrides=applied`, { headers: { accept: 'application/yaml' } });
    expect(await yaml.text()).toBe(ship.replace('Build it', 'Make it'));
  });

  it('is its text for a client that accepts YAML, with its revision as the tag', async () => {
    const made = api();
    const response = await made.ask(at, { headers: { accept: 'application/yaml' } });
    expect(response.headers.get('content-type')).toBe('application/yaml; charset=utf-8');
    expect(await response.text()).toBe(ship);
    const tag = response.headers.get('etag') ?? '';
    expect(tag).toBe(`"${revisionOf(await made.get(at))}"`);
    const again = await made.ask(at, { headers: { accept: 'application/yaml', 'if-none-match': tag } });
    expect(again.status).toBe(304);
    const both = await made.ask(at, { headers: { accept: 'application/json, application/yaml' } });
    expect(both.headers.get('content-type')).toBe('application/json');
  });

  it('is shown with its errors, too', async () => {
    const made = api({
      'workflows/ship.yaml': ship.replace('[plan]', '[plans]'),
      'workflows/no.yaml': 'a: [',
    });
    expect((await made.get(at)).document).toMatchObject({
      ok: false,
      id: 'ship',
      definition: { stages: [{}, { depends_on: ['plans'] }] },
      errors: [{ line: 17 }],
      graph: { nodes: [] },
    });
    expect((await made.get('/api/v1/workflows/workflows%2Fno.yaml')).document).toMatchObject({
      ok: false,
      id: null,
      text: 'a: [',
      definition: null,
      effective: null,
    });
    expect((await made.get('/api/v1/workflows?tag=release')).document).toMatchObject([
      { id: 'ship', tags: ['release'], ok: false },
    ]);
    expect((await made.get('/api/v1/workflows?tag=other')).document).toEqual([]);
  });

  it('is listed with its version, tags and last run, also by its language', async () => {
    const native = 'name: plain\nversion: "1"\ntimeout: 1h\nsteps: { a: { command: [echo] } }\n';
    const made = api({ 'workflows/plain.yaml': native });
    const listed = async (query: string) => {
      const { document } = await made.get(`/api/v1/workflows${query}`);
      return workflowsDocument
        .parse(document)
        .map(({ file, version, tags, last_run: run }) => [file, version, tags, run]);
    };
    const [first, plain] = [
      ['workflows/ship.yaml', '1.0.0', ['release'], null],
      ['workflows/plain.yaml', '1', [], null],
    ];
    expect(await listed('')).toEqual([plain, first]);
    expect(await listed('?language=native')).toEqual([plain]);
    expect(await listed('?language=swdl&tag=release')).toEqual([first]);
    expect(await listed('?language=nip')).toEqual([]);
    const { headers, document } = await made.get('/api/v1/workflows');
    expect(document).toMatchObject([
      { id: null, title: null },
      { id: 'ship', name: 'ship', title: 'Ship' },
    ]);
    const again = await made.get('/api/v1/workflows', { 'if-none-match': headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
  });
});

describe('saving a workflow', () => {
  it('changes only the bytes of an operation, and keeps the permissions', async () => {
    const made = api();
    made.project.disk.write('workflows/ship.yaml', ship.replaceAll('\n', '\r\n'), { mode: 0o755 });
    const operations = [
      { do: 'set', path: ['workflow', 'name'], value: 'Ship it' },
      { do: 'rename-step', step: 'plan', name: 'agree' },
      { do: 'set', path: ['stages', 0, 'ui', 'position'], value: [1, 2] },
    ];
    const { status, document, headers } = await made.put(at, { operations }, await revision(made));
    expect(status).toBe(200);
    const wanted = ship
      .replace('name: Ship ', 'name: Ship it ')
      .replace('id: plan', 'id: agree')
      .replace('[plan]', '[agree]')
      .replace('stages.plan', 'stages.agree')
      .replace('[100, 200]', '[1, 2]')
      .replaceAll('\n', '\r\n');
    expect(textOf(made)).toBe(wanted);
    expect(document).toMatchObject({ text: wanted, warnings: [{ code: 'E_REFERENCE' }, {}] });
    expect(made.project.disk.look('workflows/ship.yaml')?.executable).toBe(true);
    expect(headers.get('etag')).toBe((await revision(made))['if-match']);
  });

  it('takes a whole text, with the line ends of the file', async () => {
    const made = api({ 'workflows/ship.yaml': ship.replaceAll('\n', '\r\n') });
    const text = ship.replace('Plan?', 'Agreed?');
    const saved = await made.put(at, { text }, await revision(made));
    expect([saved.status, textOf(made)]).toEqual([200, text.replaceAll('\n', '\r\n')]);
  });

  it('writes nothing where nothing changes', async () => {
    const made = api();
    const before = made.project.disk.operations;
    const saved = await made.put(at, { text: ship }, await revision(made));
    expect([saved.status, revisionOf(saved)]).toEqual([200, revisionOf(await made.get(at))]);
    expect(made.project.disk.operations).toBe(before);
  });

  it('refuses a stale page, and shows it the current text', async () => {
    const made = api();
    const seen = await revision(made);
    const other = ship.replace('Ship ', 'Ship now ');
    made.project.disk.write('workflows/ship.yaml', other);
    const { status, document, headers } = await made.put(at, { text: ship }, seen);
    expect(status).toBe(412);
    expect(document).toMatchObject({ code: 'E_REFUSED', current: { text: other } });
    expect(textOf(made)).toBe(other);
    const again = await made.put(at, { text: ship }, { 'if-match': headers.get('etag') ?? '' });
    expect([again.status, textOf(made)]).toEqual([200, ship]);
  });

  it('is changed by the tag of what was read, as JSON or as YAML', async () => {
    const made = api();
    for (const [index, query] of ['', '?overrides=applied', '?format=yaml'].entries()) {
      const read = (headers = {}) => made.ask(`${at}${query}`, { headers });
      const tag = (await read({ 'accept-encoding': 'br' })).headers.get('etag') ?? '';
      if (index === 0) expect(tag).toMatch(/\.br"$/);
      expect((await read({ 'if-none-match': tag })).status).toBe(304);
      const text = ship.replace('Ships', `Ships ${String(index)} of`);
      expect((await made.put(at, { text }, { 'if-match': tag })).status).toBe(200);
      expect((await made.put(at, { text: ship }, { 'if-match': tag })).status).toBe(412);
      expect((await read({ 'if-none-match': tag })).status).toBe(200);
    }
  });

  it('lets only one of two pages save', async () => {
    const made = api();
    const seen = await revision(made);
    const texts = ['one', 'two'].map((word) => ship.replace('Ships', word));
    const saved = await Promise.all(texts.map((text) => made.put(at, { text }, seen)));
    expect(saved.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412]);
    expect(textOf(made)).toBe(texts[saved.findIndex(({ status }) => status === 200)]);
  });

  it('needs the revision that was read', async () => {
    const made = api();
    for (const headers of [{}, { 'if-match': '*' }] as Record<string, string>[]) {
      const { status, document } = await made.put(at, { text: `${ship}\n` }, headers);
      expect([status, (document as { code: string }).code]).toEqual([428, 'E_REFUSED']);
    }
    expect((await made.put(at, { text: `${ship}\n` }, { 'if-match': '"nonsense"' })).status).toBe(412);
    expect(textOf(made)).toBe(ship);
  });

  it.each<[string, Json, number]>([
    ['a text with errors', { text: ship.replace('[plan]', '[plans]') }, 422],
    ['a text that is no YAML', { text: 'a: [' }, 422],
    ['an operation with an error', { operations: [{ do: 'remove', path: ['stages', 0, 'gate'] }] }, 422],
    ['an operation that does not fit', { operations: [{ do: 'set', path: ['x', 'y'], value: 1 }] }, 422],
    ['an unknown step', { operations: [{ do: 'rename-step', step: 'x', name: 'y' }] }, 422],
    ['both', { text: ship, operations: [] }, 422],
    ['neither', {}, 422],
    ['an unknown operation', { operations: [{ do: 'move', path: [] }] }, 422],
    ['an unknown key', { texts: ship }, 400],
  ])('writes nothing of %s', async (_what, body, status) => {
    const made = api();
    const answer = await made.put(at, body, await revision(made));
    expect([answer.status, textOf(made)]).toEqual([status, ship]);
    expect(made.bugs).toEqual([]);
  });

  it('does not replace a secret by its mask', async () => {
    const made = api({ 'workflows/ship.yaml': `${ship}# hunter2hunter2\n` });
    made.secret = 'hunter2hunter2';
    const shown = (await made.get(at)).document as { text: string };
    expect(shown.text).toContain('# ***');
    const seen = await revision(made);
    const refused = await made.put(at, { text: shown.text }, seen);
    expect([refused.status, (refused.document as { code: string }).code]).toEqual([409, 'E_REFUSED']);
    const operations = [{ do: 'set', path: ['workflow', 'name'], value: 'Go' }];
    const { status, document } = await made.put(at, { operations }, seen);
    expect(status).toBe(200);
    expect(JSON.stringify(document)).not.toContain('hunter2');
    expect(textOf(made)).toContain('# hunter2hunter2');
  });

  it('needs a key that may write, and finds no file outside workflows/', async () => {
    const made = api({ 'other.yaml': ship });
    const body = JSON.stringify({ text: ship });
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${'b'.repeat(43)}` };
    expect((await made.ask(at, { method: 'PUT', headers, body })).status).toBe(403);
    for (const path of ['other.yaml', '..%2Fother.yaml', 'workflows%2F..%2Fother.yaml'])
      expect((await made.put(`/api/v1/workflows/${path}`, { text: ship }, { 'if-match': 'a' })).status).toBe(
        404,
      );
  });
});

describe('a draft', () => {
  it('is the document of an unsaved text, with the patches of operations and their undoing', async () => {
    const made = api();
    const operations = [
      { do: 'set', path: ['stages', 1, 'name'], value: 'Make it' },
      { do: 'add', path: ['stages', 1, 'ui'], value: { position: [5, 6] } },
    ];
    const { status, document } = await made.post(`${at}/draft`, { text: ship, operations });
    expect(status).toBe(200);
    const { text, patches, undo } = document as unknown as {
      text: string;
      patches: { from: number; to: number; insert: string }[];
      undo: { from: number; to: number; insert: string }[];
    };
    const applied = (on: string, all: typeof patches) =>
      all
        .toReversed()
        .reduce((here, { from, to, insert }) => here.slice(0, from) + insert + here.slice(to), on);
    expect(applied(ship, patches)).toBe(text);
    expect(applied(text, undo)).toBe(ship);
    expect(document).toMatchObject({
      ok: true,
      graph: { nodes: [{}, { name: 'Make it', ui: { position: [5, 6] } }] },
    });
    expect(textOf(made)).toBe(ship);
  });

  it('has the errors of its text', async () => {
    const { status, document } = await api().post(`${at}/draft`, { text: 'a: [' });
    expect([status, (document as { ok: boolean }).ok]).toEqual([200, false]);
  });
});

describe('a new workflow', () => {
  it('is written by its names, and can be run as it is', async () => {
    const made = api();
    const { status, document, headers } = await made.post('/api/v1/workflows', {
      id: 'tidy-up',
      name: 'Tidy: up',
    });
    expect([status, headers.get('location')]).toEqual([201, '/api/v1/workflows/workflows%2Ftidy-up.yaml']);
    expect(document).toMatchObject({ file: 'workflows/tidy-up.yaml', warnings: [] });
    expect((await made.get(headers.get('location') ?? '')).document).toMatchObject({
      ok: true,
      id: 'tidy-up',
      version: '1.0.0',
      definition: { workflow: { name: 'Tidy: up' } },
    });
  });

  it('is written from a text, to a file of its id or name, or to a given one', async () => {
    const made = api();
    const other = ship.replace('id: ship', 'id: other');
    const first = await made.post('/api/v1/workflows', { text: other });
    expect(first.document).toMatchObject({ file: 'workflows/other.yaml' });
    const text = other.replace('id: other', 'id: third');
    const third = await made.post('/api/v1/workflows', { text, file: 'workflows/parts/x.yaml' });
    expect([third.status, textOf(made, 'workflows/parts/x.yaml')]).toEqual([201, text]);
    const native = 'name: Clean Up\nversion: "1"\ntimeout: 5m\nsteps: { a: { command: [ls] } }\n';
    expect((await made.post('/api/v1/workflows', { text: native })).document).toMatchObject({
      file: 'workflows/clean-up.yaml',
    });
  });

  it.each<[string, Json, number]>([
    ['an id that exists', { text: ship, file: 'workflows/other.yaml' }, 409],
    ['a file that exists', { text: ship.replace('id: ship', 'id: x'), file: 'workflows/ship.yaml' }, 409],
    ['a text with errors', { text: 'workflow: { id: x }\nstages: []\n' }, 422],
    ['a text without a name', { text: 'steps: {}' }, 422],
    ['an id that is none', { id: 'Not an id' }, 422],
    ['a file outside', { id: 'x', file: 'workflows/../x.yaml' }, 422],
    ['a file elsewhere', { id: 'x', file: 'protocols/x.yaml' }, 422],
    ['a hidden file', { id: 'x', file: 'workflows/.x.yaml' }, 422],
    ['the file of overrides', { id: 'x', file: 'workflows/overrides.yaml' }, 422],
    ['the file of agents', { id: 'x', file: 'workflows/agents.yaml' }, 422],
    ['nothing', {}, 422],
    ['both', { id: 'x', text: ship }, 422],
  ])('is not made of %s', async (_what, body, status) => {
    const made = api();
    const before = made.project.disk.operations;
    const answer = await made.post('/api/v1/workflows', body);
    expect([answer.status, made.project.disk.operations]).toEqual([status, before]);
    expect(made.bugs).toEqual([]);
  });
});

describe('a text in another format', () => {
  it('has the same data in the same order, and says what becomes of its comments', async () => {
    const made = api();
    const yaml = 'version: 1.0 # one\nsteps: {}\n';
    const json = '{\n  "version": 1.0,\n  "steps": {}\n}\n';
    const there = await made.post('/api/v1/convert', { text: yaml, to: 'json' });
    expect(there.document).toEqual({ schema: 1, text: json, from: 'yaml', to: 'json', comments: 'lost' });
    const back = await made.post('/api/v1/convert', { text: json, from: 'json', to: 'yaml' });
    expect(back.document).toMatchObject({ text: 'version: 1.0\nsteps: {}\n', comments: 'none' });
    const same = await made.post('/api/v1/convert', { text: yaml, to: 'yaml' });
    expect(same.document).toMatchObject({ text: yaml, comments: 'kept' });
    expect((await made.post('/api/v1/convert', { text: 'a: [', to: 'json' })).status).toBe(422);
    expect((await made.post('/api/v1/convert', { text: yaml, from: 'json', to: 'yaml' })).status).toBe(422);
  });

  it('is YAML for who asks for that, also of a file in JSON', async () => {
    const text = '{ "name": "x", "version": "1", "timeout": "5m", "steps": { "a": { "command": ["ls"] } } }';
    const made = api({ 'workflows/x.json': text });
    const response = await made.ask('/api/v1/workflows/workflows%2Fx.json?format=yaml');
    expect(response.headers.get('content-type')).toBe('application/yaml; charset=utf-8');
    expect(await response.text()).toBe(
      'name: x\nversion: "1"\ntimeout: 5m\nsteps:\n  a:\n    command: [ls]\n',
    );
    const json = await made.ask(`${at}?format=json`, { headers: { accept: 'application/yaml' } });
    expect(json.headers.get('content-type')).toBe('application/json');
  });
});
