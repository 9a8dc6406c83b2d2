import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { parseConfig } from '../../src/config/read.ts';
import { notifyApprovers, notifyPerson } from '../../src/mail/controller/notify.ts';
import { appears } from '../support/appears.ts';

/*
 * Each recipe of docs/recipes/notifications.md as it stands, with a message of a hostile sender: against a local server, or
 * with a program of that name on PATH.
 */

const page = readFileSync(new URL('../../docs/recipes/notifications.md', import.meta.url), 'utf8');
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf('\n')), text] as const),
);

const subject = String.raw`@/etc/passwd"; touch pwned; $(touch pwned) ${'`touch pwned`'} '<!channel>' @everyone \ & -x ü`;
const message = {
  id: '01a1ffda-fcf8-7000-8000-00000015b3c2',
  type: 'question',
  from: 'qa',
  to: ['user'],
  thread: '01a1ffda-ecf4-7000-8000-0000003779b1',
  inReplyTo: null,
  subject,
  created: 0,
  work: null,
  attachments: [],
  fields: {},
  extra: {},
  body: '',
};

interface Request {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let folder = '';
let received: Request[] = [];
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    received.push({ url: request.url ?? '', headers: request.headers, body });
    response.end('{}');
  });
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => server.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailroom-recipe-'));
  received = [];
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** Puts a program on PATH that keeps its arguments, a line each, and its standard input. */
function fake(name: string): void {
  const keep = `printf '%s\\n' "$@" > said.tmp; cat >> said.tmp; mv said.tmp said`;
  put(`bin/${name}`, `#!/bin/sh\n${keep}\n`);
  chmodSync(join(folder, 'bin', name), 0o755);
  vi.stubEnv('PATH', `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`);
}

/** Notifies of the message as the recipe says. */
function follow(name: string, env: Readonly<Record<string, string>>): void {
  const section = sections.get(name) ?? '';
  const blocks = [...section.matchAll(/^```(\w+)\n(?:#|\/\/) (\S+)\n([^]+?)^```$/gm)];
  const files = new Map(blocks.map(([, , path = '', text = '']) => [path, text]));
  for (const [path, text] of files) put(path, text);
  for (const [key, value] of Object.entries(env)) vi.stubEnv(key, value);
  const config = parseConfig(files.get('mailroom.yaml') ?? '', 'mailroom.yaml');
  if (!config.ok) throw new Error(`the mailroom.yaml of ${name} is wrong`);
  // The recipe names every variable that it needs.
  expect(config.value.notify['user']?.env.toSorted()).toEqual(Object.keys(env).toSorted());
  notifyPerson(folder, config.value, 'user', message);
}

/** The subject is not a command. */
function expectNothingRun(): void {
  expect(existsSync(join(folder, 'pwned'))).toBe(false);
}

async function arrived(): Promise<Request> {
  await expect.poll(() => received.length).toBe(1);
  expectNothingRun();
  return received[0]!;
}

