import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { MailEvent, MailEventRecord } from '../../src/mail/machine/event.ts';
import type { Message } from '../../src/mail/format/message.ts';

/** An event that carries a text; `number` tells events apart. */
export function event(number: number, text = 'a text'): MailEvent {
  return {
    v: 1,
    at: 1_000 + number,
    type: 'refused',
    id: `id-${number}`,
    role: 'qa',
    box: 'inbox',
    name: 'dropped.md',
    text,
    reason: { code: 'E_MESSAGE', text: 'unreadable' },
    notices: [message(number)],
  };
}

export function events(from: number, to: number): MailEvent[] {
  return Array.from({ length: to - from + 1 }, (_, index) => event(from + index));
}

export function records(from: number, to: number): MailEventRecord[] {
  return events(from, to).map((each, index) => ({ n: from + index, event: each }));
}

export function message(number: number): Message {
  return {
    id: `message-${number}`,
    type: 'task',
    from: 'user',
    to: ['architect'],
    thread: 'thread',
    inReplyTo: null,
    subject: 'Ein Thema — "quoted", \\ and\nbroken',
    created: Date.parse('2026-11-21T20:45:12.345Z') + number,
    work: null,
    attachments: [],
    fields: {},
    extra: {},
    body: `body ${number}`,
  };
}

/** As `expect(actual).toEqual(expected)`, for loops: a quick look first. */
export function assertEqual(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toStrictEqual(expected);
}
