import type { IncomingMessage, ServerResponse } from 'node:http';
import { WebSocketServer, type WebSocket } from 'ws';
import { ServiceDouble } from './service-double.ts';

interface Message {
  readonly ts: string;
  readonly text: string;
  readonly thread: string | null;
  readonly user: string | null;
  readonly metadata: object | null;
}

/** The used part of Slack's Web API and of Socket Mode, with one channel. */
export class SlackDouble extends ServiceDouble {
  readonly channel = 'C1';
  readonly bot = 'UBOT';
  readonly messages: Message[] = [];
  readonly acknowledged: string[] = [];
  /** How the next message is answered, instead. */
  limited = false;
  onPosted: ((message: Message) => void) | null = null;
  #sockets = new Set<WebSocket>();
  readonly #hub = new WebSocketServer({ noServer: true });
  #last = 0;

  constructor() {
    super();
    this.server.on('upgrade', (request, socket, head) => {
      this.#hub.handleUpgrade(request, socket, head, (client) => this.#welcome(client));
    });
  }

  /** How often clients have connected. */
  connections = 0;

  say(text: string, user: string, thread: string | null = null): string {
    const ts = this.#time();
    this.messages.push({ ts, text, thread, user, metadata: null });
    this.#send({
      type: 'message',
      channel: this.channel,
      user,
      text,
      ts,
      ...(thread && { thread_ts: thread }),
    });
    return ts;
  }

  /** An event that is no message of a person, as Slack sends it. */
  event(event: object): void {
    this.#send({ type: 'message', channel: this.channel, ts: this.#time(), ...event });
  }

  /** Asks every client to connect again, as Slack does about each hour. */
  refresh(): void {
    for (const socket of this.#sockets)
      socket.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' }));
  }

  override async close(): Promise<void> {
    for (const socket of this.#sockets) socket.terminate();
    this.#hub.close();
    await super.close();
  }

  #time(): string {
    this.#last += 1;
    return `${String(Math.floor(Date.now() / 1_000) + 10)}.${String(this.#last).padStart(6, '0')}`;
  }

  #welcome(client: WebSocket): void {
    this.#sockets.add(client);
    this.connections += 1;
    client.on('close', () => this.#sockets.delete(client));
    client.on('message', (data: Buffer) => {
      this.acknowledged.push((JSON.parse(data.toString()) as { envelope_id: string }).envelope_id);
    });
    client.send(JSON.stringify({ type: 'hello', num_connections: 1 }));
  }

  #send(event: object): void {
    const envelope = { envelope_id: `e${String(this.#last)}`, type: 'events_api', payload: { event } };
    for (const socket of this.#sockets) socket.send(JSON.stringify(envelope));
  }

  protected answer({ url = '', headers }: IncomingMessage, body: string, response: ServerResponse): void {
    const method = url.slice(1);
    const token = method === 'apps.connections.open' ? 'xapp-secret' : 'xoxb-secret';
    const fail = (error: string) => this.json(response, 200, { ok: false, error });
    if (headers.authorization !== `Bearer ${token}`) return fail('invalid_auth');
    const asked = new URLSearchParams(body);
    switch (method) {
      case 'apps.connections.open':
        return this.json(response, 200, { ok: true, url: `ws://${this.host}/link` });
      case 'auth.test':
        return this.json(response, 200, { ok: true, user_id: this.bot });
      case 'chat.postMessage':
        return this.#post(asked, response);
      case 'conversations.history':
        return this.#list(
          asked,
          this.messages.filter(({ thread }) => thread === null),
          response,
        );
      case 'conversations.replies': {
        const ts = asked.get('ts');
        return this.#list(
          asked,
          this.messages.filter((each) => each.thread === ts || each.ts === ts),
          response,
        );
      }
      default:
        return fail('unknown_method');
    }
  }

  #post(asked: URLSearchParams, response: ServerResponse): void {
    if (this.limited) {
      this.limited = false;
      return this.json(response, 429, { ok: false, error: 'ratelimited' }, { 'retry-after': '30' });
    }
    if (asked.get('channel') !== this.channel)
      return this.json(response, 200, { ok: false, error: 'channel_not_found' });
    const metadata = JSON.parse(asked.get('metadata') ?? 'null') as object | null;
    const thread = asked.get('thread_ts');
    const made = { ts: this.#time(), text: asked.get('text') ?? '', thread, user: null, metadata };
    this.messages.push(made);
    this.onPosted?.(made);
    this.event({ bot_id: 'B1', text: made.text, ts: made.ts });
    this.json(response, 200, { ok: true, ts: made.ts, channel: this.channel });
  }

  /** Newest first in a channel, oldest first in a thread; metadata where they are asked for. */
  #list(asked: URLSearchParams, messages: readonly Message[], response: ServerResponse): void {
    const all = messages
      .filter(({ ts }) => Number(ts) > Number(asked.get('oldest') ?? 0))
      .map(({ ts, text, thread, user, metadata }) => ({
        type: 'message',
        ts,
        text,
        ...(thread !== null && { thread_ts: thread }),
        ...(user === null ? { bot_id: 'B1' } : { user }),
        ...(asked.get('include_all_metadata') === 'true' && metadata !== null && { metadata }),
      }));
    this.json(response, 200, { ok: true, messages: asked.has('ts') ? all : all.toReversed() });
  }
}
