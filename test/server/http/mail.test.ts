import { describe, expect, it } from 'vitest';
import { isJsonObject, type Json } from '../../../src/kernel/json.ts';
import { Once } from '../../../src/server/http/app.ts';
import { ProjectFixture } from '../../cli/project-fixture.ts';
import { letter } from '../../cli/team.ts';
import { ada, ApiFixture, reader } from './api-fixture.ts';

/** An engineer that waits for an answer of a person. */
function asking(): ApiFixture {
  const project = new ProjectFixture();
  project.drop('agents/architect/inbox/flag.md', '# Add a --json flag\n\nTo the list command.\n');
  project.work('architect', { files: { 'd.md': letter('design', 'engineer', 'How to add it') }, usd: 0.12 });
  project.work('engineer', { files: { 'q.md': letter('question', '[user, lead]', 'Which list?') } });
  return new ApiFixture(project);
}

function get(document: Json, key: string): string {
  const value = isJsonObject(document) ? document[key] : null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

describe('reading mail', () => {
  it('shows threads, messages and turns as the commands do', async () => {
    const api = asking();
    const { project } = api;
    const question = project.id('Which list?');
    const thread = project.id('Add a --json flag');
    for (const [path, word] of [
      [`/api/v1/messages/${question}`, question],
      ['/api/v1/turns/t2', 't2'],
    ] as const) {
      const { status, document } = await api.get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(document).toEqual((await project.json('show', word)).document);
    }
    // Its first message has the same id.
    expect((await api.get(`/api/v1/threads/${thread}`)).document).toMatchObject({
      kind: 'thread',
      id: thread,
      messages: [{ id: thread }, { subject: 'How to add it' }, { id: question }],
    });
    const early = (await api.get(`/api/v1/threads/${thread}?at=2`)).document as {
      messages: { id: string }[];
    };
    expect(early.messages.map(({ id }) => id)).toEqual([thread]);
    const { document } = await api.get('/api/v1/costs?by=role,provider');
    expect(document).toEqual((await project.json('costs', '--by', 'role,provider')).document);
    expect((await api.get('/api/v1/why/engineer')).document).toEqual(
      (await project.json('why', 'engineer')).document,
    );
    expect(api.bugs).toEqual([]);
  });

  it('lists threads in parts, the newest first', async () => {
    const project = new ProjectFixture();
    for (const number of [1, 2, 3])
      project.drop(`agents/architect/inbox/${String(number)}.md`, `Task ${String(number)}\n`);
    const api = new ApiFixture(project);
    const subjects = (document: Json) => (document as { subject: string }[]).map(({ subject }) => subject);
    const first = await api.get('/api/v1/threads?limit=2');
    expect(subjects(first.document)).toEqual(['Task 3', 'Task 2']);
    const [, next = ''] = /^<(.*)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? [];
    const second = await api.get(next);
    expect(subjects(second.document)).toEqual(['Task 1']);
    expect(second.headers.get('link')).toBeNull();
    expect((await api.get('/api/v1/threads?after=nothing')).status).toBe(404);
    expect((await api.get('/api/v1/threads?limit=0')).document).toMatchObject({
      status: 422,
      code: 'E_VALUE',
    });
  });

  it('shows the protocol with its defaults', async () => {
    const { document } = await new ApiFixture().get('/api/v1/protocol');
    expect(document).toMatchObject({ name: 'team', start: { type: 'task', to: 'architect' } });
    const api = new ApiFixture();
    api.project.text = 'name: [';
    const broken = await api.get('/api/v1/protocol');
    expect(broken.document).toMatchObject({
      status: 422,
      code: 'E_YAML',
      errors: [{ file: 'protocols/team.yaml' }],
    });
  });

  it.each([
    '/api/v1/messages/..',
    '/api/v1/messages/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '/api/v1/threads/a%00b',
    '/api/v1/turns/t1%2F..%2F..',
    '/api/v1/turns/x',
    '/api/v1/turns/t2/1/0/..%2f..%2fkeys.json',
    '/api/v1/turns/t2/1/0/result',
    '/api/v1/turns/t2/diff',
    '/api/v1/messages/abcdef/diff',
    '/api/v1/messages/<script>',
    '/api/v1/why/..%2f..%2fetc',
  ])('finds nothing at %s', async (path) => {
    const { status, document } = await asking().get(path);
    expect(status).toBe(404);
    expect(document).toMatchObject({ code: 'E_TARGET' });
  });

  it('lists what a part of an id may mean', async () => {
    const project = new ProjectFixture();
    for (const number of [1, 2])
      project.drop(`agents/architect/inbox/${String(number)}.md`, `Task ${String(number)}\n`);
    const start = project.id('Task 1').slice(0, 8);
    const { status, document } = await new ApiFixture(project).get(`/api/v1/threads/${start}`);
    expect(status).toBe(409);
    expect(get(document, 'detail')).toContain('Task 2');
  });
});

describe('writing mail', () => {
  it('sends a task in the name of the key, or of user', async () => {
    const api = new ApiFixture();
    api.keys = [ada, { ...reader, name: 'lead', access: 'write' }];
    const { status, document, headers } = await api.post('/api/v1/messages', {
      to: ['engineer'],
      type: 'chore',
      subject: 'Tidy up',
      text: 'Please.',
      fields: { size: 3 },
    });
    expect(status).toBe(201);
    expect(document).toMatchObject({ state: 'accepted', type: 'chore' });
    expect(headers.get('location')).toBe(`/api/v1/messages/${get(document, 'id')}`);
    const sent = api.project.state.mail.get(get(document, 'id'))?.message;
    expect(sent).toMatchObject({ from: 'user', subject: 'Tidy up', fields: { size: 3 }, body: 'Please.\n' });
    const errand = { to: ['engineer'], text: 'Run.' };
    const other = await api.post(
      '/api/v1/messages',
      { ...errand, type: 'errand' },
      { authorization: `Bearer ${reader.key}` },
    );
    expect(api.project.state.mail.get(get(other.document, 'id'))?.message.from).toBe('lead');
  });

  it('answers a request as the person whose key it is, and once', async () => {
    const api = asking();
    api.keys = [{ ...ada, name: 'lead' }];
    const path = `/api/v1/messages/${api.project.id('Which list?')}/reply`;
    const headers = { 'idempotency-key': 'one' };
    const first = await api.post(path, { text: 'The short one.' }, headers);
    expect([first.status, get(first.document, 'state')]).toEqual([201, 'accepted']);
    const again = await api.post(path, { text: 'The short one.' }, headers);
    expect(again.document).toEqual(first.document);
    const answers = [...api.project.state.mail.values()].filter(({ message }) => message.type === 'answer');
    expect(answers.map(({ message }) => [message.from, message.body])).toEqual([
      ['lead', 'The short one.\n'],
    ]);
    const other = await api.post(path, { text: 'The long one.' }, headers);
    expect([other.status, get(other.document, 'code')]).toEqual([409, 'E_REFUSED']);
    // What is done shows the answer, also once the thread is over.
    await api.project.run('cancel', api.project.id('Add a --json flag'));
    for (const _ of [1, 2, 3]) api.project.look();
    expect((await api.get('/api/v1/inbox/done')).document).toMatchObject([
      { subject: 'Which list?', answer: { text: 'The short one.' } },
    ]);
  });

  it('acts once where the same request comes twice at once', async () => {
    let acts = 0;
    const act = () => Promise.resolve(new Response(String((acts += 1))));
    const once = new Once();
    const answers = await Promise.all(['a', 'a', 'b'].map((id) => once.answer(id, 'same', act)));
    expect(await Promise.all(answers.map((each) => each.text()))).toEqual(['1', '1', '2']);
  });

  it('finds a repeated message again after the server was started again', async () => {
    const { project } = asking();
    const path = `/api/v1/messages/${project.id('Which list?')}/reply`;
    const headers = { 'idempotency-key': 'two' };
    const first = await new ApiFixture(project).post(path, { text: 'Both.' }, headers);
    const again = await new ApiFixture(project).post(path, { text: 'Both.' }, headers);
    expect(get(again.document, 'id')).toBe(get(first.document, 'id'));
  });

  it('gives commands as the person of the key, once for each key of a request', async () => {
    const api = asking();
    const headers = { 'idempotency-key': 'pause-1' };
    for (let count = 0; count < 2; count += 1) {
      const { status, document } = await api.post('/api/v1/roles/qa/pause', {}, headers);
      expect(status).toBe(200);
      expect(document).toMatchObject({
        state: 'done',
        verb: 'pause',
        targets: [{ kind: 'role', role: 'qa' }],
      });
    }
    expect([...api.project.state.paused.roles.keys()]).toEqual(['qa']);
    const restarted = new ApiFixture(api.project);
    expect(
      (await restarted.post('/api/v1/roles/qa/unpause', {}, { 'idempotency-key': 'other' })).status,
    ).toBe(200);
    expect((await restarted.post('/api/v1/roles/qa/pause', {}, headers)).status).toBe(200);
    expect([...api.project.state.paused.roles]).toEqual([]);
  });

  it('only records what no controller can do now', async () => {
    const api = asking();
    api.project.up = false;
    const { status, document } = await api.post('/api/v1/pause', {});
    expect([status, get(document, 'state')]).toEqual([202, 'recorded']);
  });

  it.each<[string, string, Json | string, number, string]>([
    ['no JSON', '/api/v1/messages', '{"to":\n [}', 400, 'E_USAGE'],
    ['two equal keys', '/api/v1/messages', '{"to":["qa"],"text":"a","text":"b"}', 400, 'E_USAGE'],
    [
      '__proto__',
      '/api/v1/messages',
      '{"to":["qa"],"text":"a","fields":{"__proto__":{"x":1}}}',
      400,
      'E_USAGE',
    ],
    [
      'a hidden __proto__',
      '/api/v1/messages',
      '{"to":["qa"],"text":"a","fields":{"\\u005f_proto__":1}}',
      400,
      'E_USAGE',
    ],
    ['NaN', '/api/v1/messages', '{"to":["qa"],"text":NaN}', 400, 'E_USAGE'],
    ['deep nesting', '/api/v1/messages', `{"fields":${'['.repeat(200)}${']'.repeat(200)}}`, 400, 'E_USAGE'],
    ['an unknown key', '/api/v1/messages', { to: ['qa'], txet: 'a' }, 400, 'E_UNKNOWN_KEY'],
    ['a name', '/api/v1/messages', { to: ['qa'], text: 'a', as: 'lead' }, 400, 'E_UNKNOWN_KEY'],
    ['a missing text', '/api/v1/messages', { to: ['qa'] }, 422, 'E_VALUE'],
    ['an unknown role', '/api/v1/messages', { to: ['nobody'], text: 'a' }, 422, 'E_UNKNOWN_NAME'],
    ['a forbidden message', '/api/v1/messages', { to: ['qa'], text: 'a' }, 422, 'E_FORBIDDEN'],
    [
      'a path outside',
      '/api/v1/messages',
      { to: ['architect'], text: 'a', attachments: ['../x'] },
      422,
      'E_PATH',
    ],
    ['an unknown message', '/api/v1/messages/abcdef/reply', { text: 'a' }, 404, 'E_TARGET'],
    ['a turn that is over', '/api/v1/turns/t1/cancel', {}, 409, 'E_REFUSED'],
    ['to let land what does not wait', '/api/v1/turns/t1/approve', {}, 404, 'E_TARGET'],
    ['to give back what does not wait', '/api/v1/turns/t1/reject', { comment: 'no' }, 404, 'E_TARGET'],
    ['a name that approves', '/api/v1/turns/t1/approve', { by: 'lead' }, 400, 'E_UNKNOWN_KEY'],
    ['an unknown role to pause', '/api/v1/roles/nobody/pause', {}, 404, 'E_TARGET'],
  ])('refuses %s', async (_what, path, body, status, code) => {
    const api = asking();
    const before = api.project.disk.list('agents/user/outbox');
    const { status: found, document } = await api.post(path, body);
    expect([found, get(document, 'code')]).toEqual([status, code]);
    expect(api.project.disk.list('agents/user/outbox')).toEqual(before);
    expect(api.bugs).toEqual([]);
  });

  it('names the place of what is not JSON', async () => {
    const { document } = await asking().post('/api/v1/messages', '{"to":\n [}');
    expect(get(document, 'detail')).toBe(
      'the body is not JSON: line 2, column 3: expected a value; strings need double quotes: [}',
    );
  });

  it.each(['9007199254740993', '-1e400', '0.1234567890123456789', '1e-400'])(
    'refuses the number %s, which it could not keep, with its place',
    async (figure) => {
      const { status, document } = await asking().post('/api/v1/messages', `{"fields":\n {"n": ${figure}}}`);
      const detail = `\`${figure}\` (line 2, column 8) is a number that cannot be kept exactly; quote it to keep its digits`;
      expect([status, get(document, 'detail')]).toEqual([400, detail]);
    },
  );

  it('refuses a body that is too large, not JSON by its type, or not UTF-8', async () => {
    const api = asking();
    const large = await api.post('/api/v1/messages', { to: ['qa'], text: 'a'.repeat(1024 * 1024) });
    expect([large.status, get(large.document, 'code')]).toEqual([413, 'E_FILE']);
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=a',
      '',
    ])
      expect((await api.post('/api/v1/messages', '{}', { 'content-type': type })).status).toBe(415);
    const bytes = new Uint8Array([0x22, 0xff, 0x22]);
    const headers = { 'content-type': 'application/json' };
    expect((await api.ask('/api/v1/messages', { method: 'POST', headers, body: bytes })).status).toBe(400);
  });

  it('refuses a key that may only read', async () => {
    const api = asking();
    const headers = { authorization: `Bearer ${reader.key}` };
    for (const { method, path } of api.routes.filter((each) => each.method !== 'get')) {
      const { status, document } = await api.post(path.replaceAll(/\{\w+\}/g, 'x'), {}, headers);
      // A link to a log gives nothing that the key cannot read.
      if (method === 'post' && !path.endsWith('/link'))
        expect([path, status, get(document, 'code')]).toEqual([path, 403, 'E_KEY']);
    }
    expect((await api.get('/api/v1/status', headers)).status).toBe(200);
  });

  it('refuses an Idempotency-Key that is none', async () => {
    const { status } = await asking().post('/api/v1/pause', {}, { 'idempotency-key': 'a b' });
    expect(status).toBe(400);
  });
});

