import * as z from 'zod';
import type { GithubChannel } from '../../config/config.ts';
import type { Json } from '../../kernel/json.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { ChannelError } from '../../channels/machine/contract.ts';
import type {
  Channel,
  Delivery,
  Incoming,
  Post,
  Posted,
  Received,
  Status,
} from '../../channels/machine/contract.ts';
import type { Marks } from '../../channels/host/marks.ts';
import type { GithubApi } from './api.ts';
import { branchOf, newReviews } from './reviews.ts';

const user = z.object({ login: z.string() }).nullable();
const time = z
  .string()
  .transform((text) => Date.parse(text))
  .pipe(z.number());

const issue = z.object({
  number: z.int(),
  title: z.string(),
  body: z.string().nullish(),
  user,
  pull_request: z.object({}).optional(),
});
const comment = z.object({
  id: z.int(),
  body: z.string().optional(),
  user,
  issue_url: z.string(),
  created_at: time,
  updated_at: time,
});
const event = z.object({
  event: z.string(),
  actor: user,
  label: z.object({ name: z.string() }).optional(),
});
const numbered = z.object({ number: z.int() });
const created = z.object({ id: z.int() });
const repository = z.object({ default_branch: z.string() });

type Comment = z.output<typeof comment>;

/** How far back of the last seen change the next look begins, in milliseconds. */
const overlap = 60_000;

/** A comment that GitHub would refuse is cut before. */
const longestBody = 65_000;

/**
 * Pushes a commit to a branch of the repository that pull requests come from. Returns why it could
 * not; null: it is there.
 */
export type Push = (commit: string, branch: string) => Promise<string | null>;

/** Issues of a repository: a conversation is an issue, a message a comment. */
export class Github implements Channel {
  readonly hasNews = false;
  readonly #settings: GithubChannel;
  readonly #api: GithubApi;
  readonly #marks: Marks;
  readonly #push: Push;

  constructor(settings: GithubChannel, api: GithubApi, marks: Marks, push: Push) {
    this.#settings = settings;
    this.#api = api;
    this.#marks = marks;
    this.#push = push;
  }

