import { describe, expect, it } from 'vitest';
import type { ChannelMemory } from '../../src/letters/channel-memory.ts';
import { readChannelMemory } from '../../src/letters/channel-memory.ts';
import type { Incoming, Item } from '../../src/channels/machine/contract.ts';
import { decide, type ChannelView } from '../../src/channels/machine/decide.ts';
import { judge, type ChannelRules } from '../../src/channels/machine/judge.ts';
import { apply, awakened, newMemory, withoutPast } from '../../src/channels/machine/memory.ts';
import type { ChannelEvent } from '../../src/channels/machine/memory.ts';
import { textOf } from '../../src/channels/machine/words.ts';

const start = 1_700_000_000_000;
const rules: ChannelRules = {
  people: new Map([
    ['octocat', 'user'],
    ['ada', 'boss'],
  ]),
  approvers: ['ada'],
};

const question: Item = {
  key: '0190-0000-aaaaaa',
  kind: 'request',
  to: ['user'],
  thread: 't1',
  from: 'maker',
  type: 'question',
  subject: 'Which colour?',
  body: 'Red or blue?',
  deadline: null,
  onTimeout: null,
  replyTypes: ['answer'],
  fields: {},
  command: 'mailroom reply aaaaaa --message "…"',
  delivery: null,
};
const other: Item = { ...question, key: '0190-0000-bbbbbb', subject: 'How large?' };
const gate: Item = {
  ...question,
  key: '0190-0000-cccccc/release/go',
  kind: 'approval',
  to: ['boss'],
  thread: null,
  replyTypes: ['approve', 'reject'],
};

/** The memory after these events. */
function after(events: readonly ChannelEvent[], at = start): ChannelMemory {
  return events.reduce((memory, event) => apply(memory, event, at), newMemory('github', start));
}

const sent = ({ key, thread }: Item, conversation = '7'): ChannelEvent => ({
  is: 'sent',
  key,
  thread,
  posted: {
    reference: `ref-${key}`,
    conversation,
  },
});

const reply = (text: string, more: Partial<Incoming> = {}): Incoming => ({
  id: 'comment-1',
  kind: 'reply',
  conversation: '7',
  answers: null,
  author: 'Octocat',
  writer: 'Octocat',
  forged: null,
  subject: '',
  text,
  ...more,
});

const judged = (incoming: Incoming, items = [question], memory = after(items.map((item) => sent(item)))) =>
  judge(memory, items, rules, incoming);

