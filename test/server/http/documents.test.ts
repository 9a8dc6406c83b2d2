import { describe, expect, it } from 'vitest';
import { overviewDocument, type StatusDocument } from '../../../src/documents/status.ts';
import { letter } from '../../cli/team.ts';
import { ada, ApiFixture, reader as grace } from './api-fixture.ts';

describe('a document', () => {
  it('is that of the command', async () => {
    const api = new ApiFixture();
    api.project.drop('agents/architect/inbox/flag.md', '# Add a --json flag\n\nTo the list command.\n');
    api.project.work('architect', {
      files: { 'd.md': letter('design', 'engineer', 'How to add it') },
      usd: 0.12,
    });
    api.project.work('engineer', { files: { 'q.md': letter('question', 'lead', 'Which list?') } });
    const { status, document } = await api.get('/api/v1/status');
    expect(status).toBe(200);
    const { threads, ...overview } = (await api.project.json('status')).document as StatusDocument;
    expect(document).toEqual(overview);
    expect(overviewDocument.parse(document)).toEqual(document);
    const rows = await api.get('/api/v1/threads');
    expect(rows.document).toEqual(
      threads.map((thread, index) => ({ ...thread, depth: 0, alike: index === 0 ? threads.length : null })),
    );
    const inbox = await api.get('/api/v1/inbox?as=lead');
    expect(inbox.document).toEqual((await api.project.json('inbox', '--as', 'lead')).document);
    expect(inbox.document).toMatchObject({ items: [{ subject: 'Which list?' }] });
    expect((await api.get('/api/v1/inbox?as=qa')).document).toMatchObject({ status: 404, code: 'E_TARGET' });
  });

  it('has a strong tag of its content, and is not sent again while that fits', async () => {
    const api = new ApiFixture();
    const { headers } = await api.get('/api/v1/status');
    const tag = headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w-]+"$/);
    const again = await api.get('/api/v1/status', { 'if-none-match': `"other", ${tag}` });
    expect([again.status, again.document]).toEqual([304, null]);
    api.project.drop('agents/architect/inbox/flag.md', '# Another\n');
    const changed = await api.get('/api/v1/status', { 'if-none-match': tag });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(tag);
  });

  it('shows no secret', async () => {
    const api = new ApiFixture();
    api.secret = 'hunter2hunter2';
    api.project.drop('agents/architect/inbox/flag.md', '# The password is hunter2hunter2\n');
    const { document } = await api.get('/api/v1/threads');
    expect(JSON.stringify(document)).toContain('The password is ***');
  });
});

describe('the session', () => {
  it('says whose key it is', async () => {
    const { document } = await new ApiFixture().get('/api/v1/session');
    expect(document).toMatchObject({ version: '1.2.3', name: ada.name, access: 'write' });
  });
});

describe('the stream of changes', () => {
  const next = async (reader: ReadableStreamDefaultReader<Uint8Array>) =>
    Buffer.from((await reader.read()).value ?? []).toString();
  const open = async (api: ApiFixture, headers: Record<string, string> = {}) => {
    const response = await api.ask('/api/v1/events', { headers });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const reader = response.body!.getReader();
    expect(await next(reader)).toBe('retry: 1000\n\n');
    return reader;
  };

  it('begins with every topic, continues with what changes, and watches only while it is open', async () => {
    const api = new ApiFixture();
    api.numbers.set('mail', 41).set('run:r1', 3);
    const stream = await open(api);
    expect(await next(stream)).toBe(
      'id: mail:41\nevent: mail\ndata: {"topic":"mail","n":41}\n\n' +
        'id: run:r1:3\nevent: run\ndata: {"topic":"run:r1","n":3}\n\n',
    );
    const pending = next(stream);
    api.change('mail', 42);
    expect(await pending).toBe('id: mail:42\nevent: mail\ndata: {"topic":"mail","n":42}\n\n');
    expect(api.watches).toBe(1);
    await stream.cancel();
    expect(api.watches).toBe(0);
  });

  it('is not opened by HEAD', async () => {
    const api = new ApiFixture();
    for (let count = 0; count < 200; count += 1) {
      const response = await api.ask('/api/v1/events', { method: 'HEAD' });
      expect([response.status, response.headers.get('content-type'), response.body]).toEqual([
        200,
        'text/event-stream',
        null,
      ]);
    }
    expect([api.streams.open, api.watches]).toEqual([0, 0]);
  });

  it('ends with its request, whether its body is read or not', async () => {
    const api = new ApiFixture();
    for (const isRead of [true, false]) {
      const left = new AbortController();
      const response = await api.ask('/api/v1/events', { signal: left.signal });
      if (isRead) await response.body!.getReader().read();
      expect(api.streams.open).toBe(1);
      left.abort();
      expect([api.streams.open, api.watches]).toEqual([0, 0]);
    }
    await api.ask('/api/v1/events', { signal: AbortSignal.abort() });
    expect([api.streams.open, api.watches]).toEqual([0, 0]);
  });

  it('is one of at most 64 of a key', async () => {
    const api = new ApiFixture();
    const streams = await Promise.all(Array.from({ length: 64 }, () => open(api)));
    // One that is not refused has no end to wait for.
    const refused = await api.ask('/api/v1/events');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await refused.json()).toMatchObject({
      code: 'E_REFUSED',
      detail: 'the key of ada has 64 event streams open',
    });
    const other = await open(api, { authorization: `Bearer ${grace.key}` });
    expect(api.streams.open).toBe(65);
    await Promise.all([streams.pop()!.cancel(), other.cancel()]);
    await (await open(api)).cancel();
    expect(api.streams.open).toBe(63);
  });

  it('does not repeat the event that a client has seen last', async () => {
    const api = new ApiFixture();
    api.numbers.set('mail', 41).set('project', 7);
    const stream = await open(api, { 'last-event-id': 'mail:41' });
    expect(await next(stream)).toBe('id: project:7\nevent: project\ndata: {"topic":"project","n":7}\n\n');
    await stream.cancel();
  });

  it('keeps for a slow reader only the newest number of each topic', async () => {
    const api = new ApiFixture();
    const stream = await open(api);
    for (let number = 1; number <= 10_000; number += 1) api.change('mail', number);
    let heard = '';
    while (!heard.includes('mail:10000')) heard += await next(stream);
    expect(heard.split('\n\n').length).toBeLessThan(10);
    await stream.cancel();
  });

  it('keeps no program running, whether its client waits or has left', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
    const before = timers();
    const stream = await open(new ApiFixture());
    const pending = stream.read();
    // The stream asks for its next event after this one has been read.
    await Promise.resolve();
    expect(timers()).toBe(before);
    await stream.cancel();
    await pending;
    expect(timers()).toBe(before);
  });

  it('ends with the server', async () => {
    const api = new ApiFixture();
    const stream = await open(api);
    api.streams.close();
    expect((await stream.read()).done).toBe(true);
    expect(api.watches).toBe(0);
  });
});
