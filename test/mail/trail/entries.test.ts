import { describe, expect, it } from 'vitest';
import type { MailEvent } from '../../../src/mail/machine/event.ts';
import type { Message } from '../../../src/mail/format/message.ts';
import type { Projection, Turn } from '../../../src/mail/machine/state.ts';
import { trailEntry } from '../../../src/mail/trail/entries.ts';
import { at, authored, copy, event, format, message, reason, result, sent, turn } from './samples.ts';

const thread = '01900000-0000-7000-8000-000000000001';
const id = '01900000-0000-7000-8000-00000000abcd';
const name = '20261121T204512345Z-review-request-01900000-0000-7000-8000-00000000abcd.md';
const text = `${id}\nPlease look at src/parser.ts.\n`;
const notice = message({
  id: '01900000-0000-7000-8000-00000000f00d',
  type: 'notice',
  from: 'mailroom',
  to: ['user'],
  subject: 'Something happened',
  inReplyTo: id,
});
const noticeName = '20261121T204512345Z-notice-01900000-0000-7000-8000-00000000f00d.md';
const known = new Map<string, Message>([[id, message()]]);

function entryOf(happened: MailEvent, pictures: readonly Projection[], before: Turn | null = null) {
  return trailEntry(
    7,
    happened,
    () => pictures,
    before,
    (wanted) => known.get(wanted),
    format,
  );
}

function trailersOf(
  happened: MailEvent,
  pictures: readonly Projection[],
  before: Turn | null = null,
): string[] {
  const entry = entryOf(happened, pictures, before);
  return (entry?.trailers ?? []).map(([key, value]) => `${key}: ${value}`);
}

const told = copy('user', { at: 'unread' }, notice);