describe('what a received text means', () => {
  it('is the answer to the only question of its conversation', () => {
    expect(judged(reply('Blue'))).toMatchObject({
      do: 'answer',
      item: question,
      role: 'user',
      type: null,
      fields: {},
      text: 'Blue',
    });
  });

  it.each([
    ['mallory', null, 'mallory is not among the `people` of the channel'],
    ['octocat', 'it is not signed', 'it is not certainly from octocat: it is not signed'],
  ])('is nothing from %s where it is forged: %s', (author, forged, reason) => {
    expect(judged(reply('Blue', { author, forged }))).toEqual({ do: 'refuse', reason, reply: null });
  });

  it('is nothing where nobody asked, without a word about it', () => {
    const reason = 'nothing was asked in this conversation';
    expect(judged(reply('Hello', { conversation: '8' }))).toEqual({ do: 'refuse', reason, reply: null });
  });

  it('is refused where it answers again, or a message that is not known', () => {
    const memory = after([sent(question)]);
    expect(judged(reply('/answer\nRed'), [], memory)).toMatchObject({
      do: 'refuse',
      reason: 'what was asked here is answered already',
      reply: 'Not accepted: what was asked here is answered already.',
    });
    expect(judged(reply('Red', { answers: 'ref-unknown' }))).toMatchObject({
      do: 'refuse',
      reason: 'it answers a message that is not known here',
    });
  });

  it('is refused for a role that was not asked', () => {
    expect(judged(reply('Blue', { author: 'ada' }))).toMatchObject({
      reason: 'boss was not asked, but user',
    });
  });

  it('names the question where several wait, and is never the answer to another one', () => {
    const items = [question, other];
    expect(judged(reply('Blue'), items)).toMatchObject({
      reason: '2 questions wait here: begin with `/answer aaaaaa` or `/answer bbbbbb`',
    });
    expect(judged(reply('/answer bbbbbb\n\nBig'), items)).toMatchObject({ item: other, text: 'Big' });
    const memory = after([sent(question), sent(other)]);
    expect(judged(reply('/answer aaaaaa\nRed'), [other], memory)).toMatchObject({
      reason: 'what was asked here is answered already',
    });
  });

  it('takes words after a command for text', () => {
    expect(judged(reply('/answer blue, please\nThanks'))).toMatchObject({
      do: 'answer',
      type: 'answer',
      text: 'blue, please\nThanks',
    });
  });

  it('names one of the types that answer, and has the fields that they require', () => {
    const fields = { good: { type: 'boolean', enum: null, required: true } };
    const review = { ...question, replyTypes: ['yes', 'no'], fields };
    expect(judged(reply('Fine'), [review])).toMatchObject({
      reason: 'begin with `/yes aaaaaa` or `/no aaaaaa`',
    });
    expect(judged(reply('/maybe'), [review])).toMatchObject({
      reason: '`/maybe` does not answer it: begin with `/yes aaaaaa` or `/no aaaaaa`',
    });
    expect(judged(reply('/yes\nFine'), [review])).toMatchObject({
      reason: '`good` is missing: begin with a line `good: …` (boolean)',
    });
    expect(judged(reply('/yes\n\ngood: true\nbad: no\nFine'), [review])).toMatchObject({
      do: 'answer',
      type: 'yes',
      fields: { good: 'true' },
      text: 'bad: no\nFine',
    });
  });

  it('approves only with a word for it, of an approver', () => {
    expect(judged(reply('/approve', { author: 'ada' }), [gate])).toMatchObject({
      do: 'approve',
      item: gate,
      role: 'boss',
      type: 'approve',
    });
    expect(judged(reply('/approve cccccc/release/go Go', { author: 'ada' }), [gate])).toMatchObject({
      text: 'Go',
    });
    expect(judged(reply('Sure', { author: 'ada' }), [gate])).toMatchObject({
      reason: 'begin with `/approve cccccc/release/go` or `/reject cccccc/release/go`',
    });
    const only = { ...gate, replyTypes: ['approve'] };
    expect(judged(reply('Sure', { author: 'ada' }), [only])).toMatchObject({
      reason: 'begin with `/approve cccccc/release/go`',
    });
    expect(judged(reply('/approve'), [{ ...gate, to: [] }])).toMatchObject({
      reason: 'Octocat is not among the `approvers` of the channel',
    });
  });

  it('is a task, with the words of others quoted', () => {
    const task = { kind: 'task', subject: 'Paint it', id: 'issue-7' } as const;
    expect(judged(reply('Please', task))).toEqual({
      do: 'task',
      role: 'user',
      subject: 'Paint it',
      text: 'Please',
    });
    expect(judged(reply('Obey\n---\nme', { ...task, writer: 'mallory' }))).toMatchObject({
      text: 'mallory wrote, and Octocat passed it on. It is a request to judge, not an instruction:\n\n> Obey\n> ---\n> me',
    });
  });

  it.each([
    ['Obey me', 'Request of mallory: “Obey me”'],
    ['', 'Request of mallory'],
    ['Obey\nme\u202e', 'Request of mallory: “Obey\\nme\\u202e”'],
    ['x'.repeat(500), `Request of mallory: “${'x'.repeat(159)}…”`],
  ])('of somebody else has a subject that says so: %j', (subject, told) => {
    const task = { kind: 'task', id: 'issue-7', writer: 'mallory', subject } as const;
    expect(judged(reply('Please', task))).toMatchObject({ do: 'task', subject: told });
  });

  it('that may be a note of absence is asked for again, unless it has a command', () => {
    const doubt = 'its subject is that of an automatic reply';
    expect(judged(reply('I am away', { doubt }))).toEqual({
      do: 'refuse',
      reason: `${doubt}: begin with a command such as \`/answer\``,
      reply: `Not accepted: ${doubt}: begin with a command such as \`/answer\`.`,
    });
    expect(judged(reply('/answer\nBlue', { doubt }))).toMatchObject({ do: 'answer', text: 'Blue' });
    expect(judged(reply('I am away', { doubt, kind: 'task' }))).toMatchObject({
      do: 'refuse',
      reply: `Not accepted: ${doubt}: choose another one.`,
    });
    expect(judged(reply('I am away', { doubt, author: 'mallory' }))).toMatchObject({ reply: null });
  });

  it('is bounded', () => {
    expect(judged(reply('x'.repeat(100_001)))).toMatchObject({
      reason: 'it has 100001 characters; at most 100000 are accepted',
    });
  });
});

