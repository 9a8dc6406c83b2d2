import * as z from 'zod';
import { bytesInWords } from '../../kernel/bytes.ts';
import { messageOf } from '../../kernel/errors.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { ChannelError } from '../../channels/machine/contract.ts';

/** How long a request may take, in milliseconds. */
const patience = 30_000;
/** GitHub asks for a pause between two requests that change something, in milliseconds. */
const pause = 1_000;
/** How long to rest if GitHub limits the rate and does not say how long, in milliseconds. */
const restUnknown = 60_000;

/** The most of an answer that is read, in bytes: a page of the longest comments fits. */
const mostAnswered = 64 * 1024 * 1024;

/** Pages of a list of which no more are read at once: the next look continues. */
const mostPages = 20;
/** Answers that are kept to be confirmed. */
const mostKnown = 50;

export interface GithubApiOptions {
  readonly api: string;
  readonly token: string;
  readonly version: string;
  readonly now: () => number;
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** An answer with its status; the body is read by a schema. */
interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const problem = z.object({ message: z.string() });

/** GitHub's REST API as far as it is used here. Every method throws `ChannelError`. */
export class GithubApi {
  readonly #options: GithubApiOptions;
  /** The last full answers by address, which GitHub confirms without counting them. */
  readonly #known = new Map<string, { readonly tag: string; readonly answer: Answered }>();
  #lastWrite = -Infinity;

  constructor(options: GithubApiOptions) {
    this.#options = options;
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#options.now();
  }

  /** All pages of a list, as far as the limit; a page that was read is not read again. */
  async list<T>(path: string, query: Readonly<Record<string, string>>, item: z.ZodType<T>): Promise<T[]> {
    const all: T[] = [];
    const search = new URLSearchParams({ ...query, per_page: '100' });
    let next: string | null = `${this.#options.api}${path}?${search.toString()}`;
    const read = new Set<string>();
    while (next !== null && read.size < mostPages && !read.has(next)) {
      read.add(next);
      const answer: Answered = await this.#ask('GET', next);
      all.push(...parsed(answer, z.array(item), path));
      next = this.#following(answer.headers.get('link'));
    }
    return all;
  }

  async get<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    return parsed(await this.#ask('GET', `${this.#options.api}${path}`), schema, path);
  }

  async post<T>(path: string, body: object, schema: z.ZodType<T>): Promise<T> {
    return parsed(await this.#write('POST', path, body), schema, path);
  }

  async patch<T>(path: string, body: object, schema: z.ZodType<T>): Promise<T> {
    return parsed(await this.#write('PATCH', path, body), schema, path);
  }

  async #write(method: string, path: string, body: object): Promise<Answered> {
    const rest = this.#lastWrite + pause - this.#options.now();
    if (rest > 0 && rest <= pause) await this.#options.wait(rest);
    this.#lastWrite = this.#options.now();
    return this.#ask(method, `${this.#options.api}${path}`, body);
  }

  /** The next page. The token goes to the API alone, wherever a link leads. */
  #following(link: string | null): string | null {
    const next = /<([^>]+)>;\s*rel="next"/.exec(link ?? '')?.[1] ?? null;
    if (next === null) return null;
    if (next.startsWith(`${this.#options.api}/`)) return next;
    throw new ChannelError(`GitHub names a next page outside of ${this.#options.api}`);
  }

  async #ask(method: string, url: string, body?: object): Promise<Answered> {
    const known = method === 'GET' ? this.#known.get(url) : undefined;
    const answer = await this.#fetch(method, url, known?.tag ?? null, body);
    if (answer.status === 304 && known !== undefined) return known.answer;
    if (answer.status >= 200 && answer.status < 300) {
      const tag = answer.headers.get('etag');
      if (method === 'GET' && tag !== null) this.#remember(url, { tag, answer });
      return answer;
    }
    throw this.#problemOf(method, url, answer);
  }

  #remember(url: string, answered: { readonly tag: string; readonly answer: Answered }): void {
    this.#known.delete(url);
    this.#known.set(url, answered);
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest);
  }

  async #fetch(method: string, url: string, tag: string | null, body?: object): Promise<Answered> {
    const { token, version } = this.#options;
    const headers = {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'user-agent': `mailroom/${version}`,
      'x-github-api-version': '2022-11-28',
      ...(tag !== null && { 'if-none-match': tag }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    try {
      const signal = AbortSignal.timeout(patience);
      const response = await fetch(url, {
        method,
        headers,
        redirect: 'error',
        signal,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, headers: response.headers, text: await textOf(response) };
    } catch (error) {
      const cause = (error as { cause?: unknown }).cause;
      throw new ChannelError(`GitHub cannot be reached: ${messageOf(cause ?? error)}`);
    }
  }

  #problemOf(method: string, url: string, { status, headers, text }: Answered): ChannelError {
    const said = problem.safeParse(jsonOf(text));
    const words = said.success ? `: ${oneLine(said.data.message, 300)}` : '';
    const remedy = status === 401 ? '; start `mailroom up` with a valid token' : '';
    const message = `GitHub answers ${method} ${new URL(url).pathname} with ${String(status)}${words}${remedy}`;
    const retryAt = this.#retryAt(status, headers, words);
    if (retryAt !== null) return new ChannelError(message, { retryAt });
    return new ChannelError(message, { refused: [404, 410, 422].includes(status) });
  }

  /** When the rate limit ends; null: it is not the reason. */
  #retryAt(status: number, headers: Headers, words: string): number | null {
    if (status !== 403 && status !== 429) return null;
    const now = this.#options.now();
    const after = Number(headers.get('retry-after') ?? Number.NaN);
    if (Number.isFinite(after)) return now + after * 1_000;
    const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN);
    if (headers.get('x-ratelimit-remaining') === '0' && Number.isFinite(reset)) return reset * 1_000;
    return status === 429 || /rate limit/i.test(words) ? now + restUnknown : null;
  }
}

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > mostAnswered) throw new Error(`its answer has more than ${bytesInWords(mostAnswered)}`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed<T>({ text }: Answered, schema: z.ZodType<T>, path: string): T {
  const read = schema.safeParse(jsonOf(text));
  if (read.success) return read.data;
  const where = read.error.issues[0]?.path.join('.') ?? '';
  throw new ChannelError(`GitHub's answer to ${path} is not as its description says: \`${where}\``);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
