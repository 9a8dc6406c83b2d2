import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const names = ['redis-server', 'valkey-server'];

/** The program of a Redis server; null: there is none. Throws where `REQUIRE_WORKERS` is 1. */
export function findRedis(): string | null {
  const { PATH = '', REQUIRE_WORKERS } = process.env;
  const places = PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  const found = places.find(isProgram) ?? null;
  if (found === null && REQUIRE_WORKERS === '1')
    throw new Error(`there is no Redis: install ${names.join(' or ')}`);
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

/** A Redis server of its own, on a free port of the loopback interface. */
export class TestRedis {
  readonly #program: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'mailroom-redis-'));
  readonly port: number;
  #server: ChildProcess | null = null;

  private constructor(program: string, port: number) {
    this.#program = program;
    this.port = port;
  }

  static async open(program: string): Promise<TestRedis> {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    probe.close();
    await once(probe, 'close');
    const redis = new TestRedis(program, port);
    await redis.start();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${String(this.port)}`;
  }

  /** Starts it with what it has kept. */
  async start(): Promise<void> {
    const kept = ['--dir', this.#folder, '--save', '', '--appendonly', 'yes', '--appendfsync', 'always'];
    const args = ['--bind', '127.0.0.1', '--port', String(this.port), ...kept];
    const server = spawn(this.#program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#server = server;
    let printed = '';
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.once('exit', () => reject(new Error(printed)));
      server.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
        if (printed.includes('Ready to accept connections')) resolve();
      });
    });
  }

  async kill(): Promise<void> {
    const server = this.#server;
    if (server === null || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
