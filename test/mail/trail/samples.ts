import fc from '../../support/fast-check.ts';
import type { Claim, MailEvent, Sent, TurnResult } from '../../../src/mail/machine/event.ts';
import type { Message } from '../../../src/mail/format/message.ts';
import type { Delivery, Projection, Turn } from '../../../src/mail/machine/state.ts';
import type { Reason } from '../../../src/kernel/errors.ts';
import type { TrailEntry } from '../../../src/git/trail.ts';

/** 2026-11-21T20:45:12.345Z */
export const at = Date.UTC(2026, 10, 21, 20, 45, 12, 345);

export function message(change: Partial<Message> = {}): Message {
  return {
    id: '01900000-0000-7000-8000-00000000abcd',
    type: 'review-request',
    from: 'engineer',
    to: ['qa'],
    thread: '01900000-0000-7000-8000-000000000001',
    inReplyTo: null,
    subject: 'Review of the parser',
    created: at,
    work: null,
    attachments: [],
    fields: {},
    extra: {},
    body: 'Please look at src/parser.ts.',
    ...change,
  };
}

export function sent(change: Partial<Message> = {}): Sent {
  return {
    message: message(change),
    request: null,
    answers: null,
    late: false,
    closes: false,
    joins: [],
    people: [],
    opens: null,
  };
}

/** The text of a file in these tests: short, and different for each message. */
export function format({ id, body }: Message): string {
  return `${id}\n${body}\n`;
}

export function copy(role: string, delivery: Delivery, change: Partial<Message> = {}): Projection {
  return { kind: 'copy', message: message(change), role, delivery, leavesFailed: false, since: 1 };
}

export function authored(change: Partial<Message> = {}): Projection {
  const shown = message(change);
  return { kind: 'sent', message: shown, role: shown.from, since: 1 };
}

export const reason: Reason = { code: 'E_TURN', text: 'the agent gave up' };

export const result: TurnResult = {
  text: '',
  staged: [],
  finalText: null,
  stepResult: null,
  violations: [],
  reports: [],
  usage: { usd: 0.42, tokens: 1234 },
  session: null,
  model: 'opus',
  exit: 0,
  durationMs: 12_345,
};

export function turn(change: Partial<Turn> = {}): Turn {
  const claim: Claim = {
    role: 'engineer',
    thread: '01900000-0000-7000-8000-000000000001',
    priority: 'mail',
    messages: [],
    wait: null,
    provider: 'claude',
    retries: 2,
    corrections: 2,
    nesting: 0,
    mustAnswer: false,
    budget: null,
    holds: null,
  };
  return {
    ...claim,
    id: 't12',
    owes: [],
    claimedAt: at,
    attempt: 1,
    round: 0,
    merges: 0,
    failures: 0,
    limits: 0,
    problems: [],
    lastResult: null,
    lastFailure: null,
    decided: [],
    conflict: null,
    reserved: false,
    cost: { usd: 0.42, tokens: 1234, unpriced: 0 },
    host: null,
    entered: null,
    left: null,
    phase: { is: 'returned', since: at, result, checks: [], met: [], runs: 0 },
    ...change,
  };
}

type Body = MailEvent extends infer Event
  ? Event extends MailEvent
    ? Omit<Event, 'v' | 'at'>
    : never
  : never;

export function event(body: Body): MailEvent {
  return { ...body, v: 1, at };
}

/** A commit with the given number; by default it changes one file of its own. */
export function entry(seq: number, change: Partial<TrailEntry> = {}): TrailEntry {
  return {
    seq,
    at: at + seq * 1000,
    subject: `engineer → qa: review-request — Review ${String(seq)}`,
    trailers: [
      ['Message-Id', `id-${String(seq)}`],
      ['Seq', String(seq)],
    ],
    changes: [{ path: `agents/qa/inbox/${String(seq)}.md`, text: `text ${String(seq)}\n` }],
    ...change,
  };
}

export function entries(from: number, to: number): TrailEntry[] {
  return Array.from({ length: to - from + 1 }, (_, index) => entry(from + index));
}

const hostileCharacters =
  '\n\r\t\0 \u000b\u000c\u001b\u0085\u2028\u2029\u202e\u2066\ufeff\ud83d\udc69é"\\:-#<>'.split('');
const hostileWords = [
  'Seq: 1',
  'Seq:',
  '\n\nSeq: 9\n',
  '\r\nThread: x',
  '---\n',
  '-- \n',
  'word',
  '👩‍💻',
  ' a b',
];

/** Texts made of what ends lines, hides them, or looks like a trailer. */
export const hostileText = fc
  .array(fc.constantFrom(...hostileCharacters, ...hostileWords), { maxLength: 12 })
  .map((parts) => parts.join(''));
