import type { Topic } from '../../operations/api/services.ts';
import type { Desk } from './route.ts';

/** How often a quiet stream says that it is still there, in milliseconds. */
const heartbeat = 15_000;

interface Listener {
  /** What it has not heard of yet. Only the newest number of a topic counts. */
  readonly due: Map<Topic, number>;
  readonly wake: () => void;
}

/** The open event streams of a server. It watches the project only while there are any. */
export class Streams {
  readonly #desk: Desk;
  readonly #listeners = new Set<Listener>();
  #watch: ReturnType<Desk['api']['watch']> | null = null;
  #closed = false;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** The number of open streams. */
  get open(): number {
    return this.#listeners.size;
  }

  /**
   * What changes from now on, and first every topic at another number than in `last`, the id of the
   * last event that the client has received.
   */
  follow(last: string | null): Response {
    this.#watch ??= this.#desk.api.watch((topic, number) => this.#tell(topic, number));
    const due = new Map([...this.#watch.numbers()].filter(([topic, number]) => idOf(topic, number) !== last));
    const encoder = new TextEncoder();
    let wake = (): void => {};
    const listener: Listener = { due, wake: () => wake() };
    this.#listeners.add(listener);
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => stream.enqueue(encoder.encode('retry: 1000\n\n')),
      // Called only while the client reads: for a slow one, numbers replace each other in `due`.
      pull: async (stream) => {
        if (due.size === 0 && !this.#closed)
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, heartbeat);
            wake = () => {
              clearTimeout(timer);
              resolve();
            };
          });
        const text = [...due].map(([topic, number]) => eventOf(topic, number)).join('');
        due.clear();
        if (this.#closed) stream.close();
        else stream.enqueue(encoder.encode(text === '' ? ':\n\n' : text));
      },
      cancel: () => this.#leave(listener),
    });
    return new Response(body, {
      headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' },
    });
  }

  /** Ends all streams; a client that comes back misses nothing. */
  close(): void {
    this.#closed = true;
    for (const listener of this.#listeners) {
      listener.wake();
      this.#leave(listener);
    }
  }

  #tell(topic: Topic, number: number): void {
    for (const { due, wake } of this.#listeners) {
      due.set(topic, number);
      wake();
    }
  }

  #leave(listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    this.#watch?.close();
    this.#watch = null;
  }
}

function idOf(topic: Topic, number: number): string {
  return `${topic}:${String(number)}`;
}

function eventOf(topic: Topic, n: number): string {
  const event = topic.startsWith('run:') ? 'run' : topic;
  return `id: ${idOf(topic, n)}\nevent: ${event}\ndata: ${JSON.stringify({ topic, n })}\n\n`;
}
