import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { turnAnswers } from '../../../scripts/turn-answers.ts';
import { Project } from '../../../src/project/project.ts';
import { serveAtOnce, type Streams } from '../../../src/server/mcp/at-once.ts';
import { serveStdio } from '../../../src/server/mcp/stdio.ts';
import recorded from '../../../src/server/mcp/turn-answers.json' with { type: 'json' };
import { turnServer } from '../../../src/server/mcp/turn.ts';

const hello = (protocolVersion = '2025-06-18', id: unknown = 0) => ({
  id,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});
const begun = { method: 'notifications/initialized' };
const list = { id: 1, method: 'tools/list' };
const call = { id: 2, method: 'tools/call', params: { name: 'nothing', arguments: {} } };

interface Answer {
  readonly id: unknown;
  readonly result?: object;
  readonly error?: object;
}

/** What is answered to these requests, in this order, and whether the server was loaded for it. */
async function answered(
  requests: readonly object[],
  pieces = (bytes: Buffer): readonly Buffer[] => [bytes],
): Promise<{ answers: Answer[]; isLoaded: boolean }> {
  const project = Project.at('/', { packageRoot: '/', environment: {} });
  const turn = { id: 't1', attempt: 1, role: '', thread: '', outbox: '' };
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  let isLoaded = false;
  const serve = async (streams: Streams) => {
    isLoaded = true;
    await serveStdio(turnServer({ project, turn, version: '7' }), streams);
  };
  const served = serveAtOnce('7', serve, { stdin, stdout });
  const lines = requests.map((request) => `${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`).join('');
  for (const piece of pieces(Buffer.from(lines))) stdin.write(piece);
  const answers: Answer[] = [];
  // The server drops at the end of the input what it has not answered yet.
  const all = requests.filter((request) => 'id' in request).length;
  for await (const line of createInterface({ input: stdout })) {
    answers.push(JSON.parse(line) as Answer);
    if (answers.length < all) continue;
    stdin.end();
    void served.then(() => stdout.end());
  }
  return { answers, isLoaded };
}

it.each(SUPPORTED_PROTOCOL_VERSIONS)(
  'has on record what the server answers to a client of %s',
  async (version) => {
    const now = (await turnAnswers(version)) as typeof recorded;
    const { initialize, ...others } = recorded;
    expect(now).toEqual({ ...others, initialize: { ...initialize, protocolVersion: version } });
  },
);

it('answers the first requests without the server, by the version that the client speaks', async () => {
  const { answers, isLoaded } = await answered([hello('2025-03-26', 'a'), begun, list]);
  const initialize = {
    ...recorded.initialize,
    protocolVersion: '2025-03-26',
    serverInfo: { name: 'mailroom', version: '7' },
  };
  expect(answers).toEqual([
    { jsonrpc: '2.0', id: 'a', result: initialize },
    { jsonrpc: '2.0', id: 1, result: recorded.list },
  ]);
  expect(isLoaded).toBe(false);
});

it('hands the conversation to the server for the first other request, and answers nothing twice', async () => {
  const requests = [hello(), begun, list, call, { ...list, id: 3 }, { id: 4, method: 'ping' }];
  const bytewise = (bytes: Buffer) => [...bytes].map((byte) => Buffer.of(byte));
  for (const pieces of [undefined, bytewise]) {
    const { answers, isLoaded } = await answered(requests, pieces);
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([0, 1, 2, 3, 4]));
    expect(answers).toHaveLength(5);
    expect(answers.find(({ id }) => id === 2)).toHaveProperty('error');
    expect(answers.find(({ id }) => id === 3)?.result).toEqual(recorded.list);
    expect(isLoaded).toBe(true);
  }
});

it.each([
  ['a version that it does not know', hello('1999-01-01')],
  ['a client that begins with something else', { ...list, id: 0 }],
])('leaves %s to the server', async (_, first) => {
  const { answers, isLoaded } = await answered([first]);
  expect(answers.map(({ id }) => id)).toEqual([0]);
  expect(isLoaded).toBe(true);
});
