import { createServer, type Server, type ServerOptions } from 'node:http';
import type { ListenOptions } from 'node:net';
import process from 'node:process';
import { makeApp } from './app.ts';
import { listener } from './listener.ts';
import type { HttpServices, AddedRoutes } from './route.ts';
import { portError } from './port.ts';
import { allRoutes } from './routes/all.ts';
import { Streams } from './stream.ts';

/** A server that answers. */
export interface Served {
  readonly port: number;
  /** The absolute path of its Unix socket; null: it has none. */
  readonly socket: string | null;
  /** Ends the open streams and the server; what was begun is answered. */
  close(): Promise<void>;
}

/** Milliseconds for a request to arrive, and for which open answers delay the end. */
const patience = 10_000;
const grace = 1_000;

const limits: ServerOptions = {
  requestTimeout: patience,
  headersTimeout: patience,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
};

/**
 * Listens on the loopback interface and on the project's Unix socket. `added`: the operations of
 * extensions. `port` 0: any free one. Throws `E_PORT`. `complain`
 * receives failures that are bugs.
 */
export async function listen(
  services: HttpServices,
  added: AddedRoutes,
  port: number,
  complain: (error: unknown) => void,
): Promise<Served> {
  const streams = new Streams(services);
  const app = makeApp(
    services,
    allRoutes(streams, await added({ openStreams: () => streams.open })),
    complain,
  );
  const answer = listener((request) => app.fetch(request));
  const servers: Server[] = [];
  const listenAt = async (at: ListenOptions) => {
    const server = createServer(limits, answer);
    await listening(server, at);
    servers.push(server);
    return server.address() ?? '';
  };
  const close = async () => {
    streams.close();
    await Promise.all(servers.map(ended));
    await services.api.close();
  };
  try {
    const first = await listenAt({ port, host: '127.0.0.1' });
    const actual = typeof first === 'string' ? port : first.port;
    await listenAt({ port: actual, host: '::1', ipv6Only: true }).catch(unlessMissing);
    const { socket } = services.api;
    if (socket !== null) await privately(() => listenAt({ path: socket }));
    return { port: actual, socket, close };
  } catch (error) {
    await close();
    throw portError(port, error);
  }
}

function listening(server: Server, at: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** The socket is made while this runs, before anything else does. */
function privately<T>(act: () => Promise<T>): Promise<T> {
  const before = process.umask(0o177);
  try {
    return act();
  } finally {
    process.umask(before);
  }
}

/** A machine without IPv6. */
function unlessMissing(error: NodeJS.ErrnoException): string {
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT') return '';
  throw error;
}

async function ended(server: Server): Promise<void> {
  const over = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), grace);
  await over;
  clearTimeout(timer);
}