const here = () => `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;

async function said(): Promise<string> {
  await appears(join(folder, 'said'));
  expectNothingRun();
  return readFileSync(join(folder, 'said'), 'utf8');
}

it('has a test for each recipe', () => {
  expect([...sections.keys()]).toEqual([
    'Desktop',
    'E-mail',
    'More than a hundred services',
    'Slack',
    'Discord',
    'Telegram',
    'ntfy',
  ]);
});

it('shows a notification on the desktop', async () => {
  fake('notify-send');
  follow('Desktop', {});
  expect(await said()).toBe(`--app-name=Mailroom\n--\n${subject}\nquestion from qa\n`);
});

it('sends an e-mail', async () => {
  fake('sendmail');
  follow('E-mail', { MAIL_TO: 'ada@example.org' });
  const [options, text = ''] = (await said()).split(/(?<=-i\n)/);
  expect(options).toBe('-t\n-i\n');
  const [head, ...body] = text.split('\n\n');
  expect(head?.split('\n').slice(0, 2)).toEqual([
    'To: ada@example.org',
    'Subject: Mailroom: question from qa',
  ]);
  expect(body.join('\n\n')).toBe(`${subject}\n\nmailroom show ${message.id}\n`);
});

it('sends by Apprise, whose addresses are in no command line', async () => {
  fake('apprise');
  follow('More than a hundred services', { APPRISE_URLS: 'json://localhost/secret' });
  expect(await said()).toBe(
    `--input-format=text\n--title=question from qa\n${subject}\n\nmailroom show ${message.id}\n`,
  );
});

it('posts to Slack, and mentions no one', async () => {
  follow('Slack', { SLACK_WEBHOOK_URL: `${here()}/services/T0/B0/secret` });
  const { url, body } = await arrived();
  expect(url).toBe('/services/T0/B0/secret');
  const plain = subject.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  expect(JSON.parse(body)).toEqual({ text: `question from qa: ${plain}` });
});

it('posts to Discord, and mentions no one', async () => {
  follow('Discord', { DISCORD_WEBHOOK_URL: `${here()}/api/webhooks/1/secret` });
  const { body } = await arrived();
  expect(JSON.parse(body)).toEqual({
    content: `question from qa: ${subject}`,
    allowed_mentions: { parse: [] },
  });
});

it('sends by Telegram', async () => {
  follow('Telegram', { TELEGRAM_TOKEN: '12:ab', TELEGRAM_CHAT: '-42', TELEGRAM_API: here() });
  const { url, body } = await arrived();
  expect(url).toBe('/bot12:ab/sendMessage');
  expect([...new URLSearchParams(body)]).toEqual([
    ['chat_id', '-42'],
    ['text', `question from qa: ${subject}`],
  ]);
});

it.each([
  ['', undefined],
  ['tk_secret', 'Bearer tk_secret'],
])('publishes to ntfy with the token "%s"', async (token, authorization) => {
  follow('ntfy', { NTFY_URL: `${here()}/topic`, NTFY_TOKEN: token });
  const { url, headers, body } = await arrived();
  expect(url).toBe('/topic');
  expect(headers).toMatchObject({ title: 'Mailroom: question from qa' });
  expect(headers.authorization).toBe(authorization);
  expect(body).toBe(subject);
});

it('gives the variables that the page of the protocol lists', async () => {
  const protocol = readFileSync(new URL('../../docs/protocol.md', import.meta.url), 'utf8');
  const listed = [...protocol.matchAll(/^\| `(MAILROOM_\w+)` +\|/gm)].map(([, name = '']) => name);
  put('all.sh', 'env | grep ^MAILROOM_ > said.tmp; mv said.tmp "$MAILROOM_TYPE"\n');
  const config = { notify: { lead: { command: ['sh', 'all.sh'], env: [] } } };
  const given = async (type: string) => {
    await appears(join(folder, type));
    const lines = readFileSync(join(folder, type), 'utf8').trimEnd().split('\n');
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const),
    );
  };
  notifyPerson(folder, config, 'lead', message);
  const ofMessage = await given('question');
  expect(ofMessage).toEqual({
    MAILROOM_PROJECT: folder,
    MAILROOM_MESSAGE: message.id,
    MAILROOM_TO: 'lead',
    MAILROOM_TYPE: 'question',
    MAILROOM_FROM: 'qa',
    MAILROOM_SUBJECT: subject,
    MAILROOM_THREAD: message.thread,
  });
  const gate = {
    run: message.id,
    workflow: 'ship',
    path: 'ask',
    message: ` ${subject}\n`,
    approvers: ['lead'],
  };
  notifyApprovers(folder, config, gate);
  const ofGate = await given('gate');
  expect(ofGate).toEqual({
    MAILROOM_PROJECT: folder,
    MAILROOM_MESSAGE: message.id,
    MAILROOM_TO: 'lead',
    MAILROOM_TYPE: 'gate',
    MAILROOM_FROM: 'ship',
    MAILROOM_SUBJECT: subject,
    MAILROOM_GATE: 'ask',
  });
  expect(Object.keys({ ...ofMessage, ...ofGate }).toSorted()).toEqual(listed.toSorted());
});
