import { once } from 'node:events';
import process from 'node:process';
import { Transform, type Readable, type Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import metadata from '../../../package.json' with { type: 'json' };
import { isJsonObject, parseExactJson, type JsonObject } from '../../kernel/json.ts';
import answers from './turn-answers.json' with { type: 'json' };

/** Where lines of JSON-RPC are read and answered. */
export interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable;
}

/** The `main` of the whole program. */
type Main = (argv: readonly string[], packageRoot: string, here: object) => Promise<number>;

/** Starts as `main` of the whole program, which is loaded once a tool is called. */
export async function main(
  argv: readonly string[],
  packageRoot: string,
  here: { readonly whole: () => { readonly main: Main } },
): Promise<number> {
  let code = 0;
  await serveAtOnce(metadata.version, async (streams) => {
    code = await here.whole().main(argv, packageRoot, { ...here, streams });
  });
  return code;
}

/**
 * Answers what every client asks first, `initialize` and the list of tools, by what was recorded of
 * the server of a turn. The first other request loads that server, by `serve`, which is given what
 * was answered, too. Ends with the input.
 */
export async function serveAtOnce(
  version: string,
  serve: (streams: Streams) => Promise<void>,
  { stdin, stdout }: Streams = process,
): Promise<void> {
  const kept: string[] = [];
  let hello: JsonObject | null = null;
  let isOpening = true;
  const opening = eachLine((line) => {
    if (!isOpening) return line;
    const request = parseExactJson(line);
    const result = isJsonObject(request) ? resultOf(request, hello === null, version) : undefined;
    isOpening = result !== undefined;
    if (result === undefined || !isJsonObject(request)) return [...kept, line].join('\n');
    if (result === null || hello === null) kept.push(line);
    hello ??= request;
    if (result !== null) stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request['id'], result })}\n`);
    return null;
  });
  const input = stdin.pipe(opening);
  await once(input, 'readable');
  if (input.readableLength > 0) await serve({ stdin: input, stdout: without(hello, stdout) });
  stdin.destroy();
}

/** Null: a notification, which has no answer. Undefined: only the server knows. */
function resultOf(
  { method, id, params }: JsonObject,
  isFirst: boolean,
  version: string,
): JsonObject | null | undefined {
  const given = isJsonObject(params) ? params : {};
  if (isFirst) {
    const protocolVersion = answers.versions.find((each) => each === given['protocolVersion']);
    if (method !== 'initialize' || id === undefined || protocolVersion === undefined) return undefined;
    return {
      ...answers.initialize,
      protocolVersion,
      serverInfo: { ...answers.initialize.serverInfo, version },
    };
  }
  if (id === undefined) return null;
  return method === 'tools/list' && given['cursor'] === undefined ? answers.list : undefined;
}

/** The output for a server that reads a request again which was answered already. */
function without(hello: JsonObject | null, output: Writable): Writable {
  let isAnswered = hello === null;
  const lines = eachLine((line) => {
    const answer = isAnswered ? undefined : parseExactJson(line);
    if (!isJsonObject(answer) || answer['id'] !== hello?.['id']) return line;
    isAnswered = true;
    return null;
  });
  lines.pipe(output, { end: false });
  return lines;
}

/** Passes on what is returned for each line; null: nothing. */
export function eachLine(act: (line: string) => string | null): Transform {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const passed = (line: string): string => {
    const acted = act(line);
    return acted === null ? '' : `${acted}\n`;
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
