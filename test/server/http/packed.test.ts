import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { filteredThreads, type ListedThread } from '../../../src/mail/questions/listed-threads.ts';
import { ApiFixture } from './api-fixture.ts';

async function packed(api: ApiFixture, path: string, accepts: string) {
  const { status, headers, ...answer } = await unread(api, path, { 'accept-encoding': accepts });
  return { status, headers, bytes: Buffer.from(await answer.response.arrayBuffer()) };
}

async function unread(api: ApiFixture, path: string, headers: Record<string, string>) {
  const response = await api.ask(path, { headers });
  return { status: response.status, headers: response.headers, response };
}

describe('a packed answer', () => {
  it.each([
    ['br', brotliDecompressSync, 'gzip, deflate, br'],
    ['gzip', gunzipSync, 'br;q=0, gzip;q=0.5'],
  ])('is the same in %s, with a tag of its own', async (encoding, unpack, accepts) => {
    const api = new ApiFixture();
    const plain = await unread(api, '/api/v1/openapi.json', {});
    expect([plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([
      null,
      'Authorization, Accept, Accept-Encoding',
    ]);
    const text = await plain.response.text();
    const { headers, bytes } = await packed(api, '/api/v1/openapi.json', accepts);
    expect([headers.get('content-encoding'), headers.get('content-length')]).toEqual([encoding, null]);
    expect(unpack(bytes).toString()).toBe(text);
    expect(bytes.length).toBeLessThan(text.length / 5);
    const tag = headers.get('etag') ?? '';
    expect(tag).toBe(plain.headers.get('etag')?.replace(/"$/, `.${encoding}"`));
    const again = await unread(api, '/api/v1/openapi.json', {
      'if-none-match': tag,
      'accept-encoding': accepts,
    });
    expect([again.status, again.headers.get('etag')]).toEqual([304, tag]);
  });

  it.each([
    ['a client that takes none', '/api/v1/openapi.json', 'identity'],
    ['a short text', '/healthz', 'br'],
  ])('is not for %s', async (_what, path, accepts) => {
    const { status, headers, bytes } = await packed(new ApiFixture(), path, accepts);
    expect([status, headers.get('content-encoding')]).toEqual([200, null]);
    expect(() => JSON.parse(bytes.toString()) as unknown).not.toThrow();
  });

  it('is no stream of events', async () => {
    const api = new ApiFixture();
    const { headers, response } = await unread(api, '/api/v1/events', { 'accept-encoding': 'br' });
    expect(headers.get('content-encoding')).toBeNull();
    await response.body?.cancel();
  });
});

describe('the list of threads', () => {
  const subjects = async (api: ApiFixture, query: string) => {
    const { document } = await api.get(`/api/v1/threads?${query}`);
    return (document as { subject: string; depth: number }[]).map(
      ({ subject, depth }) => `${depth} ${subject}`,
    );
  };

  it('is searched and filtered by the server', async () => {
    const api = new ApiFixture();
    for (const name of ['Red door', 'Blue door', 'Red roof'])
      api.project.drop(
        `agents/architect/inbox/${name.replace(' ', '-')}.md`,
        `# ${name}\n\nIt wants ${name === 'Red roof' ? 'new Tiles' : 'paint'}.\n`,
      );
    await api.get('/api/v1/status');
    expect((await subjects(api, 'q=DOOR')).toSorted()).toEqual(['0 Blue door', '0 Red door']);
    expect(await subjects(api, 'q=door+red')).toEqual(['0 Red door']);
    // Words of its messages count, too.
    expect(await subjects(api, 'q=tiles+red')).toEqual(['0 Red roof']);
    expect(await subjects(api, 'standing=done')).toEqual([]);
    expect(await subjects(api, 'standing=working')).toHaveLength(1);
    // What works comes before what waits, whichever is newer.
    const [first = ''] = await subjects(api, 'standing=working');
    const ordered = await subjects(api, 'order=standing');
    expect(ordered).toHaveLength(3);
    expect(ordered[0]).toBe(first);
    expect((await subjects(api, ''))[0]).not.toBe(first);
    const id = api.project.id('Red roof');
    expect(await subjects(api, `ids=${id}`)).toEqual(['0 Red roof']);
    expect(await subjects(api, `under=${id}`)).toEqual(['0 Red roof']);
    const { document } = await api.get('/api/v1/threads?standing=sad');
    expect(document).toMatchObject({ status: 422 });
  });

  it('has those that stand alike by their newest message, and their number', () => {
    const standing = { is: 'done', word: 'closed', for: [], until: null } as const;
    const threads = ['12:02', '12:09', '12:05'].map(
      (latest, id) =>
        ({ id: String(id), parent: null, subject: '', latest, standing }) as unknown as ListedThread,
    );
    const listed = filteredThreads(threads, { order: 'standing' });
    expect(listed.map(({ latest, alike }) => [latest, alike])).toEqual([
      ['12:09', 3],
      ['12:05', null],
      ['12:02', null],
    ]);
  });
});
