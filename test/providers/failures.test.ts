import { describe, expect, it } from 'vitest';
import { failed, statusIn } from '../../src/providers/failures.ts';

const now = Date.parse('2026-11-21T20:00:00.000Z');
const usage = { usd: 0.5, tokens: 10 };

function meaning(text: string, status: number | null = null, stderr = ''): string {
  const outcome = failed({ program: 'agent', status, text, stderr, usage, login: 'log in' }, now);
  if (outcome.is === 'later') return outcome.class === 'RETRYABLE_RATE_LIMIT' ? 'limited' : 'later';
  return outcome.is;
}

describe('a failure', () => {
  it.each([
    // A person must do something.
    ['Your credit balance is too low to access the Anthropic API.', 400, 'never'],
    ['429 You exceeded your current quota (insufficient_quota)', 429, 'never'],
    ['Invalid API key · Fix external API key', null, 'never'],
    ['OAuth token has expired. Please obtain a new token.', null, 'never'],
    ['Not logged in · Please run /login', null, 'never'],
    ['Missing environment variable: `CODEX_API_KEY`.', null, 'never'],
    ['unexpected status 401 Unauthorized: bad key', null, 'never'],
    ['API key not valid. Please pass a valid API key. [API_KEY_INVALID]', 400, 'never'],
    ['anything', 401, 'never'],
    ['anything', 403, 'never'],
    // It asks for what it cannot get.
    ['prompt is too long: 210000 tokens > 200000 maximum', null, 'never'],
    ['The model `gpt-9` does not exist or you do not have access to it.', null, 'never'],
    ["error: unexpected argument '--full-auto' found", null, 'never'],
    ['Error loading config.toml: unknown key', null, 'never'],
    ['anything', 400, 'never'],
    ['anything', 404, 'never'],
    ['anything', 413, 'never'],
    // It waits.
    ['anything', 429, 'limited'],
    ["You've hit your usage limit. Try again in 3h 20m.", null, 'limited'],
    ['exceeded retry limit, last status: 429 Too Many Requests', null, 'limited'],
    ['RESOURCE_EXHAUSTED', null, 'limited'],
    // It may work the next time.
    ['anything', 408, 'later'],
    ['anything', 500, 'later'],
    ['Overloaded', 529, 'later'],
    ['unexpected status 529 <unknown status code>: Overloaded', null, 'later'],
    ['rate limiter crashed', 503, 'later'],
    ['Unauthorized upstream', 502, 'later'],
    ['stream disconnected before completion: error sending request', null, 'later'],
    ['read ECONNRESET', null, 'later'],
    ['nobody has ever seen this', null, 'later'],
    ['', null, 'later'],
  ])('%j with status %j is: %s', (text, status, expected) => {
    expect(meaning(text, status)).toBe(expected);
  });

  it('is looked for in standard error where there is no sentence', () => {
    expect(meaning('', null, `${'warning\n'.repeat(5000)}Error: 401 Unauthorized`)).toBe('never');
    expect(meaning('Overloaded', null, '401 Unauthorized')).toBe('later');
  });

  it('keeps what it cost, and says how to log in', () => {
    expect(
      failed(
        { program: 'agent', status: 401, text: 'bad key', stderr: '', usage, login: 'run `agent login`' },
        now,
      ),
    ).toEqual({
      is: 'never',
      reason: {
        code: 'E_LOGIN',
        text: 'agent is not allowed to use its model; run `agent login`: bad key',
      },
      usage,
      session: null,
    });
  });

  it('says when its limit ends, whatever the wording', () => {
    const failure = {
      program: 'agent',
      status: 429,
      text: 'slow down, retry-after: 60',
      stderr: '',
      usage,
      login: '',
    };
    expect(failed(failure, now)).toMatchObject({ until: now + 60_000 });
    expect(failed({ ...failure, status: null, text: 'usage limit, resets in 1h' }, now)).toMatchObject({
      until: now + 3_600_000,
    });
  });
});

describe('the status in a text', () => {
  it.each([
    ['API Error: 529 Overloaded', 529],
    ['API Error: Request rejected (429) · Slow', null],
    ['unexpected status 401 Unauthorized', 401],
    ['last status: 429 Too Many Requests', 429],
    ['"statusCode":503', 503],
    [String.raw`{\"error\":{\"code\":429,\"message\":\"x\"}}`, 429],
    ['{"error":{"code": 404}}', 404],
    ['HTTP 502', 502],
    ['HTTP/1.1 503 Service Unavailable', 503],
    ['413 bytes in 500 files', null],
    ['status 200', null],
    ['code: 4290', null],
  ])('%s', (text, status) => {
    expect(statusIn(text)).toBe(status);
  });
});
