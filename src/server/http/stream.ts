import type { Topic } from '../../project/api.ts';
import { Refusal } from './problem.ts';
import type { Asked, HttpServices } from './route.ts';

/** What a stream needs of its request. */
export type StreamRequest = Pick<Asked<unknown, unknown, unknown>, 'key' | 'headers' | 'signal'>;

/** How often a quiet stream says that it is still there, in milliseconds. */
const heartbeat = 15_000;

/** What it says then: a comment. */
export const heartbeatText = ':\n\n';

/**
 * Wakes one that waits, at the latest when a heartbeat is due. It keeps no program running: the
 * client may have left meanwhile.
 */
export class Alarm {
  #wake = (): void => {};

  ring(): void {
    this.#wake();
  }

  wait(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, heartbeat).unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

interface Source {
  /** The text of the next events; null: the stream ends. Called only while the client reads. */
  readonly next: () => Promise<string | null>;
  readonly cancel: () => void;
}

/** A stream of server-sent events, which ends with its request. */
export function streamOf({ next, cancel }: Source, signal: AbortSignal): Response {
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (stream) => stream.enqueue(encoder.encode('retry: 1000\n\n')),
    pull: async (stream) => {
      const text = await next();
      if (text !== null) return stream.enqueue(encoder.encode(text));
      cancel();
      stream.close();
    },
    cancel,
  });
  return new Response(body, {
    headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' },
  });
}

/** Streams that one key may have open at once: those of the tabs of a person, and some programs. */
const mostStreams = 64;

/** A topic is at this number now; null: all streams end. */
type Listener = (topic: Topic | null, number: number) => void;

/** The open event streams of a server. It watches the project only while there are any. */
export class Streams {
  readonly #services: HttpServices;
  /** With the names of their keys. */
  readonly #listeners = new Map<Listener, string>();
  #watch: ReturnType<HttpServices['api']['watch']> | null = null;
  #closed = false;

  constructor(services: HttpServices) {
    this.#services = services;
  }

  /** The number of open streams. */
  get open(): number {
    return this.#listeners.size;
  }

  /** Whether all streams end. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /**
   * Calls back with each topic that changes and its number, and with null when all streams end,
   * until the returned function is called. Throws a refusal where the key has too many streams.
   */
  subscribe(key: string, listener: Listener): () => void {
    const own = [...this.#listeners.values()].filter((name) => name === key);
    if (own.length >= mostStreams)
      throw new Refusal(429, 'E_REFUSED', `the key of ${key} has ${String(mostStreams)} event streams open`, {
        hint: 'close one of them',
        headers: { 'Retry-After': '5' },
      });
    this.#listeners.set(listener, key);
    this.#watching();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#watch?.close();
      this.#watch = null;
    };
  }

  #watching(): ReturnType<HttpServices['api']['watch']> {
    this.#watch ??= this.#services.api.watch((topic, number) => this.#notify(topic, number));
    return this.#watch;
  }

  /**
   * What changes from now on, and first every topic at another number than in `last`, the id of the
   * last event that the client has received.
   */
  follow({ key, headers, signal }: StreamRequest): Response {
    const last = headers.get('last-event-id');
    const alarm = new Alarm();
    // For a slow client only the newest number of a topic counts.
    const due = new Map<Topic, number>();
    const leave = this.subscribe(key.name, (topic, number) => {
      if (topic !== null) due.set(topic, number);
      alarm.ring();
    });
    for (const [topic, number] of this.#watching().numbers())
      if (idOf(topic, number) !== last) due.set(topic, number);
    const source = {
      next: async () => {
        if (due.size === 0 && !this.#closed) await alarm.wait();
        if (this.#closed) return null;
        const text = [...due].map(([topic, number]) => eventOf(topic, number)).join('');
        due.clear();
        return text === '' ? heartbeatText : text;
      },
      cancel: leave,
    };
    return streamOf(source, signal);
  }

  /** Ends all streams; a client that comes back misses nothing. */
  close(): void {
    this.#closed = true;
    for (const listener of this.#listeners.keys()) listener(null, 0);
    this.#listeners.clear();
    this.#watch?.close();
    this.#watch = null;
  }

  #notify(topic: Topic, number: number): void {
    for (const listener of this.#listeners.keys()) listener(topic, number);
  }
}

function idOf(topic: Topic, number: number): string {
  return `${topic}:${String(number)}`;
}

/** The names of events that are not those of their topics. */
const eventNames: Readonly<Record<string, string>> = {
  workflows: 'workflow_changed',
  artifacts: 'artifact_changed',
};

function eventOf(topic: Topic, n: number): string {
  const event = topic.startsWith('run:') ? 'run' : (eventNames[topic] ?? topic);
  return `id: ${idOf(topic, n)}\nevent: ${event}\ndata: ${JSON.stringify({ topic, n })}\n\n`;
}
