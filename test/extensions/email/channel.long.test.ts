import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MailServers } from '../../support/mail-servers.ts';
import { playProject } from '../../support/play.ts';
import { finished, type TestProject } from '../../support/project.ts';

const team = `
name: channels
version: "1"
roles:
  maker: { capabilities: [READ, EDIT] }
messages:
  task: { from: user, to: maker }
  question: { from: maker, to: user, reply: [answer], blocking: true }
  answer: { from: user, to: maker }
  done: { from: maker, to: user, closes: true }
start: { type: task, to: maker }
`;

const maker = `
  if (type === 'task') send('question', 'user', 'Which colour?');
  else send('done', 'user', 'It is ' + mail[0].trim().split('\\n').at(-1), 'subject: Painted\\n');`;

let project: TestProject;
let servers: MailServers;

beforeEach(async () => {
  servers = new MailServers();
  await servers.listen();
  project = playProject(team, { maker });
  project.drop(
    'mailroom.yaml',
    `providers: { play: { command: [node, play/run.mjs] } }
defaults: { provider: play, retries: 0 }
trail: off
channels:
  mail:
    kind: email
    address: ${servers.address}
    smtp: ${servers.smtp}
    imap: ${servers.imap}
    verified_by: mx.example.com
    people: { ada@example.com: user }
    poll: 1s
`,
  );
});

afterEach(async () => {
  await servers.close();
  project.remove();
});

const env = { MAIL_PASSWORD: 'secret-password' };
const up = async () => (await project.run(['up', '--until-idle'], env)).stdout.trim().split('\n').at(-1);
const trail = async () =>
  JSON.parse((await project.run(['trail', '--json'])).stdout) as { type: string; body: string }[];
const types = async () => (await trail()).map(({ type }) => type);
const question = () => servers.got().find(({ text = '' }) => text.includes('Which colour?'))?.messageId ?? '';
const reasons = () => {
  const { received } = JSON.parse(project.read('.mailroom/channels/mail.json')) as {
    received: Record<string, { reason: string | null }>;
  };
  return Object.values(received).map(({ reason }) => reason);
};

/** Runs until the question has been sent. */
async function asked(): Promise<void> {
  await up();
  servers.write({ subject: 'Paint the shed', text: 'Please' });
  expect(await up()).toMatch(/^idle: waiting for /);
}

