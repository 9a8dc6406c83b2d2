import type { IncomingMessage, ServerResponse } from 'node:http';
import { pathToFileURL } from 'node:url';
import { packages, type Tool } from './clis.ts';

/** What the test says in the model's place. */
export type Answer =
  | { readonly say: string; readonly tools?: readonly Tool[] }
  | { readonly status: number; readonly words: string; readonly retryAfter?: number }
  /** An error of the API of OpenAI with all that it says; to codex alone. */
  | { readonly status: number; readonly error: Readonly<Record<string, unknown>> }
  /** The connection breaks after a few pieces of the answer. */
  | 'cut'
  /** No answer ever comes. */
  | 'silence';

/** One request of a CLI. */
export interface Asked {
  /** The last thing that was said to the model by its user. */
  readonly prompt: string;
  /** What its tools gave since then, oldest first. */
  readonly results: readonly string[];
  /** Everything that was said, whoever said it. */
  readonly conversation: string;
  /** The tools that it was offered. */
  readonly tools: readonly string[];
}

/** One request: 1000 tokens in, 50 out, in the spelling of every API. */
const usage = {
  input_tokens: 1000,
  output_tokens: 50,
  prompt_tokens: 1000,
  completion_tokens: 50,
  promptTokenCount: 1000,
  candidatesTokenCount: 50,
};

/** A request as its client has sent it. */
interface Sent {
  readonly headers: Readonly<Record<string, string>>;
}

/** What we use of aimock, which is installed apart from our own packages. */
interface LLMock {
  readonly url: string;
  getRequests(): readonly Sent[];
  start(): Promise<unknown>;
  stop(): Promise<void>;
  mount(path: string, handler: { handleRequest: Handler }): unknown;
  on(match: { predicate: () => boolean }, answer: (request: Request) => unknown, how?: object): unknown;
}
/** Answers and says true, or leaves it to the scripted answers. */
type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
interface Request {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** A model on loopback that speaks the API of every CLI and says what the test says. */
export class Model {
  readonly asked: Asked[] = [];
  /** Answers each request; a list is used up one by one. */
  #script: (asked: Asked) => Answer = () => ({ say: 'Nobody told me.' });
  #cutting = false;
  #error: Extract<Answer, { error: unknown }> | null = null;
  readonly #server: LLMock;

  private constructor(server: LLMock) {
    this.#server = server;
    server.on({ predicate: () => this.#cutting }, () => text({ say: 'word '.repeat(200) }), {
      truncateAfterChunks: 3,
    });
    server.on({ predicate: () => true }, (request) => this.#answer(request));
    server.mount('/v1/responses', { handleRequest: (_, response) => this.#toCodex(response) });
  }

  static async start(): Promise<Model> {
    const path = pathToFileURL(`${packages}/@copilotkit/aimock/dist/index.js`).href;
    const { LLMock } = (await import(path)) as { LLMock: new (options: object) => LLMock };
    const server = new LLMock({ port: 0, host: '127.0.0.1' });
    await server.start();
    return new Model(server);
  }

  get url(): string {
    return this.#server.url;
  }

  /** The bytes of each request that had a length. */
  get sizes(): number[] {
    return this.#server.getRequests().flatMap(({ headers }) => Number(headers['content-length'] ?? 0) || []);
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }

  /** From now on these answers are given one after the other, the last one again and again. */
  says(...answers: readonly Answer[]): void {
    let next = 0;
    this.plays(() => answers[Math.min(next++, answers.length - 1)] ?? 'silence');
    const [first] = answers;
    this.#cutting = first === 'cut';
    this.#error = typeof first === 'object' && 'error' in first ? first : null;
  }

  /** From now on each request is answered by this. */
  plays(script: (asked: Asked) => Answer): void {
    this.asked.length = 0;
    this.#cutting = false;
    this.#error = null;
    this.#script = script;
  }

  /** Its own errors; and it knows a served tool by the name of its server and its own, which is not in the model's words. */
  async #toCodex(response: ServerResponse): Promise<boolean> {
    if (this.#error === null) {
      const write = response.write.bind(response) as (chunk: string) => boolean;
      response.write = (chunk: unknown) =>
        write(String(chunk).replaceAll(/"name":"(mcp__[^_]+)__(\w+)"/g, '"namespace":"$1","name":"$2"'));
      return false;
    }
    response.writeHead(this.#error.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: this.#error.error }));
    return true;
  }

  async #answer(request: Request): Promise<unknown> {
    const asked = askedBy(request);
    this.asked.push(asked);
    const answer = this.#script(asked);
    if (answer === 'silence' || answer === 'cut') return new Promise(() => {});
    if ('say' in answer) return text(answer);
    if ('error' in answer) return new Promise(() => {});
    const { status, words, retryAfter } = answer;
    return { error: { message: words, type: typeOf(status) }, status, ...(retryAfter && { retryAfter }) };
  }
}

function text({ say, tools = [] }: Extract<Answer, { say: string }>): unknown {
  if (tools.length === 0) return { content: say, usage };
  const toolCalls = tools.map((tool) => ({ name: tool.name, arguments: JSON.stringify(tool.arguments) }));
  return { content: say, toolCalls, usage };
}

function askedBy({ messages, tools = [] }: Request): Asked {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const words = messages.map(({ content }) => wordsIn(content));
  return {
    prompt: words[last] ?? '',
    results: messages.flatMap(({ role }, index) =>
      role === 'tool' && index > last ? [words[index] ?? ''] : [],
    ),
    conversation: words.join('\n'),
    tools: tools.map((tool) => tool.function.name),
  };
}

function wordsIn(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}

/** As the API of Anthropic names it; the others do not mind. */
function typeOf(status: number): string {
  switch (status) {
    case 400:
      return 'invalid_request_error';
    case 401:
      return 'authentication_error';
    case 403:
      return 'permission_error';
    case 429:
      return 'rate_limit_error';
    case 529:
      return 'overloaded_error';
    default:
      return 'api_error';
  }
}