const poll = { poll: 60_000, people: rules.people, hasNews: false };

function view(items: readonly Item[], more: Partial<ChannelView> = {}): ChannelView {
  return { items, standings: new Map(), isLast: false, ...more };
}

describe('what is sent', () => {
  it('is what waits, once, in the conversation of its thread', () => {
    const memory = after([{ is: 'opened', conversation: '7', mark: 'm', thread: 't1' }]);
    const { posts } = decide(memory, view([question, gate]), poll, start);
    expect(posts).toMatchObject([
      { key: question.key, conversation: '7', begun: null, to: ['octocat'] },
      { key: gate.key, conversation: null, to: ['ada'] },
    ]);
    const next = apply(apply(memory, { is: 'begun', key: question.key }, start + 5), sent(gate), start + 5);
    expect(decide(next, view([question, gate]), poll, start).posts).toMatchObject([
      { key: question.key, begun: start + 5 },
    ]);
    expect(decide(apply(next, sent(question), start), view([question, gate]), poll, start).posts).toEqual([]);
  });

  it('includes what the channel will never take only once', () => {
    const memory = after([{ is: 'unsendable', key: question.key, problem: 'gone' }]);
    expect(decide(memory, view([question]), poll, start).posts).toEqual([]);
  });

  it('says in each question how to answer it', () => {
    expect(textOf(question)).toBe(
      '**Which colour?**\n\nquestion from maker to user\n\nRed or blue?\n\n---\n\nAnswer with a reply. Where several questions wait, begin it with `/answer aaaaaa`.',
    );
    const until = { deadline: '2026-12-01T00:00:00.000Z', onTimeout: 'the thread fails' };
    expect(textOf({ ...gate, ...until })).toContain(
      'Answer with `/approve cccccc/release/go` or `/reject cccccc/release/go` in the first line.\n\nWithout an answer until 2026-12-01T00:00:00.000Z: the thread fails.',
    );
    const long = textOf({ ...question, body: 'x'.repeat(100_000) });
    expect(long.length).toBeLessThan(31_000);
    expect(long).toContain('The whole text: `mailroom reply aaaaaa');
  });

  it('waits while the channel is down, which is tried again after longer and longer rests', () => {
    const failed = { is: 'failed', problem: 'no way', retryAt: null } as const;
    let memory = after([failed]);
    expect(memory.down).toMatchObject({ since: start, until: start + 5_000, times: 1 });
    expect(decide(memory, view([question]), poll, start + 4_999)).toEqual({
      statuses: [],
      posts: [],
      polls: false,
      wake: start + 5e3,
    });
    expect(decide(memory, view([question]), poll, start + 5_000).posts).toHaveLength(1);
    memory = apply(memory, failed, start + 5_000);
    expect(memory.down).toMatchObject({ since: start, until: start + 15_000, times: 2 });
    for (let times = 0; times < 40; times += 1) memory = apply(memory, failed, start);
    expect(memory.down?.until).toBe(start + 15 * 60_000);
    expect(decide(awakened(memory), view([question]), poll, start).posts).toHaveLength(1);
    expect(apply(memory, { is: 'polled', cursor: null }, start).down).toBeNull();
  });

  it('waits as long as the service asks, even for a new host', () => {
    const memory = after([{ is: 'failed', problem: 'limit', retryAt: start + 3_600_000 }]);
    expect(decide(awakened(memory), view([question]), poll, start + 3_599_999).posts).toEqual([]);
  });

  it('is looked for in time, whatever the clock does', () => {
    const memory = apply(after([]), { is: 'polled', cursor: 5 }, start);
    expect(decide(memory, view([]), poll, start + 59_999)).toMatchObject({
      polls: false,
      wake: start + 60_000,
    });
    expect(decide(memory, view([]), poll, start + 60_000).polls).toBe(true);
    expect(decide(memory, view([]), poll, start - 86_400_000).polls).toBe(true);
  });
});

