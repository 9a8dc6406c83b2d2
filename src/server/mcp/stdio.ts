import process from 'node:process';
import type { Transform } from 'node:stream';
import type { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { inexactNumber, isJsonObject, parseJson } from '../../kernel/json.ts';
import { eachLine, type Streams } from './at-once.ts';

/** Serves until the input ends. */
export async function serveStdio(server: McpServer, { stdin, stdout }: Streams = process): Promise<void> {
  const input = stdin.pipe(exactRequests((answer) => stdout.write(answer)));
  const ended = new Promise<void>((resolve) => input.once('end', resolve));
  await server.connect(new StdioServerTransport(input, stdout));
  await ended;
  await server.close();
}

/**
 * Passes on lines of JSON-RPC, except requests with a number that cannot be kept exactly: it
 * answers them with an error that names the number.
 */
export function exactRequests(reply: (line: string) => void): Transform {
  return eachLine((line) => {
    const problem = inexactNumber(line);
    const request = problem === null ? undefined : parseJson(line);
    if (problem === null || request === undefined) return line;
    const id = isJsonObject(request) ? request['id'] : undefined;
    if (id !== undefined)
      reply(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_602, message: problem } })}\n`);
    return null;
  });
}
