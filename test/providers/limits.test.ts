import fc from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { endOf, limitIn } from '../../src/providers/limits.ts';
import { duration } from '../../src/providers/resets.ts';

/** A Saturday evening in UTC. */
const now = Date.parse('2026-11-21T20:00:00.000Z');

/** What a text says about the end of its limit, as ISO 8601; undefined: no limit; null: a limit without an end. */
function until(text: string, home = 'UTC'): string | null | undefined {
  const limit = limitIn(text, now, home);
  if (limit === null) return undefined;
  return limit.until === null ? null : new Date(limit.until).toISOString();
}

describe('the end of a limit', () => {
  it.each([
    // claude
    ['Claude AI usage limit reached|1795300000', '2026-11-21T22:26:40.000Z'],
    ['Claude AI usage limit reached|1795300000000', '2026-11-21T22:26:40.000Z'],
    ['5-hour limit reached ∙ resets 11pm', '2026-11-21T23:00:00.000Z'],
    ["You've hit your session limit · resets 8:30am (Asia/Tokyo)", '2026-11-21T23:31:00.000Z'],
    ["You've hit your session limit · resets 12:50am (America/Los_Angeles)", '2026-11-22T08:51:00.000Z'],
    ["You've hit your limit · resets 3pm (UTC)", '2026-11-22T15:00:00.000Z'],
    [
      "You've hit your weekly limit · resets Nov 26, 5:59am (America/Los_Angeles)",
      '2026-11-26T14:00:00.000Z',
    ],
    ["You've hit your Opus limit · resets Nov 24 at 3pm (Europe/Paris)", '2026-11-24T14:00:00.000Z'],
    ["You've hit your weekly limit · resets Dec 1, 3pm", '2026-12-01T15:00:00.000Z'],
    ["You've hit your monthly spend limit. See Usage in Settings", null],
    ['API Error: Request rejected (429) · Rate limited', null],
    // codex
    [
      "You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 2 days 17 hours 14 minutes.",
      '2026-11-24T13:14:00.000Z',
    ],
    ["You've hit your usage limit. Try again in 3h 20m.", '2026-11-21T23:20:00.000Z'],
    ["You've hit your usage limit. Try again at Nov 25th, 2026 8:19 PM.", '2026-11-25T20:20:00.000Z'],
    ["You've hit your usage limit, or try again at Nov 22, 2026, 7:38 AM", '2026-11-22T07:39:00.000Z'],
    [
      'You have reached the usage limit, or try again after December 6, 2026, 11:15.',
      '2026-12-06T11:16:00.000Z',
    ],
    ["You've hit your usage limit. Try again at 11:45 PM.", '2026-11-21T23:46:00.000Z'],
    ["You've hit your usage limit. Wait for limits to reset (every 5h and every week.).", null],
    ['{"error":{"type":"usage_limit_reached","resets_at":1795300000}}', '2026-11-21T22:26:40.000Z'],
    ['{"error":{"type":"usage_limit_reached","resets_in_seconds":90}}', '2026-11-21T20:01:30.000Z'],
    [
      'Rate limit reached for gpt-5 on tokens per min. Please try again in 1.898s.',
      '2026-11-21T20:00:01.898Z',
    ],
    ['Rate limit reached for gpt-5. Please try again in 6m0s.', '2026-11-21T20:06:00.000Z'],
    ['Rate limit reached. Please try again in 20ms.', '2026-11-21T20:00:00.020Z'],
    // gemini
    ['You exceeded your current quota. Please retry in 34.07s.', '2026-11-21T20:00:34.070Z'],
    [
      'You have exhausted your capacity on this model. Your quota will reset after 3h20m12s.',
      '2026-11-21T23:20:12.000Z',
    ],
    [
      String.raw`{\"status\":\"RESOURCE_EXHAUSTED\",\"details\":[{\"retryDelay\":\"27s\"}]}`,
      '2026-11-21T20:00:27.000Z',
    ],
    ['Resource has been exhausted (e.g. check quota).', null],
    // anybody
    ['Too Many Requests (retry-after: 120)', '2026-11-21T20:02:00.000Z'],
    ['Too many requests. Retry after 2026-11-21T21:30:00Z.', '2026-11-21T21:30:00.000Z'],
    ['Your usage limit will reset after 23:15 UTC.', '2026-11-21T23:16:00.000Z'],
    ['{"error":"rate limit","retry_after":"2026-11-21T21:30:00Z"}', '2026-11-21T21:30:00.000Z'],
    ['429 Too Many Requests; Retry-After: Sat, 21 Nov 2026 20:45:10 GMT', '2026-11-21T20:45:10.000Z'],
    ['rate_limit_error, retry-after: 30', '2026-11-21T20:00:30.000Z'],
    ['usage limit, resets at 2026-11-22T06:00:00Z', '2026-11-22T06:00:00.000Z'],
  ])('%s', (text, expected) => {
    expect(until(text)).toBe(expected);
  });

  it.each([
    'API Error: 500 Internal server error',
    'Overloaded, try again in a moment',
    'The request limits of this design are explained in docs/limits.md',
    'prompt is too long: 210000 tokens > 200000 maximum',
    '',
  ])('is not read into: %s', (text) => {
    expect(until(text)).toBe(undefined);
  });

  it('is in the zone of the machine where the text names none', () => {
    expect(until('usage limit, resets 11pm', 'America/New_York')).toBe('2026-11-22T04:00:00.000Z');
    expect(until('usage limit, resets at Nov 22, 7:00 AM', 'Asia/Kolkata')).toBe('2026-11-22T01:31:00.000Z');
  });

  it('is the next one of that time of day, but not tomorrow when it has only just passed', () => {
    expect(until('usage limit, resets 7pm (UTC)')).toBe('2026-11-22T19:00:00.000Z');
    expect(until('usage limit, resets 7:58pm (UTC)')).toBe(null);
  });

  it('is the end of the minute that it names, and the second if it names one', () => {
    expect(until('usage limit, try again at 8:00 PM (UTC)')).toBe('2026-11-21T20:01:00.000Z');
    expect(until('usage limit, try again at 8:00:15 PM (UTC)')).toBe('2026-11-21T20:00:15.000Z');
  });

  it('is unknown when the date has passed, the zone is none, or the number could be anything', () => {
    expect(until('usage limit, try again at Aug 20, 2026, 7:38 AM')).toBe(null);
    expect(until('usage limit, resets 3pm (Middle/Earth)')).toBe(null);
    expect(until('usage limit, resets 3')).toBe(null);
  });

  it('is in the next year when the month has passed', () => {
    expect(until('usage limit, resets Jan 2, 3pm (UTC)')).toBe('2026-12-23T20:00:00.000Z');
    expect(endOf('resets Jan 2, 3pm (UTC)', Date.parse('2026-12-30T00:00:00Z'))).toBe(
      Date.parse('2027-01-02T15:00:00Z'),
    );
  });

  it('is at most 32 days away', () => {
    expect(until('rate limit, retry-after: 999999999')).toBe('2026-12-23T20:00:00.000Z');
  });

  it('keeps to summer time on both sides of its change', () => {
    const before = Date.parse('2027-03-27T20:00:00Z');
    expect(endOf('resets 9am (Europe/Berlin)', before)).toBe(Date.parse('2027-03-28T07:00:00Z'));
    expect(endOf('resets 1am (Europe/Berlin)', before)).toBe(Date.parse('2027-03-28T00:00:00Z'));
  });

  it('is never before now and never throws, whatever the text', () => {
    const words = (
      'usage limit;resets;try again;in;at;retry-after:;Nov 31;99:99pm;3pm;(UTC);(A/B);1795300000;999999999999;2 days;1e9;' +
      '0s;|;2026-13-45T99:99:99Z;Feb 30th, 0000;\n;…'
    ).split(';');
    const texts = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom(...words)).map((parts) => parts.join(' ')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const end = endOf(text, now);
        return end === null || (Number.isInteger(end) && end >= now && end <= now + 32 * 86_400_000);
      }),
    );
  });
});

describe('a duration', () => {
  it.each([
    ['3h 20m', 12_000_000],
    ['2 days 17 hours 14 minutes.', 234_840_000],
    ['1 week, 1 day and 1 hour', 694_800_000],
    ['34.07s', 34_070],
    ['6m0s', 360_000],
    ['30', 30_000],
    ['30 (see the docs)', 30_000],
    ['20ms', 20],
    ['5 apples', null],
    ['a few seconds', null],
    ['', null],
  ])('%j', (text, milliseconds) => {
    expect(duration(text)).toBe(milliseconds);
  });
});