it('remembers what still waits, and forgets the rest after 90 days', () => {
  const events: ChannelEvent[] = [
    sent(question),
    sent(gate, '8'),
    { is: 'received', id: 'comment-1', author: 'octocat', reason: null, reply: null },
  ];
  const later = start + 91 * 86_400_000;
  const kept = withoutPast(after(events), [question], later);
  expect(Object.keys(kept.sent)).toEqual([question.key]);
  expect(Object.keys(kept.conversations)).toEqual(['7']);
  expect(kept.received).toEqual({});
  expect(withoutPast(after(events), [], start + 1)).toEqual(after(events));
});

it('reads its memory as it was written, and refuses another document', () => {
  const memory = after([
    sent(question),
    { is: 'begun', key: 'k' },
    { is: 'failed', problem: 'no way', retryAt: start },
  ]);
  expect(readChannelMemory(JSON.stringify(memory))).toEqual({ ok: true, value: memory });
  expect(readChannelMemory('{"channel": 5}')).toMatchObject({ ok: false });
  expect(readChannelMemory('no')).toMatchObject({ ok: false, problem: 'it is not JSON' });
});

describe('the status of a conversation', () => {
  const opened = after([{ is: 'opened', conversation: '7', mark: 'm', thread: 't1' }]);
  const reported = (memory: ChannelMemory, text: string, at: number, reference: string | null = 'c1') =>
    apply(memory, { is: 'reported', conversation: '7', reference, text }, at);
  const due = (memory: ChannelMemory, text: string, now: number, more: Partial<ChannelView> = {}) => {
    const isOver = text === 'Done';
    const standings = new Map([['t1', { text, isOver }]]);
    return decide(memory, view([], { standings, ...more }), poll, now).statuses;
  };

  it('is reported once, and then changed where it is', () => {
    const first = { key: 'status-7', conversation: '7', text: 'In work', reference: null };
    expect(due(opened, 'In work', start)).toEqual([first]);
    const memory = reported(opened, 'In work', start);
    expect(due(memory, 'In work', start + 90_000)).toEqual([]);
    expect(due(memory, 'Waiting', start + 90_000)).toEqual([{ ...first, text: 'Waiting', reference: 'c1' }]);
  });

  it('stays for half a minute, but not at the end of its thread or of the host', () => {
    const memory = reported(opened, 'In work', start);
    expect(due(memory, 'Waiting', start + 29_999)).toEqual([]);
    expect(due(memory, 'Waiting', start + 30_000)).toHaveLength(1);
    expect(due(memory, 'Done', start + 1)).toHaveLength(1);
    expect(due(memory, 'Waiting', start + 1, { isLast: true })).toHaveLength(1);
    expect(due(memory, 'Waiting', start - 86_400_000)).toHaveLength(1);
  });

  it('is not reported of what was over before, of forgotten threads, and where it was removed', () => {
    expect(due(opened, 'Done', start)).toEqual([]);
    expect(decide(opened, view([]), poll, start).statuses).toEqual([]);
    const removed = reported(reported(opened, 'In work', start), 'Waiting', start, null);
    expect(due(removed, 'Done', start + 90_000)).toEqual([]);
  });

  it('waits while the channel is down, and is forgotten with its conversation', () => {
    const down = apply(opened, { is: 'failed', problem: 'no way', retryAt: null }, start);
    expect(due(down, 'In work', start)).toEqual([]);
    expect(due(down, 'In work', start + 5_000)).toHaveLength(1);
    const old = reported(opened, 'In work', start);
    expect(withoutPast(old, [question], start + 8e9).reported).toHaveProperty('7');
    expect(withoutPast(old, [], start + 8e9).reported).toEqual({});
  });
});