describe('a turn that was committed', () => {
  const committed = event({ type: 'committed', turn: 't12', sent: [sent({ inReplyTo: 'the-request' })] });
  const pictures = [
    copy('engineer', { at: 'processed' }, { id: 'taken-up', to: ['engineer'] }),
    copy('qa', { at: 'inbox' }),
    authored(),
  ];

  it('is one commit with all that it sent, took up and cost', () => {
    expect(entryOf(committed, pictures, turn())).toEqual({
      seq: 7,
      at,
      subject: 'engineer → qa: review-request — Review of the parser',
      trailers: [
        ['Message-Id', id],
        ['Thread', thread],
        ['In-Reply-To', 'the-request'],
        ['Turn', 't12'],
        ['Provider', 'claude'],
        ['Model', 'opus'],
        ['Exit', '0'],
        ['Duration', '12.3s'],
        ['Cost-USD', '0.42'],
        ['Tokens', '1234'],
        ['Seq', '7'],
      ],
      changes: [
        { path: 'agents/engineer/inbox/20261121T204512345Z-review-request-taken-up.md', text: null },
        {
          path: 'agents/engineer/processed/2026-11/20261121T204512345Z-review-request-taken-up.md',
          text: 'taken-up\nPlease look at src/parser.ts.\n',
        },
        { path: `agents/qa/inbox/${name}`, text },
        { path: `agents/engineer/sent/2026-11/${name}`, text },
      ],
    });
  });

  it('names the first of several messages and how many more there are, and every id', () => {
    const several = [sent({ to: ['qa', 'architect'] }), sent({ id: 'second' }), sent({ id: 'third' })];
    const happened = event({ type: 'committed', turn: 't12', sent: several });
    expect(entryOf(happened, pictures, turn())?.subject).toBe(
      'engineer → qa, architect: review-request — Review of the parser (+2)',
    );
    const ids = trailersOf(happened, pictures, turn()).filter((line) => line.startsWith('Message-Id'));
    expect(ids).toEqual([`Message-Id: ${id}`, 'Message-Id: second', 'Message-Id: third']);
  });

  it('names the work that its messages are about', () => {
    const landed = { branch: 'main', commit: 'decade', before: 'facade' };
    const work = { commit: 'c0ffee', branch: 'mailroom/thread/engineer', landed };
    const happened = event({
      type: 'committed',
      turn: 't12',
      sent: [sent({ work }), sent({ id: 'b', work })],
    });
    const about = trailersOf(happened, pictures, turn()).filter((line) => /^(?:Commit|Landed)/.test(line));
    expect(about).toEqual(['Commit: c0ffee', 'Landed: main decade']);
  });

  it('is a commit even when it sent nothing and nothing moved', () => {
    const silent = event({ type: 'committed', turn: 't12', sent: [] });
    expect(entryOf(silent, [], turn())).toMatchObject({
      subject: 'engineer: turn t12, nothing sent',
      changes: [],
    });
    expect(trailersOf(silent, [], turn())[0]).toBe(`Thread: ${thread}`);
    expect(entryOf(silent, [], null)).toBeNull();
  });

  it.each([
    ['a price that was guessed', { cost: { usd: 1, tokens: 5, unpriced: 1 } }, 'Cost-USD: unpriced'],
    ['a launch that is not settled', { reserved: true }, 'Cost-USD: unpriced'],
    ['ten dollars', { cost: { usd: 10, tokens: 5, unpriced: 0 } }, 'Cost-USD: 10'],
    ['nothing', { cost: { usd: 0, tokens: 5, unpriced: 0 } }, 'Cost-USD: 0'],
    ['a millionth', { cost: { usd: 0.000001, tokens: 5, unpriced: 0 } }, 'Cost-USD: 0.000001'],
  ] as const)('tells %s', (_, change, line) => {
    expect(trailersOf(committed, pictures, turn(change))).toContain(line);
  });

  it('leaves out what is not known', () => {
    const unknown = { ...result, model: null, exit: null, usage: { usd: null, tokens: null } };
    const before = turn({
      cost: { usd: 1, tokens: 9, unpriced: 1 },
      phase: { is: 'returned', since: at, result: unknown, checks: [], met: [], runs: 0 },
    });
    const names = trailersOf(committed, pictures, before).map((line) => line.split(':')[0]);
    expect(names.slice(3)).toEqual(['Turn', 'Provider', 'Duration', 'Cost-USD', 'Seq']);
  });
});

