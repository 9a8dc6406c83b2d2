import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GithubApi } from '../../../src/extensions/github/api.ts';
import { Github } from '../../../src/extensions/github/github.ts';
import { Marks } from '../../../src/channels/host/marks.ts';
import { ChannelError, type Post } from '../../../src/channels/machine/contract.ts';
import { apply, newMemory } from '../../../src/channels/machine/memory.ts';
import type { GithubChannel } from '../../../src/config/config.ts';
import { readChannelMemory } from '../../../src/letters/channel-memory.ts';
import { GithubDouble } from './github-double.ts';

let double: GithubDouble;
let waits: number[];
let pushed: string[];
let clock: number;

beforeEach(async () => {
  double = new GithubDouble();
  await double.listen();
  waits = [];
  pushed = [];
  clock = Date.now();
});

afterEach(async () => {
  await double.close();
});

function github(key = 'the key of the project'): Github {
  const settings: GithubChannel = {
    name: 'github',
    kind: 'github',
    people: new Map([['octocat', 'user']]),
    approvers: [],
    poll: 1,
    repository: 'acme/shop',
    label: 'mailroom',
    to: null,
    base: null,
    secret: 'TOKEN',
    git: null,
    api: double.address,
  };
  const wait = (milliseconds: number) => {
    waits.push(milliseconds);
    clock += milliseconds;
    return Promise.resolve();
  };
  const options = { api: double.address, token: 'secret-token', version: '1', now: () => clock, wait };
  const push = (commit: string, branch: string) => {
    pushed.push(`${commit} ${branch}`);
    return Promise.resolve(null);
  };
  return new Github(settings, new GithubApi(options), new Marks(key), push);
}

const none = () => false;
const post = (issue: number | null, more: Partial<Post> = {}): Post => ({
  key: '0190-a',
  conversation: issue === null ? null : String(issue),
  subject: 'A question',
  text: 'Red or blue?',
  delivery: null,
  to: ['octocat'],
  ...more,
});

it('receives an issue with the label as a task of who has set it, and comments as replies', async () => {
  const issue = double.open('Add a flag', 'Please', 'stranger', 'octocat');
  const comment = double.say(issue, 'Blue', 'octocat');
  const { incoming } = await github().receive(null, clock - 1_000, none);
  expect(incoming).toMatchObject([
    { id: 'issue-1', kind: 'task', author: 'octocat', writer: 'stranger', subject: 'Add a flag' },
    { id: `comment-${String(comment)}`, kind: 'reply', conversation: '1', author: 'octocat', text: 'Blue' },
  ]);
  const known = (id: string) => id === 'issue-1';
  const again = await github().receive(null, clock - 1_000, known);
  expect(again.incoming.map(({ kind }) => kind)).toEqual(['reply']);
});

it('neither receives its own comments and issues, nor what was there before it was used', async () => {
  const channel = github();
  const issue = double.open('Add a flag', '');
  double.say(issue, 'Long ago');
  clock += 600_000;
  const started = clock;
  await channel.send(post(issue));
  await channel.send(post(null, { key: '0190-b' }));
  const { incoming } = await channel.receive(null, started, none);
  expect(incoming.map(({ id }) => id)).toEqual(['issue-1']);
});

it('finds what it has sent by a mark that nobody else can make', async () => {
  const issue = double.open('Add a flag', '');
  expect(await github().find(post(issue), clock)).toBeNull();
  double.say(issue, `Copied\n\n${new Marks('another key').of('0190-a')}`, 'mallory');
  expect(await github().find(post(issue), clock)).toBeNull();
  const received = await github().receive(null, clock - 1_000, none);
  expect(received.incoming.map(({ author }) => author)).toContain('mallory');
  const posted = await github().send(post(issue));
  expect(await github().find(post(issue), clock)).toEqual(posted);
  const opened = await github().send(post(null, { key: '0190-b' }));
  expect(await github().find(post(null, { key: '0190-b' }), clock)).toEqual(opened);
  expect(double.ours(issue)).toEqual([`Red or blue?\n\n${new Marks('the key of the project').of('0190-a')}`]);
});