describe('a task that comes by e-mail', () => {
  it('is asked about and answered by e-mail, each as an answer to the one before', async () => {
    await asked();
    const [receipt, asks] = servers.got();
    expect(receipt?.text).toContain('Accepted as a task.');
    expect([receipt?.inReplyTo, asks?.inReplyTo]).toEqual(['<1@example.com>', '<1@example.com>']);
    expect(asks).toMatchObject({ subject: 'Which colour?', messageId: question() });
    const quoted = `Am 24.11.2026 um 18:00 schrieb team:\n> ${(asks?.text ?? '').replaceAll('\n', '\n> ')}`;
    servers.write({ answers: question(), text: `Blue\n\n${quoted}` });
    expect(await up()).toBe('idle: done');
    expect((await trail()).map(({ body }) => body.trim())).toEqual([
      'Please',
      'Which colour?',
      'Blue',
      'It is Blue',
    ]);
    expect(servers.sent.map(({ to }) => to.join())).toEqual(Array(3).fill('ada@example.com'));
    expect(servers.got().at(-1)?.subject).toBe('Painted');
  });

  it('takes HTML as text, and never loads what is attached', async () => {
    await asked();
    const html = [
      'Content-Type: multipart/mixed; boundary=B',
      '',
      '--B',
      'Content-Type: text/html; charset=utf-8',
      '',
      '<style>p { color: red }</style><p>Blue &amp; <b>bright</b></p><script>alert(1)</script>',
      '--B',
      'Content-Type: application/zip; name=photos.zip',
      'Content-Disposition: attachment; filename=photos.zip',
      'Content-Transfer-Encoding: base64',
      '',
      `${'A'.repeat(76)}\r\n`.repeat(1_300_000),
      '--B--',
    ].join('\r\n');
    servers.write({ answers: question(), raw: html });
    expect(await up()).toBe('idle: done');
    expect((await trail())[2]?.body.trim()).toBe('Blue & bright\n\n(Not passed on: photos.zip)');
  });

  it.each([
    ['koi8-r', '88nOyco=', 'Синий'],
    ['windows-1251', '0ejt6Ok=', 'Синий'],
    ['iso-2022-jp', 'GyRCQEQbKEI=', '青'],
    ['euc-jp', 'wMQ=', '青'],
    ['gb18030', 'x+A=', '青'],
    ['us-ascii', 'Qmx1ZQ==', 'Blue'],
    ['no-such-set', '6Z2S', '青'],
  ])('reads what is written in the character set %s', async (charset, bytes, text) => {
    await asked();
    const head = `Content-Type: text/plain; charset=${charset}\r\nContent-Transfer-Encoding: base64`;
    servers.write({ answers: question(), raw: `${head}\r\n\r\n${bytes}\r\n` });
    expect(await up()).toBe('idle: done');
    expect((await trail())[2]?.body.trim()).toBe(text);
  });

  it('takes nothing from a forged sender, a stranger, or a program, and nothing twice', async () => {
    await asked();
    const answers = question();
    servers.write({ answers, text: 'Red', top: 'X-Test: no results' });
    const results = 'Authentication-Results: evil.example; dmarc=pass header.from=example.com';
    servers.write({ answers, text: 'Red', top: results });
    const other = 'Authentication-Results: mx.example.com; dmarc=pass header.from=evil.example';
    servers.write({ answers, text: 'Red', top: other });
    const fails = 'Authentication-Results: mx.example.com; dmarc=fail header.from=example.com';
    const own = 'Authentication-Results: mx.example.com; dmarc=pass header.from=example.com';
    servers.write({ answers, text: 'Red', top: `${fails}\r\n${own}` });
    servers.write({ answers, text: 'Red', from: 'Eve <eve@example.com>' });
    servers.write({ answers, text: 'I am away', top: `${own}\r\nAuto-Submitted: auto-replied` });
    servers.write({ answers: '<unknown@example.com>', text: 'Red' });
    await up();
    expect(await types()).toEqual(['task', 'question']);
    expect(reasons().slice(1)).toEqual([
      'it is not certainly from ada@example.com: it has no Authentication-Results of mx.example.com',
      'it is not certainly from ada@example.com: it has no Authentication-Results of mx.example.com',
      'it is not certainly from ada@example.com: mx.example.com has not confirmed its sender by DMARC',
      'it is not certainly from ada@example.com: mx.example.com has not confirmed its sender by DMARC',
      'eve@example.com is not among the `people` of the channel',
      'it is not certainly from ada@example.com: a program sent it (auto-submitted: auto-replied)',
      'it answers a message that is not known here',
    ]);
    servers.write({ answers, text: 'Blue' });
    servers.write({ answers, text: 'Red' });
    await up();
    expect(await types()).toEqual(['task', 'question', 'answer', 'done']);
    expect((await trail())[2]?.body.trim()).toBe('Blue');
    expect(reasons().slice(-2)).toEqual([null, 'what was asked here is answered already']);
    const refused = servers.got().filter(({ text = '' }) => text.includes('Not accepted:'));
    expect(refused.map(({ subject }) => subject)).toEqual(['Not accepted', 'Not accepted']);
  });

  it('sends no question twice, although it was killed after the server had accepted it', async () => {
    await up();
    servers.write({ subject: 'Paint the shed', text: 'Please' });
    const child = project.start(['up'], env);
    const end = finished(child);
    servers.onSent = ({ text = '' }) => {
      if (text.includes('Which colour?')) child.kill('SIGKILL');
    };
    await end;
    servers.onSent = null;
    await up();
    expect(servers.got().filter(({ text = '' }) => text.includes('Which colour?'))).toHaveLength(1);
    servers.write({ answers: question(), text: 'Blue' });
    expect(await up()).toBe('idle: done');
  });

  it('keeps its mail while the server does not take it, and says so', async () => {
    await up();
    servers.write({ subject: 'Paint the shed', text: 'Please' });
    servers.refusal = { code: 451, text: 'try again later' };
    await up();
    const doctor = (await project.run(['doctor'], env)).stdout;
    expect(doctor).toMatch(
      /channel mail is down since \S+, and \d messages? waits? for it: mail cannot be sent: .*try again later/,
    );
  });
});
