import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Mailbox } from '../../../src/extensions/email/mailbox.ts';
import { builtPart } from '../../support/built-part.ts';
import { MailServers } from '../../support/mail-servers.ts';

/*
 * Of the libraries for e-mail the package has only what is used (scripts/lean.mjs): here the built
 * part itself sends and reads mail. What a mail means is tested in test/channels.
 */

const servers = new MailServers();
beforeAll(() => servers.listen());
afterAll(() => servers.close());

it('sends mail, finds it, and reads plain text, HTML and other character sets', async () => {
  const part = builtPart('mailbox') as { readonly Mailbox: typeof Mailbox };
  const { address: login, smtp, imap } = servers;
  const mailbox = new part.Mailbox({ smtp, imap, login, password: 'secret-password' });
  const letter = { id: '<1@mailroom.example>', from: login, answers: null, subject: 'Grüße', text: 'Yes?\n' };
  await mailbox.send({ ...letter, to: ['Ada <ada@example.com>'] });
  expect(servers.sent.at(-1)).toMatchObject({ to: ['ada@example.com'], mail: { subject: 'Grüße' } });
  expect([await mailbox.has(letter.id), await mailbox.has('<2@mailroom.example>')]).toEqual([true, false]);

  const plain = 'Content-Type: text/plain; charset=';
  servers.write({ subject: '=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=', text: 'Yes.\r\n\r\n> quoted' });
  servers.write({
    raw: `${plain}iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nGr=FC=DFe`,
  });
  servers.write({ raw: `${plain}shift_jis\r\nContent-Transfer-Encoding: base64\r\n\r\nk/qWew==` });
  servers.write({
    raw: 'Content-Type: text/html\r\n\r\n<p>One &eacute; &amp; <b>two</b></p><ul><li>three</ul>',
  });
  const { mails } = await mailbox.read(null, 0);
  expect(mails.map(({ subject, text }) => [subject, text.trim()])).toEqual([
    ['Grüße', 'Yes?'],
    ['日本', 'Yes.\n\n> quoted'],
    ['Hello', 'Grüße'],
    ['Hello', '日本'],
    ['Hello', 'One é & two\n\n * three'],
  ]);
  expect(mails.at(-1)?.from).toEqual(['ada@example.com']);
});