it('changes one comment for its status, also when it does not know any more which', async () => {
  const issue = double.open('Add a flag', '');
  const status = { key: 'status-1', conversation: String(issue), text: 'In work', reference: null };
  const reference = await github().report(status);
  expect(await github().report({ ...status, text: 'Waiting', reference })).toBe(reference);
  expect(await github().report({ ...status, text: 'Done' })).toBe(reference);
  expect(double.ours(issue)).toEqual([`Done\n\n${new Marks('the key of the project').of('status-1')}`]);
  expect((await github().receive(null, clock - 1_000, none)).incoming.map(({ id }) => id)).toEqual([
    'issue-1',
  ]);
  double.trouble = { status: 404 };
  expect(await refusal(() => github().report({ ...status, reference }))).toMatchObject({ refused: true });
});

it('asks with the tag of the last answer, which is confirmed without counting', async () => {
  double.open('Add a flag', '');
  const channel = github();
  const first = await channel.receive(0, 0, none);
  const second = await channel.receive(0, 0, none);
  expect(second).toEqual(first);
  expect(double.asked.slice(-3).map(({ status }) => status)).toEqual([304, 304, 304]);
});

it('reads all pages of a list', async () => {
  const issue = double.open('Add a flag', '');
  for (let each = 0; each < 230; each += 1) double.say(issue, `Comment ${String(each)}`);
  const { incoming } = await github().receive(null, clock - 60_000, (id) => id.startsWith('issue-'));
  expect(incoming.map(({ text }) => text).slice(-2)).toEqual(['Comment 228', 'Comment 229']);
  expect(incoming).toHaveLength(230);
});

it('pauses between two comments, as GitHub asks', async () => {
  const issue = double.open('Add a flag', '');
  const channel = github();
  await channel.send(post(issue));
  await channel.send(post(issue, { key: '0190-b' }));
  expect(waits).toEqual([1_000]);
});

