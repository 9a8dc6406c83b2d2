import type { Readable } from 'node:stream';

/**
 * Resolves when all of these streams are closed. After `ms` milliseconds it closes those that are
 * still open, so that it always resolves.
 */
export async function settledWithin(streams: readonly (Readable | null)[], ms: number): Promise<void> {
  const open = streams.flatMap((stream) => (stream?.closed === false ? [stream] : []));
  if (open.length === 0) return;
  const closed = open.map(
    (stream) =>
      new Promise<void>((resolve) => {
        stream.once('close', resolve);
        stream.once('error', () => {});
      }),
  );
  const timer = setTimeout(() => {
    // After this process itself was held up, timers run before what lies in the pipes is read.
    setImmediate(() => {
      for (const stream of open) stream.destroy();
    });
  }, ms);
  await Promise.all(closed);
  clearTimeout(timer);
}