describe('who answers by the API', () => {
  it.each([
    ['lead', 'lead', 'lead'],
    ['lead', 'ada', null],
    ['lead', 'user', null],
    ['user', 'ada', 'user'],
    ['user', 'lead', null],
    ['[user, lead]', 'lead', 'lead'],
    ['[user, lead]', 'ada', 'user'],
  ])('a question to %s is answered with the key of %s by %s', async (to, name, from) => {
    const project = new ProjectFixture();
    project.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it'));
    project.work('engineer', { files: { 'q.md': letter('question', to, 'Which list?') } });
    const api = new ApiFixture(project);
    api.keys = [{ ...ada, name }];
    const id = project.id('Which list?');
    const { status, document } = await api.post(`/api/v1/messages/${id}/reply`, { text: 'That one' });
    const sent = [...project.state.mail.values()].find(({ message }) => message.inReplyTo === id);
    expect([status, sent?.message.from ?? null]).toEqual([from === null ? 422 : 201, from]);
    if (from === null) expect(document).toMatchObject({ detail: `${name} was not asked, but ${to}` });
  });
});

describe('what was put away', () => {
  const noticed = () => {
    const project = new ProjectFixture();
    for (const name of ['x', 'y', 'z']) {
      project.drop(`agents/engineer/inbox/${name}.md`, letter('chore', 'engineer', name));
      project.work('engineer', { files: { 'd.md': letter('delivered', 'user', `Made ${name}`) } });
    }
    return new ApiFixture(project);
  };
  const waiting = async (api: ApiFixture) =>
    (await api.get('/api/v1/inbox')).document as unknown as {
      readonly items: readonly { readonly id: string; readonly kind: string }[];
    };

  it.each([true, false])('is listed in pages, and comes back; seen by a controller: %s', async (seen) => {
    const api = noticed();
    const { project } = api;
    const ids = (await waiting(api)).items.map(({ id }) => id);
    expect(ids).toHaveLength(3);
    expect((await api.post('/api/v1/inbox/done', { ids })).status).toBe(200);
    const looks = () => {
      for (const _ of [1, 2, 3]) {
        project.now += 60_000;
        project.look();
      }
    };
    if (seen) looks();
    expect((await waiting(api)).items).toEqual([]);
    const first = await api.get('/api/v1/inbox/done?limit=2');
    expect(first.document).toMatchObject([{ id: ids[0], kind: 'notice' }, { id: ids[1] }]);
    const [, next = ''] = /^<(.*)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? [];
    expect((await api.get(next)).document).toMatchObject([{ id: ids[2], subject: 'Made x' }]);

    const back = await api.post('/api/v1/inbox/back', { ids: [ids[1] ?? ''] });
    expect(back).toMatchObject({ status: 200, document: { back: [ids[1]] } });
    looks();
    expect((await waiting(api)).items.map(({ id }) => id)).toEqual([ids[1]]);
    expect((await api.get('/api/v1/inbox/done')).document).toMatchObject([{ id: ids[0] }, { id: ids[2] }]);
    expect(project.state.unread.size).toBe(1);
  });

  it('does not come back where it was not put away', async () => {
    const api = asking();
    const id = api.project.id('Add a --json flag');
    expect((await api.post('/api/v1/inbox/back', { ids: [id] })).document).toMatchObject({
      status: 409,
      code: 'E_REFUSED',
    });
    // A controller would remove the file of a notice that it does not remember.
    const { project } = noticed();
    project.drop('agents/user/inbox/odd.md', 'What is this?\n');
    const odd = new ApiFixture(project);
    const notice = (await waiting(odd)).items.find(({ kind }) => kind === 'notice')?.id ?? '';
    await odd.post('/api/v1/inbox/done', { ids: [notice] });
    for (const _ of [1, 2, 3]) {
      project.now += 60_000;
      project.look();
    }
    expect((await odd.post('/api/v1/inbox/back', { ids: [notice] })).status).toBe(409);
    expect((await odd.get('/api/v1/inbox/done')).document).toMatchObject([{ id: notice }]);
  });
});