it('opens one pull request for the work of a conversation, and moves its branch after that', async () => {
  const issue = double.open('Add a flag', '');
  const delivery = { commit: 'c1', trail: '### Trail' };
  await github().send(post(issue, { delivery }));
  await github().send(post(issue, { key: '0190-b', delivery: { ...delivery, commit: 'c2' } }));
  expect(pushed).toEqual(['c1 mailroom/issue-1', 'c2 mailroom/issue-1']);
  expect(double.pulls).toMatchObject([{ number: 2, title: 'A question', base: 'main' }]);
  expect(double.pulls[0]?.body).toMatch(/### Trail\n\nCloses #1$/);
  for (const text of double.ours(issue)) expect(text).toContain('Pull request: #2');
});

it('says in the comment why there is no pull request', async () => {
  const issue = double.open('Add a flag', '');
  double.trouble = {
    status: 422,
    message: 'No commits between main and it',
    for: 'POST /repos/acme/shop/pulls',
  };
  await github().send(post(issue, { delivery: { commit: 'c1', trail: '' } }));
  expect(double.ours(issue)[0]).toContain('There is no pull request: GitHub answers POST');
  expect(double.ours(issue)[0]).toContain('No commits between main and it');
});

async function refusal(act: () => Promise<unknown>): Promise<ChannelError> {
  try {
    await act();
  } catch (error) {
    if (error instanceof ChannelError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

it.each([
  [{ status: 429, headers: { 'retry-after': '90' } }, 90_000],
  [{ status: 403, headers: { 'retry-after': '7' } }, 7_000],
  [{ status: 403, message: 'You have exceeded a secondary rate limit' }, 60_000],
])('rests as long as GitHub says: %j', async (trouble, rest) => {
  const issue = double.open('Add a flag', '');
  double.trouble = trouble;
  const { retryAt, refused } = await refusal(() => github().send(post(issue)));
  expect({ rest: (retryAt ?? 0) - clock, refused }).toEqual({ rest, refused: false });
});

it('rests until the limit is reset', async () => {
  const reset = Math.floor(clock / 1_000) + 1_234;
  const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) };
  double.trouble = { status: 403, headers };
  expect((await refusal(() => github().receive(null, 0, none))).retryAt).toBe(reset * 1_000);
});

it('knows what it will never be able to send from what it may try again', async () => {
  const gone = await refusal(() => github().send(post(99)));
  expect(gone).toMatchObject({ refused: true, retryAt: null });
  expect(gone.message).toBe('GitHub answers POST /repos/acme/shop/issues/99/comments with 404: Not Found');
  double.trouble = { status: 502 };
  expect(await refusal(() => github().send(post(99)))).toMatchObject({ refused: false, retryAt: null });
  double.trouble = { status: 0 };
  const lost = await refusal(() => github().send(post(99)));
  expect(lost.message).toMatch(/^GitHub cannot be reached: /);
});

it('says what to do about a token that is not valid', async () => {
  double.trouble = { status: 401, message: 'Bad credentials' };
  const { message } = await refusal(() => github().receive(null, 0, none));
  expect(message).toMatch(/ with 401: Bad credentials; start `mailroom up` with a valid token$/);
});

it('reads no answer without an end', async () => {
  double.trouble = { status: 200, message: 'x'.repeat(64 * 1024 * 1024) };
  const { message, refused } = await refusal(() => github().receive(null, 0, none));
  expect({ message, refused }).toEqual({
    message: 'GitHub cannot be reached: its answer has more than 64 MiB',
    refused: false,
  });
});

it('sends its token to no other server', async () => {
  double.open('Add a flag', '');
  double.trouble = {
    status: 200,
    message: '',
    headers: { link: '<https://evil.example/next>; rel="next"' },
    list: true,
  };
  const error = await refusal(() => github().receive(null, 0, none));
  expect(error.message).toBe(`GitHub names a next page outside of ${double.address}`);
});

describe('what GitHub says', () => {
  it.each([
    ['again', 4],
    ['more', 20],
  ] as const)('of further pages without an end (%s) is followed at most %i times', async (endless, most) => {
    double.open('Add a flag', '');
    double.endless = endless;
    const { incoming } = await github().receive(null, 0, none);
    expect(new Set(incoming.map(({ id }) => id))).toEqual(new Set(['issue-1']));
    const lists = new Map<string, number>();
    for (const { path } of double.asked) lists.set(path, (lists.get(path) ?? 0) + 1);
    expect(Math.max(...lists.values())).toBeLessThanOrEqual(most);
  });

  it.each([
    [[['unlabeled', 'octocat']], null],
    [
      [
        ['unlabeled', 'octocat'],
        ['labeled', 'stranger'],
      ],
      'stranger',
    ],
    [[['labeled', 'stranger']], 'stranger'],
    [
      [
        ['unlabeled', 'stranger'],
        ['labeled', 'octocat'],
      ],
      'octocat',
    ],
  ] as const)('of a label is its last word: %j is a task of %s', async (changes, author) => {
    double.relabelled.set(double.open('Add a flag', '', 'stranger', 'octocat'), changes);
    const { incoming } = await github().receive(null, clock - 1_000, none);
    expect(incoming.map((each) => each.author)).toEqual(author === null ? [] : [author]);
  });

  it('of the time of a comment hides nothing that comes later', async () => {
    const issue = double.open('Add a flag', '');
    double.comments.push({
      id: 99,
      issue,
      login: 'octocat',
      body: 'Blue',
      at: clock,
      edited: Date.UTC(2999, 0, 1),
    });
    const { cursor } = await github().receive(null, clock - 1_000, none);
    expect(cursor).toBe(clock);
  });

  it.each(['99999999999999', '1e308', '-1e308', '0.00001', 'Infinity', 'NaN', 'soon', ''])(
    'of a rest of %j is at most a day, and stays readable',
    async (after) => {
      double.open('Add a flag', '');
      for (const headers of [
        { 'retry-after': after },
        { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': after },
      ]) {
        double.trouble = { status: 429, headers };
        const { message, retryAt } = await refusal(() => github().receive(null, 0, none));
        const failed = { is: 'failed', problem: message, retryAt } as const;
        const memory = apply(newMemory('github', clock), failed, clock);
        expect(memory.down?.until).toBeGreaterThan(clock);
        expect(memory.down?.until).toBeLessThanOrEqual(clock + 86_400_000);
        expect(readChannelMemory(JSON.stringify(memory))).toEqual({ ok: true, value: memory });
      }
    },
  );
});
