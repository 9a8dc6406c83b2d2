import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isJsonObject, type Json } from '../src/kernel/json.ts';

/** Tokens of the requests to a model, as a vendor bills them. A token is counted as four bytes. */
export interface Counted {
  calls: number;
  /** Newly written to the vendor's cache. */
  written: number;
  /** Read from it: the longest beginning that an earlier request had, from 1,024 tokens on. */
  cached: number;
}

/**
 * Stands before a model and counts what each request really holds: tools, system prompt and
 * messages, in the spelling of any vendor.
 */
export class TokenCounter {
  readonly counted: Counted = { calls: 0, written: 0, cached: 0 };
  readonly #seen = new Set<string>();
  readonly #server: Server;

  private constructor(model: string) {
    this.#server = createServer((request, response) => void this.#pass(model, request, response));
  }

  static async before(model: string): Promise<TokenCounter> {
    const counter = new TokenCounter(model);
    await new Promise<void>((resolve) => counter.#server.listen(0, '127.0.0.1', resolve));
    return counter;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #pass(model: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (request.method === 'POST') this.#count(body.toString());
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
    const answer = await fetch(model + (request.url ?? ''), {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(body.length > 0 && { body }),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  }

  #count(body: string): void {
    const blocks = blocksOf(JSON.parse(body) as Json);
    if (blocks.length === 0) return;
    const hash = createHash('sha256');
    let [sum, cached] = [0, 0];
    for (const block of blocks) {
      hash.update(block);
      sum += Math.ceil(block.length / 4);
      const beginning = hash.copy().digest('hex');
      if (sum >= 1024 && this.#seen.has(beginning)) cached = sum;
      this.#seen.add(beginning);
    }
    this.counted.calls += 1;
    this.counted.cached += cached;
    this.counted.written += sum - cached;
  }
}

/** The parts of a request in the order in which vendors read them. Empty: it asks no model. */
function blocksOf(request: Json): string[] {
  if (!isJsonObject(request)) return [];
  const said = [request['messages'], request['input'], request['contents']].find(Array.isArray);
  if (said === undefined || !Array.isArray(request['tools'])) return [];
  const system = [request['system'], request['instructions'], request['systemInstruction']].flatMap(parts);
  return [...request['tools'], ...system, ...said.flatMap(partsOfMessage)]
    .map((part) => JSON.stringify(part, unmarked))
    .filter((text) => !text.includes('x-anthropic-billing-header'));
}

function parts(value: Json | undefined): Json[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function partsOfMessage(message: Json): Json[] {
  if (!isJsonObject(message)) return [message];
  const { role = null, content, parts: pieces } = message;
  const said = parts(content ?? pieces);
  return said.length === 0 ? [message] : said.map((part) => [role, part]);
}

/** Marks of caches are no words for the model. */
function unmarked(key: string, value: unknown): unknown {
  return key === 'cache_control' ? undefined : value;
}
