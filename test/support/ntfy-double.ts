import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceDouble } from './service-double.ts';

interface Message {
  readonly id: string;
  readonly time: number;
  readonly event: 'message';
  readonly topic: string;
  readonly title?: string;
  readonly message: string;
}

/** The used part of ntfy: publishing as JSON, and the stream of topics with what has been kept. */
export class NtfyDouble extends ServiceDouble {
  readonly messages: Message[] = [];
  readonly asked: string[] = [];
  #streams = new Set<{ readonly topics: readonly string[]; readonly response: ServerResponse }>();
  #last = 0;

  publish(topic: string, message: string, title?: string): Message {
    this.#last += 1;
    const id = `id${String(this.#last).padStart(8, '0')}`;
    const time = Math.floor(Date.now() / 1_000) + 1;
    const made = { id, time, event: 'message' as const, topic, message, ...(title && { title }) };
    this.messages.push(made);
    for (const { topics, response } of this.#streams)
      if (topics.includes(topic)) response.write(`${JSON.stringify(made)}\n`);
    return made;
  }

  get isFollowed(): boolean {
    return this.#streams.size > 0;
  }

  /** Ends all streams, as a server does that is started again. */
  cut(): void {
    for (const { response } of this.#streams) response.end();
    this.#streams.clear();
  }

  protected answer({ url = '/', headers }: IncomingMessage, body: string, response: ServerResponse): void {
    this.asked.push(url);
    if (headers.authorization !== 'Bearer tk_secret')
      return this.json(response, 403, { code: 40301, http: 403, error: 'forbidden' });
    if (url === '/') {
      const { topic, title, message } = JSON.parse(body) as Record<string, string>;
      if (Buffer.byteLength(message ?? '') > 4_096)
        return this.json(response, 400, { code: 40026, http: 400, error: 'message too long' });
      return this.json(response, 200, this.publish(topic ?? '', message ?? '', title));
    }
    const { pathname, searchParams } = new URL(url, this.address);
    const topics = pathname.slice(1, -'/json'.length).split(',');
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    if (searchParams.get('poll') !== '1')
      response.write(`${JSON.stringify({ id: 'open', time: 0, event: 'open', topic: topics.join(',') })}\n`);
    const since = searchParams.get('since') ?? '';
    const from = this.messages.findIndex(({ id }) => id === since);
    const kept = this.messages.filter(
      ({ topic, time }, at) =>
        topics.includes(topic) && (from >= 0 ? at > from : time >= (Number(since) || 0)),
    );
    for (const each of kept) response.write(`${JSON.stringify(each)}\n`);
    if (searchParams.get('poll') === '1') return void response.end();
    const stream = { topics, response };
    this.#streams.add(stream);
    response.on('close', () => this.#streams.delete(stream));
  }
}
