import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Command } from '../../src/channels/command/command.ts';
import { ChannelError, type Incoming, type Post } from '../../src/channels/machine/contract.ts';
import { parseConfig } from '../../src/config/read.ts';
import { buildEnvironment } from '../../src/process/sandbox/environment.ts';
import { startLineProgram } from '../../src/process/supervision/line-program.ts';
import { NtfyDouble } from '../support/ntfy-double.ts';
import type { ServiceDouble } from '../support/service-double.ts';
import { SlackDouble } from '../support/slack-double.ts';
import { TelegramDouble } from '../support/telegram-double.ts';

/* Each program of docs/channels/ as it stands, with a double of its service. */

const page = readFileSync(new URL('../../docs/channels.md', import.meta.url), 'utf8');
const programs = new URL('../../docs/channels', import.meta.url);
const blocks = (section: string) =>
  [...section.matchAll(/^```\w+\n(?:#|\/\/) (\S+)\n([^]+?)^```$/gm)].map(
    ([, path = '', text = '']) => [path, text] as const,
  );

let folder = '';
let open: Following[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailroom-channel-'));
  cpSync(programs, join(folder, 'channels'), { recursive: true });
  mkdirSync(join(folder, 'state'));
});

afterEach(async () => {
  await Promise.all(open.map((each) => each.channel.close()));
  open = [];
  rmSync(folder, { recursive: true });
});

/** The program of a recipe, as the channel of its mailroom.yaml starts it. */
class Following {
  readonly channel: Command;
  readonly #arrived: Incoming[] = [];

