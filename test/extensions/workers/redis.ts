import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, ServerProcess, type TestServer } from './servers.ts';

/** `programs`: the folder of redis-server; `more`: options that replace or add to the usual ones. */
export async function openRedis(
  programs: string,
  given?: number,
  host = '127.0.0.1',
  more: readonly string[] = [],
): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'mailroom-redis-'));
  const port = given ?? (await freePort());
  const server = new ServerProcess();
  const kept = ['--dir', folder, '--save', '', '--appendonly', 'yes', '--appendfsync', 'always'];
  const args = ['--bind', host, '--port', String(port), '--protected-mode', 'no', ...kept, ...more];
  const start = () => server.start(join(programs, 'redis-server'), args, 'Ready to accept connections');
  await start();
  return {
    port,
    url: `redis://${host}:${String(port)}`,
    start,
    kill: () => server.kill(),
    close: async () => {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
