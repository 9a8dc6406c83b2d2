import { MailroomError } from '../kernel/errors.ts';
import { startAlong, type Along } from '../process/supervision/along.ts';

/**
 * Serves the API of a project in another process, until `end` or the end of this one. `port` null:
 * the usual one. Throws `E_REFUSED` where it does not start, and has said why.
 */
export async function serveBeside(
  root: string,
  port: string | null,
): Promise<{ readonly address: string; end(): Promise<void> }> {
  const args = ['serve', '--while-input', ...(port === null ? [] : ['--port', port])];
  const server: Along = await startAlong(args, root);
  if (server.line !== null) return { address: server.line, end: () => server.end() };
  throw new MailroomError('E_REFUSED', 'the page cannot be served', 'start without `--serve`, or see above');
}