  constructor(name: string, env: Readonly<Record<string, string>>) {
    const section = page.split(/^## /m).find((text) => text.startsWith(`${name}\n`)) ?? '';
    const yaml = new Map(blocks(section)).get('mailroom.yaml') ?? '';
    const config = parseConfig(yaml, 'mailroom.yaml');
    const settings = config.ok ? [...config.value.channels.values()][0] : undefined;
    if (settings?.kind !== 'command') throw new Error(`the mailroom.yaml of ${name} is wrong`);
    const set = { MAILROOM_CHANNEL: settings.name, MAILROOM_CHANNEL_FOLDER: join(folder, 'state') };
    const spec = {
      argv: settings.command,
      cwd: folder,
      env: buildEnvironment({ inherit: settings.env, set, from: { ...process.env, ...env } }),
      mark: `mailroom-channel-test:${folder}`,
      secrets: Object.values(env).filter((value) => value.includes('secret')),
      longestLine: 1_000_000,
      graceMs: 5_000,
    };
    this.channel = new Command((hooks) => startLineProgram(spec, hooks), Date.now);
    open.push(this);
  }

  /** What has come, once it is so much; it is confirmed. */
  async arrived(count: number): Promise<Incoming[]> {
    while (this.#arrived.length < count) {
      await vi.waitUntil(() => this.channel.hasNews, { timeout: 120_000 });
      const received = await this.channel.receive();
      if (received.unread.length > 0) throw new Error(received.unread[0]?.reason);
      this.#arrived.push(...received.incoming);
      this.channel.confirm(received);
    }
    return this.#arrived.splice(0);
  }
}

const post = (key: string, more: Partial<Post> = {}): Post => ({
  key,
  conversation: null,
  subject: 'Which colour?',
  text: '**Which colour?** <!channel> & more\n\n---\n\nAnswer with a reply.',
  delivery: null,
  to: ['ada'],
  ...more,
});

async function failure(act: Promise<unknown>): Promise<ChannelError> {
  const error: unknown = await act.catch((reason: unknown) => reason);
  if (error instanceof ChannelError) return error;
  throw new Error('it has not failed');
}

async function using<T extends ServiceDouble>(double: T, test: (double: T) => Promise<void>): Promise<void> {
  await double.listen();
  try {
    await test(double);
  } finally {
    await Promise.all(open.map((each) => each.channel.close()));
    await double.close();
  }
}

it('has a test for each program', () => {
  expect(readdirSync(programs).toSorted()).toEqual(['mailroom.mjs', 'ntfy.mjs', 'slack.mjs', 'telegram.mjs']);
});

describe('Telegram', () => {
  const start = (double: TelegramDouble, token = double.token) =>
    new Following('Telegram', {
      TELEGRAM_TOKEN: token,
      TELEGRAM_CHAT: '42',
      TELEGRAM_API: double.address,
    });

  it('asks, takes replies and tasks once, and leaves with Telegram what is not recorded', () =>
    using(new TelegramDouble(), async (double) => {
      double.say('Paint the shed\nGreen', 7);
      double.say('/start', 7);
      double.say('I am a robot', 8, { from: { id: 8, is_bot: true } });
      const first = start(double);
      const before = await first.channel.receive();
      expect(before.incoming).toMatchObject([
        { id: '42/101', kind: 'task', author: '7', subject: 'Paint the shed', conversation: '42/101' },
      ]);
      expect(double.unconfirmed).toBe(3);
      first.channel.confirm(before);
      await expect.poll(() => double.unconfirmed).toBe(0);
      const asked = await first.channel.send(post('k1', { conversation: '42/101' }));
      expect(double.sent).toMatchObject([{ chat: '42', answers: 101, text: post('k1').text }]);
      expect(asked).toEqual({ reference: '42/104', conversation: '42/101' });
      double.say('Blue', 7, { reply_to_message: { message_id: 104 } });
      expect(await first.arrived(1)).toMatchObject([{ kind: 'reply', answers: '42/104', text: 'Blue' }]);
    }));

  it('cuts what is too long in the middle, and says what Telegram says', () =>
    using(new TelegramDouble(), async (double) => {
      const { channel } = start(double);
      const text = `${'ü'.repeat(5_000)}\n\nAnswer with a reply.`;
      expect((await channel.send(post('k1', { text }))).conversation).toBe('42/101');
      expect(double.sent[0]?.text).toMatch(/^ü+ \[…\] ü+\n\nAnswer with a reply\.$/);
      double.trouble = { code: 429, description: 'Too Many Requests: retry after 30', retryAfter: 30 };
      const limited = await failure(channel.send(post('k2')));
      expect(limited.message).toBe('Telegram: Too Many Requests: retry after 30');
      expect(limited.retryAt).toBeGreaterThan(Date.now() + 20_000);
      double.trouble = { code: 403, description: 'Forbidden: bot was blocked by the user' };
      expect(await failure(channel.send(post('k2')))).toMatchObject({ refused: true });
    }));

  it('ends with the reason where another program reads, or the token is wrong', () =>
    using(new TelegramDouble(), async (double) => {
      const { channel } = start(double);
      await channel.receive();
      await expect.poll(() => double.isAsked).toBe(true);
      const other = fetch(`${double.address}/bot${double.token}/getUpdates`, {
        method: 'POST',
        body: JSON.stringify({ timeout: 25 }),
      });
      await expect.poll(() => channel.hasNews).toBe(true);
      const conflict = await failure(channel.receive());
      expect(conflict.message).toContain('exit code 1: Telegram: Conflict: terminated by other getUpdates');
      await channel.close();
      const wrong = await failure(start(double, '12:secret-wrong').channel.receive());
      expect(wrong.message).toBe('its program: it ended with exit code 1: Telegram: Unauthorized');
      other.catch(() => {});
    }));

  it('finishes what it is sending when Mailroom is gone, and finds it again', () =>
    using(new TelegramDouble(), async (double) => {
      const first = start(double);
      await first.channel.receive();
      // The host is gone as soon as the message has arrived.
      double.onSent = () => void first.channel.close();
      void first.channel.send(post('k1')).catch(() => {});
      await expect.poll(() => double.sent).toHaveLength(1);
      await first.channel.close();
      double.onSent = null;
      const second = start(double);
      expect(await second.channel.find(post('k1'), Date.now())).toEqual({
        reference: '42/101',
        conversation: '42/101',
      });
      expect(await second.channel.find(post('k2'), Date.now())).toBeNull();
    }));
});

describe('Slack', () => {
  const start = (double: SlackDouble) =>
    new Following('Slack', {
      SLACK_APP_TOKEN: 'xapp-secret',
      SLACK_BOT_TOKEN: 'xoxb-secret',
      SLACK_CHANNEL: double.channel,
      SLACK_API: double.address,
    });

  it('asks in a thread, takes its replies and mentions, and acknowledges what is recorded', () =>
    using(new SlackDouble(), async (double) => {
      const following = start(double);
      await following.channel.receive();
      double.event({ subtype: 'channel_join', user: 'U1', text: 'joined' });
      double.say('just talk', 'U1');
      const task = double.say('<@UBOT> Paint &lt;it&gt;', 'U1');
      expect(await following.arrived(1)).toMatchObject([
        { id: task, kind: 'task', author: 'U1', text: 'Paint <it>', conversation: task },
      ]);
      const asked = await following.channel.send(post('k1', { conversation: task }));
      expect(asked.conversation).toBe(task);
      const sent = double.messages.at(-1);
      expect(sent).toMatchObject({ thread: task, user: null });
      expect(sent?.text).toContain('&lt;!channel&gt; &amp; more');
      double.say('!approve 6a2715', 'U1', task);
      expect(await following.arrived(1)).toMatchObject([
        { kind: 'reply', conversation: task, answers: null, text: '/approve 6a2715' },
      ]);
      await expect.poll(() => double.acknowledged).toHaveLength(5);
    }));

  it('reads what came while nothing ran, and connects again when Slack asks for it', () =>
    using(new SlackDouble(), async (double) => {
      const first = start(double);
      await first.channel.receive();
      const { conversation } = await first.channel.send(post('k1'));
      await first.channel.close();
      double.say('Blue', 'U1', conversation);
      double.say('<@UBOT> And the door', 'U1');
      const second = start(double);
      const missed = (await second.channel.receive()).incoming;
      expect(missed.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
        'task: And the door',
        'reply: Blue',
      ]);
      const { connections } = double;
      double.refresh();
      await expect.poll(() => double.connections).toBe(connections + 1);
      double.say('Red', 'U1', conversation);
      expect((await second.arrived(3)).map(({ text }) => text)).toContain('Red');
    }));

  it('finds by its key what it sent before it was killed itself', () =>
    using(new SlackDouble(), async (double) => {
      const first = start(double);
      const since = Date.now();
      const { reference, conversation } = await first.channel.send(post('k1'));
      const inThread = await first.channel.send(post('k2', { conversation }));
      await first.channel.close();
      rmSync(join(folder, 'state'), { recursive: true });
      mkdirSync(join(folder, 'state'));
      const second = start(double);
      expect(await second.channel.find(post('k1'), since)).toEqual({ reference, conversation });
      expect(await second.channel.find(post('k2', { conversation }), since)).toEqual(inThread);
      expect(await second.channel.find(post('k3'), since)).toBeNull();
      double.limited = true;
      const limited = await failure(second.channel.send(post('k3')));
      expect(limited.message).toBe('Slack limits the rate');
      expect(limited.retryAt).toBeGreaterThan(Date.now() + 20_000);
    }));
});

