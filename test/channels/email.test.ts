import { describe, expect, it } from 'vitest';
import { Email, whyForged, withoutQuote } from '../../src/channels/email/email.ts';
import type { Letter, MailPosition, ReadMail } from '../../src/channels/email/mailbox.ts';
import { Marks } from '../../src/channels/host/marks.ts';
import type { EmailChannel } from '../../src/config/config.ts';

const settings: EmailChannel = {
  name: 'mail',
  kind: 'email',
  people: new Map([['ada@example.com', 'user']]),
  approvers: [],
  poll: 60_000,
  to: null,
  secret: 'MAIL_PASSWORD',
  address: 'team@example.com',
  smtp: 'smtps://mail.example.com',
  imap: 'imaps://mail.example.com',
  login: 'team',
  verifiedBy: 'mx.example.com',
};

const post = {
  key: '0190-a',
  conversation: null,
  subject: 'Which\nBcc: eve@example.com',
  text: 'Red or blue?',
  delivery: null,
  to: ['ada@example.com'],
};

function email(parts: {
  readonly sent?: Letter[];
  readonly has?: boolean;
  readonly now?: number;
  readonly error?: object;
}): Email {
  const send = (letter: Letter) => {
    parts.sent?.push(letter);
    return parts.error === undefined ? Promise.resolve() : Promise.reject(parts.error);
  };
  const position: MailPosition = { validity: '1', uid: 0, at: 0 };
  const read = () => Promise.resolve({ mails: [], position });
  const mailbox = { send, has: () => Promise.resolve(parts.has === true), read };
  return new Email(settings, mailbox, new Marks('key'), () => parts.now ?? 0);
}

it('gives the same mail the same id each time, and keeps its subject one line', async () => {
  const sent: Letter[] = [];
  const first = await email({ sent }).send(post);
  const second = await email({ sent }).send(post);
  expect(second).toEqual(first);
  expect(first.reference).toMatch(/^<mailroom\.[\da-f]{32}@example\.com>$/);
  expect(sent[0]?.subject).toBe('Which\\nBcc: eve@example.com');
});

it('sends again what may have been sent only once it would have come', async () => {
  const found = await email({ has: true, now: 1 }).find(post, 0);
  expect(found?.reference).toMatch(/^<mailroom\./);
  await expect(email({ now: 299_999 }).find(post, 0)).rejects.toMatchObject({ refused: false });
  expect(await email({ now: 300_000 }).find(post, 0)).toBeNull();
});

it.each([
  [550, true],
  [554, true],
  [535, false],
  [451, false],
])('knows what a server will never take: %i', async (responseCode, refused) => {
  const error = Object.assign(new Error('no'), { responseCode });
  await expect(email({ error }).send(post)).rejects.toMatchObject({ refused });
});

describe('a sender', () => {
  const mail = (results: string | null, from = ['ada@example.com']): Pick<ReadMail, 'from' | 'results'> => ({
    from,
    results,
  });
  const server = 'mx.example.com';

  it.each([
    'mx.example.com; dmarc=pass header.from=example.com',
    'MX.example.com 1; spf=fail; dmarc=pass (p=none dis=none) header.from=example.com',
    'mx.example.com;\r\n dkim=pass header.d=other.example;\r\n\tdmarc=pass header.from=Example.com',
  ])('is certain by %j', (results) => {
    expect(whyForged(mail(results), server)).toBeNull();
  });

  it.each([
    null,
    '',
    'mx.example.com',
    'mx.example.com.evil.example; dmarc=pass header.from=example.com',
    'mx.example.com; dmarc=pass header.from=example.com.evil.example',
    'mx.example.com; dmarc=fail header.from=example.com',
    'mx.example.com; dkim=pass header.d=example.com',
    'mx.example.com; dmarc=fail reason="x; dmarc=pass header.from=example.com "',
    'mx.example.com; dmarc=fail (a (b) ; dmarc=pass header.from=example.com )',
    'mx.example.com; dmarc=fail reason="\\"; dmarc=pass header.from=example.com "',
    'mx.example.com (; dmarc=pass header.from=example.com)',
    'mx.example.com; dmarc=fail reason="x; dmarc=pass header.from=example.com"',
  ])('is not certain by %j', (results) => {
    expect(whyForged(mail(results), server)).not.toBeNull();
  });

  it('is exactly one', () => {
    const results = 'mx.example.com; dmarc=pass header.from=example.com';
    for (const from of [[], ['ada@example.com', 'eve@example.com']])
      expect(whyForged(mail(results, from), server)).toBe('it does not have exactly one sender');
  });
});

it.each([
  ['Blue\n\nOn 24 Nov 2026, team wrote:\n> === Write your answer above this line ===\n> Which?', 'Blue'],
  ['Blue: as agreed\n\n=== Write your answer above this line ===\nWhich?', 'Blue: as agreed'],
  ['> Which?\nBlue\n> Sure?', '> Which?\nBlue'],
  ['Blue\n\nSizes:\n', 'Blue\n\nSizes:'],
])('of the answer %j only what the person wrote counts', (text, own) => {
  expect(withoutQuote(text)).toBe(own);
});
