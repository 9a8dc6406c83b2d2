import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { exactRequests } from '../../../src/server/mcp/stdio.ts';

it('answers a request with a number that cannot be kept, and passes on every other line', async () => {
  const replies: string[] = [];
  const lines = exactRequests((line) => void replies.push(line));
  const call = (id: number, n: string) =>
    `{"jsonrpc":"2.0","id":${String(id)},"method":"tools/call","params":{"name":"run","arguments":{"n":${n}}}}`;
  const kept = [call(1, '"9007199254740993 \u00e4"'), 'not JSON: 1e999', call(2, '0.1')];
  const [first = '', ...others] = kept;
  const bytes = Buffer.from([first, call(7, '9007199254740993'), call(8, '1e400'), ...others].join('\n'));
  for (const byte of bytes) lines.write(Buffer.of(byte));
  lines.end();
  expect(await text(lines)).toBe(`${kept.join('\n')}\n`);
  expect(replies.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { jsonrpc: '2.0', id: 7, error: { code: -32_602, message: expect.stringContaining('9007199254740993') } },
    { jsonrpc: '2.0', id: 8, error: { code: -32_602, message: expect.stringContaining('1e400') } },
  ]);
});
