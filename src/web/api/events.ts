import { signal } from '@preact/signals';
import { key } from '../state/session.ts';
import { openStream, Problem } from './client.ts';
import { EventParser } from './sse.ts';

/** `live`: changes arrive. `lost`: the server is gone; `retryAt` says when it is asked again. */
export const connection = signal<'connecting' | 'live' | 'lost'>('connecting');

/** Milliseconds before the first and before each later attempt to connect again. */
const pauses = [250, 500, 1_000, 2_000, 5_000];
/** The server sends at least a comment every 15 s: longer silence means that it is gone. */
const silence = 40_000;

/** What has changed, as the stream names it; null: after a gap, it may be anything. */
export type Changed = 'mail' | 'run' | 'project' | 'workflow_changed' | 'artifact_changed' | null;

/**
 * Reports every change of the project as long as the page has this key and is shown: a browser
 * opens six connections to a server, and pages in other tabs would use them up. After a gap it
 * reports one change, whatever was missed: documents are read again as a whole.
 */
export async function follow(changed: (what: Changed) => void): Promise<void> {
  let lastEvent: string | null = null;
  let attempt = 0;
  const own = key.peek();
  if (own === null) return;
  while (key.peek() === own) {
    await shown();
    const ending = new AbortController();
    const hide = () => document.hidden && ending.abort();
    document.addEventListener('visibilitychange', hide);
    try {
      const response = await openStream(lastEvent, ending.signal);
      connection.value = 'live';
      attempt = 0;
      changed(null);
      const parser = new EventParser();
      for await (const chunk of chunksOf(response, ending)) {
        const events = parser.push(chunk);
        lastEvent = events.findLast(({ id }) => id !== null)?.id ?? lastEvent;
        for (const { event } of events) changed(event as Changed);
      }
    } catch (error) {
      // Anything else than a lost connection would fail in the same way again.
      if (error instanceof Problem && error.status === 401) return;
    } finally {
      document.removeEventListener('visibilitychange', hide);
      ending.abort();
    }
    if (document.hidden) continue;
    connection.value = 'lost';
    await pause(pauses[Math.min(attempt, pauses.length - 1)]!);
    attempt += 1;
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

async function shown(): Promise<void> {
  if (!document.hidden) return;
  await new Promise<void>((resolve) => {
    document.addEventListener('visibilitychange', () => resolve(), { once: true });
  });
}

let wake = (): void => undefined;

/** Connects at once instead of after the pause. */
export function reconnect(): void {
  wake();
}

async function pause(milliseconds: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}
