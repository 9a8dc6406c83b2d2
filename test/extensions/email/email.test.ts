import { describe, expect, it } from 'vitest';
import { Email, withoutQuote } from '../../../src/extensions/email/email.ts';
import { absenceIn, automaticBy, whyForged } from '../../../src/extensions/email/headers.ts';
import { visibleHtml } from '../../../src/extensions/email/visible-html.ts';
import type { Letter, MailPosition, ReadMail } from '../../../src/extensions/email/mailbox.ts';
import { Marks } from '../../../src/channels/host/marks.ts';
import type { EmailChannel } from '../../../src/config/config.ts';

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
  readonly mails?: readonly ReadMail[];
}): Email {
  const send = (letter: Letter) => {
    parts.sent?.push(letter);
    return parts.error === undefined ? Promise.resolve() : Promise.reject(parts.error);
  };
  const position: MailPosition = { validity: '1', uid: 0, at: 0 };
  const read = () => Promise.resolve({ mails: parts.mails ?? [], position });
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
  const mail = (
    results: string | readonly string[] | null,
    from = ['ada@example.com'],
  ): Pick<ReadMail, 'from' | 'headers'> => ({
    from,
    headers: [results ?? []].flat().map((value) => ({ name: 'authentication-results', value })),
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

  const pass = 'mx.example.com; dmarc=pass header.from=example.com';

  it.each([
    ['mx.example.com; dmarc=fail header.from=example.com; dmarc=pass header.from=example.com'],
    ['mx.example.com; dmarc=pass header.from=example.com; dmarc=fail header.from=example.com'],
    ['mx.example.com; dmarc=pass header.from=example.com; dmarc = none header.from=example.com'],
    ['mx.example.com; dmarc=pass header.from=example.com; DMARC/1=fail header.from=example.com'],
    ['mx.example.com; dmarc=pass header.from=example.com; dmarc=pass header.from=evil.example'],
    ['mx.example.com; dmarc=pass header.from=evil.example header.from=example.com'],
    [pass, 'mx.example.com; dmarc=fail header.from=example.com'],
    [pass, 'other.example; spf=pass', 'MX.example.com 1; dmarc=temperror header.from=example.com'],
    [pass, 'mx.example.com; dmarc=fail reason="'],
    ['other.example; dmarc=pass header.from=example.com', pass],
  ])('is not certain by results that contradict each other: %j, %j', (...results) => {
    expect(whyForged(mail(results), server)).not.toBeNull();
  });

  it('is certain whatever other servers have found before', () => {
    const others = ['other.example; dmarc=fail header.from=example.com', 'old.example; reason="'];
    expect(whyForged(mail([pass, ...others, pass]), server)).toBeNull();
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

describe('a mail that a program sends by itself', () => {
  it.each([
    ['auto-submitted', 'auto-replied'],
    ['auto-submitted', 'auto-replied; owner-email="ada@example.com"'],
    ['auto-submitted', '(vacation) auto-generated'],
    ['auto-submitted', 'yes'],
    ['x-autoreply', 'yes'],
    ['x-autorespond', 'I am away'],
    ['x-autoresponder', 'vacation'],
    ['x-auto-response-suppress', 'All'],
    ['x-auto-response-suppress', 'DR, OOF, AutoReply'],
    ['x-ms-exchange-generated-message-source', 'Mailbox Rules Agent'],
    ['precedence', 'bulk'],
    ['precedence', 'auto_reply'],
    ['precedence', 'auto-reply'],
    ['precedence', 'Junk'],
    ['return-path', '<>'],
    ['return-path', ' < > '],
    ['list-id', '<team.example.com>'],
    ['list-unsubscribe', '<mailto:x@example.com>'],
    ['x-failed-recipients', 'ada@example.com'],
    ['content-type', 'multipart/report; report-type=delivery-status'],
  ])('is known by %s: %s', (name, value) => {
    expect(
      automaticBy([
        { name: 'subject', value: 'Hello' },
        { name, value },
      ]),
    ).toContain(name);
  });

  it.each([
    ['auto-submitted', 'no'],
    ['auto-submitted', 'No (a person)'],
    ['x-auto-response-suppress', 'None'],
    ['x-autoreply', 'no'],
    ['precedence', 'normal'],
    ['return-path', '<ada@example.com>'],
    ['content-type', 'multipart/alternative'],
    ['list-id', ''],
  ])('is not one by %s: %s', (name, value) => {
    expect(automaticBy([{ name, value }])).toBeNull();
  });

  it.each([
    ['Automatic reply: Out of office', true],
    ['Re: Automatic reply: Which colour?', true],
    ['Out of Office: Ada', true],
    ['Automatische Antwort: Urlaub', true],
    ['Réponse automatique : congés', true],
    ['Autoreply', true],
    ['Auto: away', true],
    ['Which colour?', false],
    ['Re: the automatic reply of the shop is wrong', false],
    ['Automate the reply', false],
  ])('may be one by its subject %j: %s', (subject, isOne) => {
    expect(absenceIn(subject) !== null).toBe(isOne);
  });
});

describe('a copy of what was sent', () => {
  const arrived = (id: string, from: string): ReadMail => ({
    uid: 1,
    at: 0,
    id,
    from: [from],
    answers: [],
    subject: 'S',
    text: 'T',
    attachments: [],
    headers: [],
  });

  it('is left out; a mail that only looks like one is received', async () => {
    const { reference } = await email({}).send(post);
    const forged = `<mailroom.${'a'.repeat(32)}@example.com>`;
    const received = async (id: string, from: string) => {
      const { incoming } = await email({ mails: [arrived(id, from)] }).receive(null, 0);
      return incoming.length;
    };
    expect(await received(reference, 'team@example.com')).toBe(0);
    expect(await received(reference, 'eve@example.com')).toBe(1);
    expect(await received(forged, 'team@example.com')).toBe(1);
    expect(await received(forged, 'ada@example.com')).toBe(1);
    expect(await received('', 'ada@example.com')).toBe(1);
  });
});

describe('HTML', () => {
  it.each([
    '<div style="display:none">X</div>',
    '<div style="DISPLAY : none !important">X</div>',
    '<div style="disp\\6c ay: none">X</div>',
    '<div style="color:red;/* */display:/**/none;">X</div>',
    '<span style="visibility:hidden">X</span>',
    '<p style="font-size:0">X</p>',
    '<p style="font-size: 0px; line-height: 0">X</p>',
    '<p style="font-size:1px">X</p>',
    '<p style="font: 0/0 a">X</p>',
    '<p style="opacity:0">X</p>',
    '<p style="mso-hide:all">X</p>',
    '<p style="max-height:0;overflow:hidden">X</p>',
    '<p style="position:absolute;left:-9999px">X</p>',
    '<p style="color:transparent">X</p>',
    '<p style="color:#fff;background-color:#fff">X</p>',
    '<p hidden>X</p>',
    '<p hidden=until-found>X</p>',
    '<div style="display:none"><p style="display:block">X</p></div>',
    '<div style="display:none">X',
    '<template>X</template>',
    '<head><title>X</title></head>',
    '<style>.a, .b { display: none }</style><p class="c b">X</p>',
    '<style>#x{font-size:0}</style><p id=x>X</p>',
    '<style>p.y{visibility:hidden}</style><p class=y>X</p>',
  ])('is read without what %s hides', (html) => {
    expect(visibleHtml(`<p>Blue</p>${html}`)).not.toContain('X');
    expect(visibleHtml(`<p>Blue</p>${html}`)).toContain('<p>Blue</p>');
  });

  it.each([
    '<p style="font-size:1em">X</p>',
    '<p style="font: 12px/1.5 serif">X</p>',
    '<p style="opacity:0.5;max-height:0">X</p>',
    '<p style="display:block">X</p>',
    '<p style="color:#fff;background-color:#000">X</p>',
    '<p style="margin-left:-10px">X</p>',
    '<p style="">X</p>',
    '<style>.a{display:none}</style><p class="ab">X</p>',
  ])('is read with what %s shows', (html) => {
    expect(visibleHtml(html)).toContain('>X</p>');
  });
});
