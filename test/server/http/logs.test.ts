import { expect, test } from 'vitest';
import { maskerFactory, secretFinder } from '../../../src/process/output/mask.ts';
import { LogReading } from '../../../src/server/http/log-reading.ts';
import { LineIndex } from '../../../src/server/http/log-rows.ts';
import type { HttpServices } from '../../../src/server/http/route.ts';
import { ApiFixture, reader } from './api-fixture.ts';

const secret = 'hunter2hunter2hunter2';
const { signal } = new AbortController();

/** A log in memory, with a count of the bytes that were read of it. */
function logOf(content: string | Buffer, secrets: readonly string[] = [secret]) {
  const file = { bytes: Buffer.from(content) as Buffer | null, read: 0 };
  const source = {
    size: () => file.bytes?.length ?? null,
    read: (from: number, most: number) => {
      const part = file.bytes?.subarray(from, from + most) ?? null;
      file.read += part?.length ?? 0;
      return part;
    },
  };
  const api = { secretsIn: secretFinder(secrets), masker: maskerFactory(secrets) };
  return { file, log: new LogReading(source, new LineIndex(source), api) };
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${String(index + 1)}\n`).join('');

test('lines are read by their numbers, from the end, and as they come', async () => {
  const { log, file } = logOf(numbered(5_000));
  expect(await log.lines({ first: 4_000 }, 2, signal)).toMatchObject({
    first: 4_000,
    lines: ['line 4000', 'line 4001'],
    total: 5_000,
    complete: true,
  });
  expect((await log.lines('end', 1, signal))?.lines).toEqual(['line 5000']);

  file.bytes = Buffer.concat([file.bytes!, Buffer.from('half of')]);
  file.read = 0;
  expect(await log.lines({ first: 5_001 }, 9, signal)).toMatchObject({
    lines: ['half of'],
    total: 5_001,
    complete: false,
  });
  // What was read before is not read again, but for a little around the new lines.
  expect(file.read).toBeLessThan(80_000);
  file.bytes = Buffer.concat([file.bytes, Buffer.from(' a line\r\n')]);
  expect(await log.lines({ first: 5_001 }, 9, signal)).toMatchObject({
    lines: ['half of a line'],
    total: 5_001,
    complete: true,
  });
});

test('a log that is cut, written anew or gone is read as it is then', async () => {
  const { log, file } = logOf(numbered(1_000));
  await log.lines('end', 1, signal);
  file.bytes = Buffer.from('one\n');
  expect(await log.lines('end', 9, signal)).toMatchObject({ first: 1, lines: ['one'], total: 1 });
  file.bytes = Buffer.from('other\nlines\n');
  expect((await log.lines('end', 9, signal))?.lines).toEqual(['other', 'lines']);
  file.bytes = null;
  expect(await log.lines('end', 9, signal)).toBeNull();
  expect(await log.search('x', 1, signal)).toBeNull();
});

test('a line without an end is several, between whole characters, and none is lost', async () => {
  const text = '€'.repeat(30_000);
  const { log } = logOf(text);
  const found = await log.lines({ first: 1 }, 1_000, signal);
  expect(found?.lines.join('')).toBe(text);
  expect(found?.lines.length).toBe(6);
});

test('bytes that are not text do no harm', async () => {
  const { log } = logOf(Buffer.concat([Buffer.alloc(40_000, 0x80), Buffer.from([0, 0x0a, 0xff, 0xe2])]));
  const found = await log.lines({ first: 1 }, 100, signal);
  expect(found?.total).toBe(4);
  expect(found?.lines.at(-1)).toBe('\ufffd\ufffd');
});

test('a secret is hidden across lines, parts and the ends of what is sent', async () => {
  const key = '-----BEGIN KEY-----\nabcdefghij\nklmnopqrst\n-----END KEY-----';
  const filler = 'x'.repeat(16 * 1024 - 10);
  const { log } = logOf(`a ${secret} b\n${filler}${secret}${filler}\n${key}\nend\n`, [secret, key]);
  const whole = await log.lines({ first: 1 }, 100, signal);
  expect(whole?.lines[0]).toBe('a *** b');
  expect(whole?.lines.slice(1, 3).map((line) => line.replaceAll('x', ''))).toEqual(['***', '***']);
  expect(whole?.lines.slice(-5)).toEqual(['***', '***', '***', '***', 'end']);
  for (let first = 1; first <= (whole?.total ?? 0); first += 1) {
    const [line] = (await log.lines({ first }, 1, signal))?.lines ?? [];
    expect(line).toBe(whole?.lines[first - 1]);
  }
  expect(await log.search('hunter', 1, signal)).toMatchObject({ lines: [] });
  const sent = Buffer.concat([...{ [Symbol.iterator]: () => log.bytes() }]).toString();
  expect(sent).not.toMatch(/hunter2h|abcdefghij/);
  expect(sent.endsWith('***\nend\n')).toBe(true);
});

test('a search finds lines in any case and through colours, and continues behind its limit', async () => {
  const { log } = logOf(`${numbered(3_000)}\u001b[31mFo\u001b[0mund\n`);
  expect(await log.search('FOUND', 1, signal)).toMatchObject({ lines: [3_001], next: null });
  const hits = await log.search('line', 11, signal);
  expect([hits?.lines[0], hits?.lines.length, hits?.next]).toEqual([11, 1_000, 1_011]);
});

test('the failure is found in the end of a long log, with lines around it', async () => {
  const { log } = logOf(`${numbered(20_000)}AssertionError: no\n${numbered(6_000)}`);
  const found = await log.lines('failure', 200, signal);
  expect(found?.failure).toEqual({ line: 20_001, certain: true });
  expect(found?.first).toBe(19_901);
  expect((await logOf(numbered(300)).log.lines('failure', 10, signal))?.first).toBe(291);
});

/** An API whose one run has one log. */
function apiOf(content: string): ApiFixture {
  const bytes = Buffer.from(content);
  const log = {
    path: 'unit',
    name: 'unit/1.2.1/stderr',
    look: () => ({ size: bytes.length, mtimeMs: 0 }),
    part: (from: number, most: number) => bytes.subarray(from, from + most),
  };
  const workflows = { run: () => ({ run: 'r1', logs: () => [log] }) };
  return new ApiFixture(undefined, { workflows } as unknown as HttpServices['project']);
}

const path = '/api/v1/workflow-runs/r1/logs';

test('the logs of a run are named, and read whole, masked, from a byte on', async () => {
  const api = apiOf(`a ${secret}\nb`);
  api.secret = secret;
  expect((await api.get(`${path}/files`)).document).toMatchObject({
    files: [{ step: 'unit', iteration: 1, attempt: 2, check: 1, stream: 'stderr' }],
  });
  const text = async (of: string) => (await api.ask(of)).text();
  expect(await text(path)).toBe('== unit/1.2.1/stderr\na ***\nb\n');
  expect(await text(`${path}?after=23`)).toBe('***\nb\n');
  expect(await text(`${path}/unit%2F1.2.1%2Fstderr/content`)).toBe('a ***\nb');
  expect((await api.get(`${path}/unit%2F1.2.1%2Fstdout/lines`)).status).toBe(404);
});

test('a link gives its log once, within a minute, without a key', async () => {
  const api = apiOf('all of it\n');
  const link = async () =>
    (
      (await api.post(`${path}/unit%2F1.2.1%2Fstderr/link`, {}, { authorization: `Bearer ${reader.key}` }))
        .document as { address: string }
    ).address;
  const address = await link();
  const headers = { authorization: 'none' };
  const first = await api.ask(address, { headers });
  expect(first.headers.get('content-disposition')).toBe('attachment; filename="r1-unit-1.2.1-stderr.txt"');
  expect(await first.text()).toBe('all of it\n');
  expect((await api.ask(address, { headers })).status).toBe(404);
  const late = await link();
  api.project.now += 61_000;
  expect((await api.ask(late, { headers })).status).toBe(404);
});