describe('every other event that moves mail', () => {
  const ask = { request: id, recipient: 'qa' };
  const failed = { at: 'failed', reason } as const;

  it.each<[string, MailEvent, Projection[], Turn | null]>([
    [
      'engineer → qa: review-request — Review of the parser',
      event({ type: 'accepted', sent: sent() }),
      [copy('qa', { at: 'inbox' })],
      null,
    ],
    [
      'refused in qa/inbox: the agent gave up',
      event({
        type: 'refused',
        id: 'x',
        role: 'qa',
        box: 'inbox',
        name: 'a.md',
        text: 'hi',
        reason,
        notices: [notice],
      }),
      [{ kind: 'refused', id: 'x', created: at, role: 'qa', text: 'hi', reason, since: 1 }],
      null,
    ],
    [
      'engineer: turn t12 abandoned: the agent gave up',
      event({ type: 'abandoned', turn: 't12', reason, notices: [] }),
      [copy('engineer', failed)],
      turn({ phase: { is: 'failed', class: 'NON_RETRYABLE', reason, until: null } }),
    ],
    [
      'escalated to user: review-request — Review of the parser',
      event({ type: 'escalated', ask, to: 'user', person: true }),
      [copy('user', { at: 'unread' })],
      null,
    ],
    [
      'mailroom → user: notice — Something happened',
      event({ type: 'proceeded', ask, notice: notice, person: true }),
      [told],
      null,
    ],
    [
      'no answer from qa: review-request — Review of the parser',
      event({ type: 'failed-back', ask, reason, notices: [] }),
      [copy('qa', failed)],
      null,
    ],
    [
      'thread failed: the agent gave up — 01900000-0000-7000-8000-000000000001',
      event({ type: 'thread-failed', thread, reason, notices: [notice] }),
      [copy('qa', failed), told],
      null,
    ],
    [
      'mailroom → user: notice — Something happened',
      event({ type: 'quieted', thread, notices: [notice] }),
      [told],
      null,
    ],
    [
      'mailroom → user: notice — Something happened',
      event({ type: 'vanished', role: 'qa', notices: [notice] }),
      [told],
      null,
    ],
    [
      'withdrawn from qa: review-request — Review of the parser',
      event({ type: 'withdrawn', message: id, recipient: 'qa', notices: [notice] }),
      [copy('qa', { at: 'withdrawn' }), told],
      null,
    ],
    [
      'read by user: review-request — Review of the parser',
      event({ type: 'read', message: id, recipient: 'user' }),
      [],
      null,
    ],
    [
      'turn cancelled by a person: t12',
      event({
        type: 'controlled',
        id: 'c1',
        by: 'a person',
        command: { verb: 'cancel', target: { kind: 'turn', turn: 't12' } },
        refusal: null,
      }),
      [copy('qa', failed)],
      null,
    ],
    [
      'put back for qa by a person: review-request — Review of the parser',
      event({
        type: 'controlled',
        id: 'c1',
        by: 'a person',
        command: { verb: 'retry', message: message(), role: 'qa' },
        refusal: null,
      }),
      [copy('qa', { at: 'inbox' })],
      null,
    ],
  ])('is told as: %s', (subject, happened, pictures, before) => {
    const entry = entryOf(happened, pictures, before);
    expect(entry?.subject).toBe(subject);
    expect(entry?.trailers.at(-1)).toEqual(['Seq', '7']);
    expect(entry?.changes).not.toEqual([]);
  });

  it('has an id for each message that it moved or told of, and the threads', () => {
    const lost = event({ type: 'withdrawn', message: id, recipient: 'qa', notices: [notice] });
    expect(trailersOf(lost, [copy('qa', { at: 'withdrawn' }), told])).toEqual([
      `Message-Id: ${id}`,
      `Message-Id: ${notice.id}`,
      `Thread: ${thread}`,
      `In-Reply-To: ${id}`,
      'Seq: 7',
    ]);
  });

  it('has the id that a refused file was given', () => {
    const refused = event({
      type: 'refused',
      id: 'x',
      role: 'qa',
      box: 'outbox',
      name: 'a.md',
      text: 'hi',
      reason,
      notices: [notice],
    });
    const ids = trailersOf(refused, [told]).filter((line) => line.startsWith('Message-Id'));
    expect(ids).toEqual(['Message-Id: x', `Message-Id: ${notice.id}`]);
  });

  it('reports a message whose thread has left the state that it was one', () => {
    const lost = event({ type: 'withdrawn', message: 'forgotten', recipient: 'qa', notices: [] });
    expect(entryOf(lost, [copy('qa', { at: 'withdrawn' })])?.subject).toBe(
      'withdrawn from qa: a message of an ended thread',
    );
  });
});

describe('an event that moves nothing', () => {
  const key = { turn: 't12', attempt: 1, round: 0 };

  it.each<MailEvent>([
    event({ type: 'started', version: '1', protocol: 'x' }),
    event({ type: 'stopped', ...key }),
    event({ type: 'returned', ...key, result }),
    event({ type: 'checked', ...key, problems: [], conflicts: false, left: null, met: [] }),
    event({ type: 'corrected', turn: 't12', problems: [] }),
    event({ type: 'requeued', turn: 't12', notBefore: 0, counted: true }),
    event({ type: 'resumed', turn: 't12', provider: 'claude' }),
    event({ type: 'projected', through: 3 }),
    event({ type: 'restored', role: 'qa' }),
    event({ type: 'parked', provider: 'claude', until: 3 }),
    event({ type: 'suspended', ms: 3 }),
    event({ type: 'quieted', thread, notices: [] }),
    event({ type: 'read', message: 'forgotten', recipient: 'user' }),
    event({
      type: 'controlled',
      id: 'c',
      by: 'me',
      command: { verb: 'pause', target: { kind: 'all' }, now: false },
      refusal: null,
    }),
    event({
      type: 'controlled',
      id: 'c',
      by: 'me',
      command: { verb: 'retry', message: message(), role: 'qa' },
      refusal: reason,
    }),
  ])('is no commit: $type', (happened) => {
    expect(entryOf(happened, [], turn())).toBeNull();
  });
});

