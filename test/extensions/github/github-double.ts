import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { example, fits, operations, patternOf, ref, type Operation, type Value } from './github-api.ts';

interface Comment {
  readonly id: number;
  readonly issue: number;
  readonly login: string;
  readonly body: string;
  readonly at: number;
  readonly edited: number;
}

interface Issue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly login: string;
  readonly labels: readonly string[];
  readonly labelledBy: string;
  readonly at: number;
}

interface Pull {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly head: string;
  readonly base: string;
}

interface Remark {
  readonly path: string;
  readonly line: number;
  readonly body: string;
}

interface Review {
  readonly id: number;
  readonly pull: number;
  readonly login: string;
  readonly state: string;
  readonly body: string;
  readonly remarks: readonly Remark[];
}

/** How the next request is answered, instead of what it asks for. */
interface Trouble {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly message?: string;
  /** `done`: the request takes effect, and its answer is lost. */
  readonly effect?: 'done';
  /** The answer is an empty list. */
  readonly list?: true;
  /** Which requests it is for; default: all. */
  readonly for?: string;
}

interface Answer {
  readonly status: number;
  readonly value: unknown;
  readonly headers?: Record<string, string>;
}

/** What a request was, for tests that count. */
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/**
 * The used part of GitHub's API on loopback, for one repository. Every request and answer is held
 * to GitHub's published description: what differs is answered with 500, and fails the test.
 */
export class GithubDouble {
  readonly repository = 'acme/shop';
  readonly bot = 'mailroom-bot';
  readonly #faults: string[] = [];
  readonly asked: Asked[] = [];
  readonly issues: Issue[] = [];
  readonly comments: Comment[] = [];
  readonly pulls: Pull[] = [];
  readonly reviews: Review[] = [];
  trouble: Trouble | null = null;
  /** What became of the label of an issue after it was set, by whom. */
  readonly relabelled = new Map<number, readonly (readonly ['labeled' | 'unlabeled', string])[]>();
  /** Every list names a next page: `again`: itself, `more`: another one. */
  endless: 'again' | 'more' | null = null;
  /** Called with a comment before its answer is sent. */
  onComment: ((comment: Comment) => void) | null = null;
  #server: Server;
  #port = 0;
  readonly #watchers: (() => void)[] = [];
  #lastId = 100;
  #now = Date.now;

  constructor() {
    this.#server = this.#make();
  }

  #make(): Server {
    return createServer((request, response) => void this.#serve(request, response));
  }