describe('ntfy', () => {
  const start = (double: NtfyDouble, token = 'tk_secret') =>
    new Following('ntfy', {
      NTFY_TOPIC: 'shop',
      NTFY_REPLIES: 'shop-ada,shop-bob',
      NTFY_TOKEN: token,
      NTFY_SERVER: double.address,
    });

  it('publishes, and takes what is published to the topic of a person, also what was kept', () =>
    using(new NtfyDouble(), async (double) => {
      const first = start(double);
      await first.channel.receive();
      const { reference } = await first.channel.send(post('k1', { text: 'ü'.repeat(5_000) }));
      expect(double.messages).toMatchObject([{ id: reference, topic: 'shop', title: 'Which colour?' }]);
      await expect.poll(() => double.isFollowed).toBe(true);
      double.publish('shop-ada', '/answer 6a2715 Blue');
      expect(await first.arrived(1)).toMatchObject([
        { kind: 'reply', author: 'shop-ada', text: '/answer 6a2715 Blue', conversation: 'ntfy' },
      ]);
      double.cut();
      await expect.poll(() => double.isFollowed).toBe(true);
      await first.channel.close();
      double.publish('shop-bob', '/task Paint it\nGreen');
      const second = start(double);
      expect((await second.channel.receive()).incoming).toMatchObject([
        { kind: 'task', author: 'shop-bob', subject: 'Paint it', text: 'Paint it\nGreen' },
      ]);
    }));

  it('ends with the reason where it may not read', () =>
    using(new NtfyDouble(), async (double) => {
      const wrong = await failure(start(double, 'tk_secret_wrong').channel.receive());
      expect(wrong.message).toBe('its program: it ended with exit code 1: ntfy: forbidden');
    }));
});
