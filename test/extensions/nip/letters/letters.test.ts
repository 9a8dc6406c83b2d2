import { describe, expect, it } from 'vitest';
import { readDelivery, readEvent, readRelayMessage } from '../../../../src/extensions/nip/letters/read.ts';

const event = {
  id: 'a'.repeat(64),
  pubkey: 'b'.repeat(64),
  created_at: 1_700_000_000,
  kind: 7_920,
  tags: [['status', 'running']],
  content: '',
  sig: 'c'.repeat(128),
};

describe('a signed event', () => {
  it('is read by its shape, and anything more in it is left out', () => {
    expect(readEvent(JSON.stringify({ ...event, more: 1 }))).toEqual({ ok: true, value: event });
  });

  it.each([
    [null, 'it must be a JSON object'],
    [[], 'it must be a JSON object'],
    [{ ...event, id: '../../x' }, '`id` must be 64 hexadecimal digits in lower case'],
    [{ ...event, pubkey: 'B'.repeat(64) }, '`pubkey` must be 64 hexadecimal digits in lower case'],
    [{ ...event, sig: null }, '`sig` must be 128 hexadecimal digits in lower case'],
    [{ ...event, kind: '5920' }, '`kind` must be the number of a kind of events'],
    [{ ...event, kind: 65_536 }, '`kind` must be the number of a kind of events'],
    [{ ...event, created_at: 9e12 }, '`created_at` must be a time in seconds since 1970'],
    [{ ...event, created_at: 1.5 }, '`created_at` must be a time in seconds since 1970'],
    [{ ...event, tags: {} }, '`tags` must be a list of lists of strings'],
    [{ ...event, tags: ['e'] }, '`tags.0` must be a list of strings'],
    [{ ...event, tags: [['e', 1]] }, '`tags.0.1` must be a string'],
    [{ ...event, content: {} }, '`content` must be a string'],
  ])('is not %j', (value, problem) => {
    expect(readEvent(JSON.stringify(value))).toEqual({ ok: false, problem });
  });
});

describe('what a relay says', () => {
  it.each([
    [['EVENT', 'mailroom', event], { is: 'event', event }],
    [['EVENT', null, { ...event, more: [] }, 'more'], { is: 'event', event }],
    [['OK', 'x', true, ''], { is: 'answer', id: 'x', accepted: true, reason: '' }],
    [['OK', 'x', false], { is: 'answer', id: 'x', accepted: false, reason: '' }],
    [['OK', 'x', 'true', 5], { is: 'answer', id: 'x', accepted: false, reason: '' }],
    [
      ['OK', 'x', false, 'r'.repeat(300)],
      { is: 'answer', id: 'x', accepted: false, reason: 'r'.repeat(200) },
    ],
    [['EOSE', 'mailroom'], { is: 'caught-up' }],
    [['EOSE'], { is: 'caught-up' }],
    [['CLOSED', 'mailroom', 'blocked: no'], { is: 'closed', reason: 'blocked: no' }],
    [['CLOSED'], { is: 'closed', reason: '' }],
  ])('is read: %j', (said, value) => {
    expect(readRelayMessage(JSON.stringify(said))).toEqual({ ok: true, value });
  });

  it.each([
    null,
    {},
    [],
    ['NOTICE', 'x'],
    ['EVENT'],
    ['EVENT', 'mailroom', { ...event, tags: [[1]] }],
    ['OK'],
    ['OK', 5, true],
    ['toString'],
  ])('means nothing: %j', (said) => expect(readRelayMessage(JSON.stringify(said)).ok).toBe(false));
});

it('a note of an event for a relay is read, and nothing else', () => {
  const note = { relay: 'ws://127.0.0.1', event: event.id, answer: null };
  expect(readDelivery(JSON.stringify(note))).toEqual({ ok: true, value: note });
  expect(readDelivery(JSON.stringify({ ...note, answer: 5 }))).toEqual({
    ok: false,
    problem: '`answer` must be a string',
  });
  expect(readDelivery('{"relay":"ws://127.0.0.1","ev')).toEqual({ ok: false, problem: 'it is not JSON' });
});