describe('the files of a commit', () => {
  const happened = event({ type: 'committed', turn: 't12', sent: [] });
  const changesOf = (pictures: Projection[]) =>
    (entryOf(happened, pictures, turn())?.changes ?? []).map(
      (change) => `${change.path}: ${String(change.text)}`,
    );
  const inbox = `agents/qa/inbox/${name}`;

  it.each<[Projection, string[]]>([
    [copy('qa', { at: 'inbox' }), [`${inbox}: ${text}`]],
    [copy('qa', { at: 'claimed', turn: 't12' }), [`${inbox}: ${text}`]],
    [copy('qa', { at: 'unread' }), [`${inbox}: ${text}`]],
    [copy('qa', { at: 'processed' }), [`${inbox}: null`, `agents/qa/processed/2026-11/${name}: ${text}`]],
    [copy('qa', { at: 'read' }), [`${inbox}: null`, `agents/qa/processed/2026-11/${name}: ${text}`]],
    [copy('qa', { at: 'withdrawn' }), [`${inbox}: null`]],
    [
      copy('qa', { at: 'failed', reason }),
      [
        `${inbox}: null`,
        `agents/qa/failed/2026-11/${name}: ${text}`,
        `agents/qa/failed/2026-11/${name}.reason.txt: E_TURN: the agent gave up\n`,
      ],
    ],
    [authored(), [`agents/engineer/sent/2026-11/${name}: ${text}`]],
    [
      { kind: 'refused', id: 'abcdef', created: at, role: 'qa', text: 'nonsense', reason, since: 1 },
      [
        'agents/qa/failed/2026-11/20261121T204512345Z-refused-abcdef.md: nonsense',
        'agents/qa/failed/2026-11/20261121T204512345Z-refused-abcdef.md.reason.txt: E_TURN: the agent gave up\n',
      ],
    ],
    [
      { kind: 'refused', id: 'abcdef', created: at, role: 'qa', text: '', reason, since: 1 },
      [
        'agents/qa/failed/2026-11/20261121T204512345Z-refused-abcdef.md.reason.txt: E_TURN: the agent gave up\n',
      ],
    ],
  ])('follow its pictures: $kind $delivery.at', (picture, lines) => {
    expect(changesOf([picture])).toEqual(lines);
  });

  it('leave failed/ for the inbox when a dead letter is put back', () => {
    const command = { verb: 'retry', message: message(), role: 'qa' } as const;
    const retried = event({ type: 'controlled', id: 'c1', by: 'me', command, refusal: null });
    expect(entryOf(retried, [copy('qa', { at: 'inbox' })])?.changes).toEqual([
      { path: `agents/qa/failed/2026-11/${name}`, text: null },
      { path: `agents/qa/failed/2026-11/${name}.reason.txt`, text: null },
      { path: inbox, text },
    ]);
  });

  it('name each path once, as it is in the end', () => {
    expect(changesOf([copy('qa', { at: 'inbox' }), copy('qa', { at: 'withdrawn' })])).toEqual([
      `${inbox}: null`,
    ]);
  });

  it('include a notice in its place', () => {
    expect(changesOf([told])[0]).toMatch(`agents/user/inbox/${noticeName}: `);
  });
});
