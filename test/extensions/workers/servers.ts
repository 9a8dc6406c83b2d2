import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { openRedis } from './redis.ts';

/** A server of its own, with a queue in it, on a free port of the loopback interface. */
export interface TestServer {
  readonly port: number;
  readonly url: string;
  /** Starts it with what it has kept. */
  start(): Promise<void>;
  kill(): Promise<void>;
  close(): Promise<void>;
}

const lacks = 'there is no redis-server: install it';

export const redisEngine = {
  /** Why its tests are skipped where its program is missing. */
  lacks,
  /** The folder of its program; null: there is none. Throws where `REQUIRE_WORKERS` is 1. */
  folder: find('redis-server'),
  open: openRedis,
};

function find(program: string): string | null {
  const { PATH = '', REQUIRE_WORKERS } = process.env;
  const found = PATH.split(delimiter).find((folder) => isProgram(join(folder, program))) ?? null;
  if (found === null && REQUIRE_WORKERS === '1') throw new Error(lacks);
  return found;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** A program that serves, and can be killed. */
export class ServerProcess {
  #server: ChildProcess | null = null;

  /** Resolves once it has printed that it is ready. */
  async start(command: string, args: readonly string[], ready: string): Promise<void> {
    const server = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#server = server;
    let printed = '';
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.once('exit', () => reject(new Error(printed)));
      const read = (chunk: Buffer) => {
        printed += chunk.toString();
        if (printed.includes(ready)) resolve();
      };
      server.stdout.on('data', read);
      server.stderr.on('data', read);
    });
  }

  async kill(): Promise<void> {
    const server = this.#server;
    if (server === null || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  }
}
