import { signal } from '@preact/signals';
import { openStream } from './client.ts';
import { EventParser } from './sse.ts';

/** `live`: changes arrive. `lost`: the server is gone, and is asked again and again. */
type Connection = 'connecting' | 'live' | 'lost';

export const connection = signal<Connection>('connecting');

/** Milliseconds before the first and before each later attempt to connect again. */
const pauses = [250, 500, 1_000, 2_000, 5_000];
/** The server sends at least a comment every 15 s: longer silence means that it is gone. */
const silence = 40_000;

/** What has changed, as the stream names it; null: after a gap, it may be anything. */
export type Changed = 'mail' | 'run' | 'project' | 'workflow_changed' | 'artifact_changed' | null;

/** What the windows of a browser send each other. */
type Note =
  | { readonly is: 'changed'; readonly what: Changed; readonly id: string | null }
  | { readonly is: 'connection'; readonly now: Connection }
  /** A new window asks how the connection is. */
  | { readonly is: 'asked' }
  /** A person wants to connect at once. */
  | { readonly is: 'hurried' };

/** Of the channel of the windows, and of the lock of the one that reads the stream. */
const name = 'mailroom.events';

/**
 * Reports every change of the project while this window is shown, until the returned function is
 * called. A browser opens six connections to a server, so one window reads the stream and sends
 * the others its events; when it is closed or hidden, or crashes, the browser gives its lock to
 * another one. After a gap one change is reported, whatever was missed: documents are read again
 * as a whole.
 */
export function follow(changed: (what: Changed) => void): () => void {
  const over = new AbortController();
  void new Follower(changed).follow(over.signal);
  return () => over.abort();
}

class Follower {
  readonly #changed: (what: Changed) => void;
  readonly #windows = new BroadcastChannel(name);
  #isLeading = false;
  #lastEvent: string | null = null;

  constructor(changed: (what: Changed) => void) {
    this.#changed = changed;
    this.#windows.addEventListener('message', ({ data }) => this.#hear(data as Note));
    hurry = () => this.#tell({ is: 'hurried' });
  }

  async follow(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      if (document.hidden) {
        await until(() => !document.hidden, over);
        this.#changed(null);
      }
      const leaving = new AbortController();
      void until(() => document.hidden, over).then(() => leaving.abort());
      this.#tell({ is: 'asked' });
      try {
        await navigator.locks.request(name, { signal: leaving.signal }, () => this.#lead(leaving.signal));
      } catch (error) {
        // It has waited for the lock until it was hidden.
        if (!leaving.signal.aborted) throw error;
      }
    }
    this.#windows.close();
  }

  #tell(note: Note): void {
    // A channel has one origin.
    // eslint-disable-next-line unicorn/require-post-message-target-origin
    this.#windows.postMessage(note);
  }

  #hear(note: Note): void {
    if (note.is === 'connection') connection.value = note.now;
    else if (note.is === 'changed') {
      this.#lastEvent = note.id ?? this.#lastEvent;
      if (!document.hidden) this.#changed(note.what);
    } else if (!this.#isLeading) return;
    else if (note.is === 'asked') this.#tell({ is: 'connection', now: connection.value });
    else wake();
  }

  /** Reads the stream for all windows, and opens it again whenever it is lost. */
  async #lead(leaving: AbortSignal): Promise<void> {
    this.#isLeading = true;
    let attempt = -1;
    while (!leaving.aborted) {
      const wasLive = await this.#read(leaving);
      if (leaving.aborted) break;
      this.#connected('lost');
      attempt = wasLive ? 0 : attempt + 1;
      await pause(pauses[Math.min(attempt, pauses.length - 1)]!, leaving);
    }
    this.#isLeading = false;
  }

  /** Reads until the stream ends or the window leaves. Returns whether it was live. */
  async #read(leaving: AbortSignal): Promise<boolean> {
    const ending = new AbortController();
    const end = () => ending.abort();
    leaving.addEventListener('abort', end);
    let isLive = false;
    try {
      const response = await openStream(this.#lastEvent, ending.signal);
      isLive = true;
      this.#connected('live');
      this.#report(null, null);
      const parser = new EventParser();
      for await (const chunk of chunksOf(response, ending))
        for (const { event, id } of parser.push(chunk)) this.#report(event as Changed, id);
    } catch {
      // The connection is lost; a key that is refused ends the window's following.
    } finally {
      leaving.removeEventListener('abort', end);
      ending.abort();
    }
    return isLive;
  }

  #connected(now: Connection): void {
    connection.value = now;
    this.#tell({ is: 'connection', now });
  }

  #report(what: Changed, id: string | null): void {
    this.#lastEvent = id ?? this.#lastEvent;
    this.#tell({ is: 'changed', what, id });
    this.#changed(what);
  }
}

async function* chunksOf({ body }: Response, ending: AbortController): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const timer = setTimeout(() => ending.abort(), silence);
    const { done, value } = await reader.read().finally(() => clearTimeout(timer));
    if (done) return;
    yield value;
  }
}

/** Resolves when this holds after the window was shown or hidden, or when it is over. */
async function until(holds: () => boolean, over: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const look = () => {
      if (!over.aborted && !holds()) return;
      document.removeEventListener('visibilitychange', look);
      over.removeEventListener('abort', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    over.addEventListener('abort', look);
    look();
  });
}

let wake = (): void => undefined;
let hurry = (): void => undefined;

/** Connects at once instead of after the pause, whichever window it is that connects. */
export function reconnect(): void {
  wake();
  hurry();
}

async function pause(milliseconds: number, leaving: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
    leaving.addEventListener('abort', wake, { once: true });
  });
}