  get #repository(): string {
    return `/repos/${this.#settings.repository}`;
  }

  async send(post: Post): Promise<Posted> {
    if (post.conversation === null) return this.#openIssue(post);
    const request = post.delivery === null ? null : await this.#pullRequest(post, post.delivery);
    const text = request === null ? post.text : `${post.text}\n\n${request}`;
    const path = `${this.#repository}/issues/${post.conversation}/comments`;
    const { id } = await this.#api.post(path, { body: this.#marked(post.key, text) }, created);
    return { reference: String(id), conversation: post.conversation };
  }

  async find({ key, conversation }: Post, since: number): Promise<Posted | null> {
    const query = { since: new Date(since - overlap).toISOString() };
    if (conversation !== null) {
      const reference = await this.#commentWith(key, conversation, query);
      return reference === null ? null : { reference, conversation };
    }
    const mark = this.#marks.of(key);
    const issues = await this.#issues({ ...query, state: 'all' });
    const found = issues.find(({ body }) => lastLine(body ?? '') === mark);
    return found === undefined ? null : issuePosted(found.number);
  }

  async report({ key, conversation, text, reference }: Status): Promise<string> {
    const body = { body: this.#marked(key, text) };
    const known = reference ?? (await this.#commentWith(key, conversation, {}));
    if (known === null) {
      const path = `${this.#repository}/issues/${conversation}/comments`;
      return String((await this.#api.post(path, body, created)).id);
    }
    await this.#api.patch(`${this.#repository}/issues/comments/${known}`, body, created);
    return known;
  }

  /** The comment of a conversation with a mark; null: there is none. */
  async #commentWith(
    key: string,
    conversation: string,
    query: Readonly<Record<string, string>>,
  ): Promise<string | null> {
    const mark = this.#marks.of(key);
    const all = await this.#api.list(`${this.#repository}/issues/${conversation}/comments`, query, comment);
    const found = all.find(({ body = '' }) => lastLine(body) === mark);
    return found === undefined ? null : String(found.id);
  }

  async receive(cursor: Json, since: number, isKnown: (id: string) => boolean): Promise<Received> {
    const from = typeof cursor === 'number' ? cursor : since;
    const tasks = await this.#tasks(isKnown);
    const reviews = await newReviews(this.#api, this.#settings.repository, isKnown);
    const query = { since: new Date(from - overlap).toISOString(), sort: 'updated', direction: 'asc' };
    const comments = await this.#api.list(`${this.#repository}/issues/comments`, query, comment);
    // What is older has been seen, and was edited since: what was answered stays answered.
    const fresh = comments.filter((each) => each.created_at >= from - overlap && !this.#isOwn(each));
    return {
      incoming: [...tasks, ...fresh.map(replyOf), ...reviews],
      unread: [],
      // What lies in the future must not hide what comes until then.
      cursor: Math.min(Math.max(from, ...comments.map(({ updated_at }) => updated_at)), this.#api.now()),
    };
  }

  listen(): void {}

  confirm(): void {}

  async close(): Promise<void> {}

  /** New open issues with the label. Who has set it asks, even if another wrote the issue. */
  async #tasks(isKnown: (id: string) => boolean): Promise<Incoming[]> {
    // The newest first: what GitHub lists beyond the limit of pages has been seen before.
    const issues = (await this.#issues({ state: 'open', direction: 'desc' })).toReversed();
    const tasks: Incoming[] = [];
    for (const { number, title, body, user: writer, pull_request: request } of issues) {
      const [id, conversation] = [`issue-${String(number)}`, String(number)];
      if (request !== undefined || isKnown(id) || this.#marks.isOwn(lastLine(body ?? ''))) continue;
      const author = await this.#labeller(conversation);
      // The label was removed meanwhile.
      if (author === null) continue;
      const by = { answers: null, author, writer: writer?.login ?? 'ghost', forged: null };
      tasks.push({ id, kind: 'task', conversation, ...by, subject: title, text: body ?? '' });
    }
    return tasks;
  }

  #issues(query: Readonly<Record<string, string>>) {
    const all = { labels: this.#settings.label, sort: 'updated', direction: 'asc', ...query };
    return this.#api.list(`${this.#repository}/issues`, all, issue);
  }

  /**
   * Templates let anybody write an issue with a label: its events say who has set it last. Null: it
   * was removed after that.
   */
  async #labeller(conversation: string): Promise<string | null> {
    const events = await this.#api.list(`${this.#repository}/issues/${conversation}/events`, {}, event);
    const wanted = this.#settings.label.toLowerCase();
    const last = events.findLast(
      (each) => ['labeled', 'unlabeled'].includes(each.event) && each.label?.name.toLowerCase() === wanted,
    );
    return last?.event === 'unlabeled' ? null : (last?.actor?.login ?? 'ghost');
  }

  #isOwn({ body = '' }: Comment): boolean {
    return this.#marks.isOwn(lastLine(body));
  }

  async #openIssue({ key, subject, text }: Post): Promise<Posted> {
    const body = this.#marked(key, text);
    const made = { title: oneLine(subject, 250), body, labels: [this.#settings.label] };
    return issuePosted((await this.#api.post(`${this.#repository}/issues`, made, numbered)).number);
  }

  /** The pull request of a conversation, in words: made once, its branch follows the work. */
  async #pullRequest({ conversation, subject, text }: Post, { commit, trail }: Delivery): Promise<string> {
    const branch = branchOf(conversation ?? '');
    const problem = await this.#push(commit, branch);
    if (problem !== null) return `There is no pull request: ${problem}`;
    const [owner = ''] = this.#settings.repository.split('/');
    const path = `${this.#repository}/pulls`;
    const query = { head: `${owner}:${branch}`, state: 'open' };
    const [open] = await this.#api.list(path, query, numbered);
    if (open !== undefined) return `Pull request: #${String(open.number)}`;
    const base = this.#settings.base ?? (await this.#api.get(this.#repository, repository)).default_branch;
    const body = shortened(`${text}\n\n${trail}\n\nCloses #${conversation ?? ''}`);
    try {
      const made = { title: oneLine(subject, 250), head: branch, base, body };
      return `Pull request: #${String((await this.#api.post(path, made, numbered)).number)}`;
    } catch (error) {
      // For example, the work changes nothing there.
      if (error instanceof ChannelError && error.refused) return `There is no pull request: ${error.message}`;
      throw error;
    }
  }

  #marked(key: string, text: string): string {
    return `${shortened(text)}\n\n${this.#marks.of(key)}`;
  }
}

function shortened(text: string): string {
  return text.length <= longestBody ? text : `${text.slice(0, longestBody)} […]`;
}

function issuePosted(number: number): Posted {
  return { reference: `issue-${String(number)}`, conversation: String(number) };
}

function replyOf({ id, body = '', user: author, issue_url: url }: Comment): Incoming {
  const login = author?.login ?? 'ghost';
  const conversation = url.slice(url.lastIndexOf('/') + 1);
  const kind = 'reply' as const;
  const of = { conversation, answers: null, author: login, writer: login, forged: null, subject: '' };
  return { id: `comment-${String(id)}`, kind, ...of, text: body };
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)?.trim() ?? '';
}
