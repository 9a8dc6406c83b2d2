import { setTimeout as wait } from 'node:timers/promises';
import { pause, type Backoff } from '../kernel/backoff.ts';
import { MailroomError, messageOf } from '../kernel/errors.ts';
import { startAlong } from '../process/supervision/along.ts';

const pauses: Backoff = { base: 1_000, factor: 2, cap: 60_000, jitter: false };

/** After so many milliseconds the next end is a first one. */
const good = 60_000;

/**
 * Serves the API of a project in another process, until `end` or the end of this one. Starts it
 * again where it ends before, after a pause that grows, as `say` hears. `port` null: the usual one.
 * Throws `E_REFUSED` where it does not start, and has said why.
 */
export async function serveBeside(
  root: string,
  port: string | null,
  say: (text: string) => void,
): Promise<{ readonly address: string; end(): Promise<void> }> {
  const start = (at: string | null) =>
    startAlong(['serve', '--while-input', ...(at === null ? [] : ['--port', at])], root);
  let server = await start(port);
  const address = server.line;
  if (address === null)
    throw new MailroomError(
      'E_REFUSED',
      'the page cannot be served',
      'start without `--serve`, or see above',
    );
  const same = /:(\d+)\//.exec(address)?.[1] ?? port;
  const stop = new AbortController();
  const { signal } = stop;
  const keep = async (): Promise<void> => {
    let failures = 0;
    while (!signal.aborted) {
      const begun = performance.now();
      const how = await server.over;
      failures = performance.now() - begun > good ? 1 : failures + 1;
      await wait(pause(pauses, failures, ''), undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      say(`the process of the page ended (${how}), and starts again`);
      server = await start(same);
      if (signal.aborted) await server.end();
      else if (server.line !== null) say('the page is served again');
    }
  };
  // The mail is not stopped by a page that cannot be started again.
  const kept = keep().catch((error: unknown) => say(`the page is not served any more: ${messageOf(error)}`));
  return {
    address,
    end: async () => {
      stop.abort();
      await server.end();
      await kept;
    },
  };
}
