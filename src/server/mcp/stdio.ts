import process from 'node:process';
import { Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { inexactNumber, isJsonObject, parseJson } from '../../kernel/json.ts';

/** Serves over standard input and output until the input ends. */
export async function serveStdio(server: McpServer): Promise<void> {
  const input = process.stdin.pipe(exactRequests((answer) => process.stdout.write(answer)));
  const ended = new Promise<void>((resolve) => input.once('end', resolve));
  await server.connect(new StdioServerTransport(input, process.stdout));
  await ended;
  await server.close();
}

/**
 * Passes on lines of JSON-RPC, except requests with a number that cannot be kept exactly: it
 * answers them with an error that names the number.
 */
export function exactRequests(reply: (line: string) => void): Transform {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const passed = (line: string): string => {
    const problem = inexactNumber(line);
    const request = problem === null ? undefined : parseJson(line);
    if (problem === null || request === undefined) return `${line}\n`;
    const id = isJsonObject(request) ? request['id'] : undefined;
    if (id !== undefined)
      reply(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_602, message: problem } })}\n`);
    return '';
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = lines.pop() ?? '';
      done(null, lines.map((line) => passed(line)).join(''));
    },
    flush(done) {
      done(null, rest === '' ? '' : passed(rest));
    },
  });
}