  /** `again`: at the address that it had before it was closed. */
  async listen(again = false): Promise<void> {
    if (again) this.#server = this.#make();
    this.#server.listen(again ? this.#port : 0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  get address(): string {
    return `http://127.0.0.1:${String(this.#port)}`;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
    if (this.#faults.length > 0) throw new Error(this.#faults.join('\n'));
  }

  open(title: string, body: string, login = 'octocat', labelledBy = login): number {
    const number = this.issues.length + this.pulls.length + 1;
    this.issues.push({ number, title, body, login, labels: ['mailroom'], labelledBy, at: this.#now() });
    return number;
  }

  say(issue: number, body: string, login = 'octocat'): number {
    const at = this.#now();
    this.comments.push({ id: (this.#lastId += 1), issue, login, body, at, edited: at });
    return this.#lastId;
  }

  review(pull: number, review: Partial<Review>): void {
    const id = (this.#lastId += 1);
    const by = { login: 'octocat', state: 'COMMENTED', body: '', remarks: [] };
    this.reviews.push({ ...by, ...review, id, pull });
  }

  /** Resolves when something holds, which only requests change. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#watchers.push(() => {
        if (holds()) resolve();
      });
    });
  }

  /** The comments of an issue by our bot. */
  ours(issue: number): string[] {
    return this.comments
      .filter((each) => each.issue === issue && each.login === this.bot)
      .map(({ body }) => body);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.address);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const method = request.method ?? '';
    const asked = { method, path: url.pathname };
    const send = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}) => {
      this.asked.push({ ...asked, status });
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(status === 304 ? '' : JSON.stringify(value));
      for (const look of this.#watchers) look();
    };
    const { trouble } = this;
    if (trouble !== null && `${method} ${url.pathname}`.includes(trouble.for ?? '')) {
      this.trouble = null;
      if (trouble.effect === 'done') this.#answer(method, url, text);
      if (trouble.status === 0) return void request.socket.destroy();
      const value = trouble.list === true ? [] : { message: trouble.message ?? 'No' };
      return send(trouble.status, value, trouble.headers);
    }
    if (request.headers.authorization !== 'Bearer secret-token')
      return send(401, { message: 'Bad credentials' });
    const answer = this.#answer(method, url, text);
    const tag = `"${createHash('sha256').update(JSON.stringify(answer.value)).digest('hex')}"`;
    if (method === 'GET' && request.headers['if-none-match'] === tag) return send(304, null);
    send(answer.status, answer.value, { etag: tag, ...answer.headers });
  }

  #answer(method: string, url: URL, text: string): Answer {
    const operation = operations.find(
      (each) => each.method === method && patternOf(each.path).test(url.pathname),
    );
    const wrong = (fault: string) => {
      this.#faults.push(`${method} ${url.pathname}: ${fault}`);
      return { status: 500, value: { message: fault } };
    };
    if (operation === undefined) return wrong('no such operation is described');
    for (const [name, value] of url.searchParams) {
      const schema = operation.query[name];
      if (schema === undefined) return wrong(`the parameter ${name} is not described`);
      const given = schema['type'] === 'integer' ? Number(value) : value;
      if (!fits(schema, given)) return wrong(`${name}=${value} is not as described`);
    }
    const body = text === '' ? null : (JSON.parse(text) as Value);
    if (operation.body !== null && !fits(operation.body, body)) return wrong('the body is not as described');
    const { status, value, headers = {} } = this.#do(operation, url, body ?? {});
    const described = operation.responses[String(status)];
    if (described === undefined) return wrong(`the answer ${String(status)} is not described`);
    if (described !== null && !fits(described, value)) return wrong('the answer is not as described');
    return { status, value, headers };
  }

  #do({ method, path }: Operation, url: URL, body: Value): Answer {
    const number = Number(/\/issues\/(\d+)/.exec(url.pathname)?.[1] ?? 0);
    const since = Date.parse(url.searchParams.get('since') ?? '') || 0;
    switch (`${method} ${path.slice('/repos/{owner}/{repo}'.length)}`) {
      case 'GET ':
        return { status: 200, value: { ...example(ref('full-repository')), default_branch: 'main' } };
      case 'GET /issues':
        return this.#page(
          url,
          this.issues.filter(({ at }) => at >= since).map((each) => this.#issue(each)),
        );
      case 'POST /issues': {
        const { title, body: words = '' } = body as { title: string; body?: string };
        const made = this.open(title, words, this.bot);
        return { status: 201, value: this.#issue(this.issues.find((each) => each.number === made)!) };
      }
      case 'GET /issues/comments':
        return this.#page(
          url,
          this.comments.filter(({ edited }) => edited >= since).map((each) => this.#comment(each)),
        );
      case 'PATCH /issues/comments/{comment_id}':
        return { status: 200, value: this.#comment(this.#edited(url, String(body['body']))) };
      case 'GET /issues/{issue_number}/comments':
        return this.#page(
          url,
          this.comments
            .filter(({ issue, edited }) => issue === number && edited >= since)
            .map((each) => this.#comment(each)),
        );
      case 'POST /issues/{issue_number}/comments': {
        if (!this.issues.some((each) => each.number === number))
          return { status: 404, value: { message: 'Not Found' } };
        const id = this.say(number, String(body['body']), this.bot);
        const made = this.comments.find((each) => each.id === id)!;
        this.onComment?.(made);
        return { status: 201, value: this.#comment(made) };
      }
      case 'GET /issues/{issue_number}/events': {
        const found = this.issues.find((each) => each.number === number);
        return this.#page(
          url,
          (found?.labels ?? []).flatMap((name) => [
            labelled(name, found?.labelledBy ?? ''),
            ...(this.relabelled.get(found?.number ?? 0) ?? []).map(([event, login]) => ({
              ...labelled(name, login),
              event,
            })),
          ]),
        );
      }
      default:
        return this.#doPulls(method, url, body);
    }
  }

  #edited(url: URL, body: string): Comment {
    const at = this.comments.findIndex(({ id }) => url.pathname.endsWith(`/${String(id)}`));
    const comment = { ...this.comments[at]!, body, edited: this.#now() };
    this.comments[at] = comment;
    return comment;
  }

  #doPulls(method: string, url: URL, body: Value): Answer {
    switch (`${method} ${url.pathname.split('/').at(-1) ?? ''}`) {
      case 'GET pulls': {
        const [, head] = (url.searchParams.get('head') ?? '').split(':');
        return this.#page(
          url,
          this.pulls.filter((each) => head === undefined || each.head === head).map(pullSimple),
        );
      }
      case 'GET reviews': {
        const number = Number(/\/pulls\/(\d+)/.exec(url.pathname)?.[1]);
        return this.#page(url, this.reviews.filter(({ pull }) => pull === number).map(pullReview));
      }
      case 'GET comments': {
        const id = Number(/\/reviews\/(\d+)/.exec(url.pathname)?.[1]);
        const found = this.reviews.find((each) => each.id === id);
        return this.#page(url, (found?.remarks ?? []).map(remarkOf));
      }
      case 'POST pulls': {
        const { title, head, base, body: words } = body as unknown as Pull;
        const made = { number: this.issues.length + this.pulls.length + 1, title, head, base, body: words };
        this.pulls.push(made);
        return { status: 201, value: { ...example(ref('pull-request')), number: made.number, title } };
      }
      default:
        return { status: 404, value: { message: 'Not Found' } };
    }
  }

  /** One page, with a link to the next. */
  #page(url: URL, all: readonly unknown[]) {
    const size = Number(url.searchParams.get('per_page') ?? 30);
    const page = Number(url.searchParams.get('page') ?? 1);
    const next = new URL(url);
    next.searchParams.set('page', String(this.endless === 'again' ? page : page + 1));
    const headers: Record<string, string> =
      all.length > page * size || this.endless !== null ? { link: `<${next.toString()}>; rel="next"` } : {};
    return { status: 200, value: all.slice((page - 1) * size, page * size), headers };
  }

  #issue({ number, title, body, login, labels, at }: Issue): Value {
    const time = new Date(at).toISOString();
    const names = labels.map((name) => ({ name }));
    const of = { number, title, body, state: 'open', labels: names, user: account(login) };
    return { ...example(ref('issue')), ...of, created_at: time, updated_at: time };
  }

  #comment({ id, issue, login, body, at, edited }: Comment): Value {
    const url = `${this.address}/repos/${this.repository}/issues/${String(issue)}`;
    const times = { created_at: new Date(at).toISOString(), updated_at: new Date(edited).toISOString() };
    return { ...example(ref('issue-comment')), id, body, user: account(login), issue_url: url, ...times };
  }
}

function account(login: string): Value {
  return { ...example(ref('simple-user')), login };
}

function labelled(name: string, login: string): Value {
  const of = { event: 'labeled', actor: account(login), label: { name, color: 'ededed' } };
  return { ...example(ref('labeled-issue-event')), ...of };
}

function pullSimple({ number, title, head }: Pull): Value {
  const simple = example(ref('pull-request-simple'));
  const label = head.includes(':') ? head : `acme:${head}`;
  return { ...simple, number, title, head: { ...(simple['head'] as Value), label } };
}

function pullReview({ id, login, state, body }: Review): Value {
  return { ...example(ref('pull-request-review')), id, state, body, user: account(login) };
}

function remarkOf({ path, line, body }: Remark): Value {
  return { ...example(ref('review-comment')), path, line, body, diff_hunk: '@@ -0,0 +1 @@\n+blue' };
}
