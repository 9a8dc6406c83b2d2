import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { Project } from '../src/project/project.ts';
import { serveStdio } from '../src/server/mcp/stdio.ts';
import { turnServer } from '../src/server/mcp/turn.ts';

/**
 * What the MCP server of a turn answers to `initialize` and `tools/list`, and to clients of which
 * versions of the protocol.
 */
export async function turnAnswers(version = SUPPORTED_PROTOCOL_VERSIONS[0] ?? ''): Promise<object> {
  const client = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'any', version: '1' } };
  const requests = [
    { jsonrpc: '2.0', id: 0, method: 'initialize', params: client },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  ];
  const project = Project.at('/', { packageRoot: '/', environment: {} });
  const turn = { id: 't1', attempt: 1, role: '', thread: '', outbox: '' };
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const served = serveStdio(turnServer({ project, turn, version: '' }), { stdin, stdout });
  for (const request of requests) stdin.write(`${JSON.stringify(request)}\n`);
  const results: object[] = [];
  for await (const line of createInterface({ input: stdout })) {
    results.push((JSON.parse(line) as { readonly result: object }).result);
    if (results.length === 2) break;
  }
  stdin.end();
  await served;
  const [initialize, list] = results;
  return { versions: SUPPORTED_PROTOCOL_VERSIONS, initialize, list };
}
