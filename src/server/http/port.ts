import { createServer } from 'node:net';
import { MailroomError } from '../../kernel/errors.ts';

const defaultPort = 6246;

/** The port that a person names; absent: the usual one. 0: any free one. Throws `E_USAGE`. */
export function portOf(text: string | undefined): number {
  if (text === undefined) return defaultPort;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new MailroomError('E_USAGE', `\`${text}\` is not a port`, 'a number from 0 to 65535');
}

/** Throws `E_PORT` where something listens on this port of the loopback interface. */
export async function refuseTakenPort(port: number): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host: '127.0.0.1' }, resolve);
    });
  } catch (error) {
    throw portError(port, error);
  } finally {
    server.close();
  }
}

/** `E_PORT` where an error says that a port cannot be had; any other error unchanged. */
export function portError(port: number, error: unknown): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (!['EADDRINUSE', 'EACCES'].includes(code)) return error;
  return new MailroomError(
    'E_PORT',
    `port ${String(port)} ${code === 'EACCES' ? 'is not open to this user' : 'is in use'}`,
    'stop what listens there, or choose another with --port N; 0 takes any free one',
  );
}
