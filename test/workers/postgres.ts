import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { freePort, ServerProcess, type TestServer } from './servers.ts';

/** PostgreSQL refuses to run as root. `nobody` and its group, as Linux has them. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const asNobody = ['--reuid', String(nobody), '--regid', String(nobody), '--clear-groups', '--'];

/** `programs`: the folder of initdb and postgres. */
export async function openPostgres(programs: string, given?: number): Promise<TestServer> {
  // Every user can reach what lies there.
  const folder = mkdtempSync(join(isRoot ? '/tmp' : tmpdir(), 'mailroom-postgres-'));
  if (isRoot) chownSync(folder, nobody, nobody);
  const command = (name: string, args: readonly string[]): [string, string[]] =>
    isRoot ? ['setpriv', [...asNobody, join(programs, name), ...args]] : [join(programs, name), [...args]];
  const port = given ?? (await freePort());
  const login = ['--auth', 'trust', '--username', 'mailroom'];
  execFileSync(...command('initdb', ['--no-sync', ...login, '--pgdata', folder]), {
    cwd: '/',
    stdio: 'pipe',
  });
  const server = new ServerProcess();
  const args = ['-D', folder, '-p', String(port), '-h', '127.0.0.1', '-k', ''];
  // The processes of one that was killed take a moment to end, and hold its memory until then.
  const start = async (tries = 50): Promise<void> => {
    try {
      await server.start(...command('postgres', args), 'ready to accept connections');
    } catch (error) {
      if (tries === 0 || !String(error).includes('is still in use')) throw error;
      await start(tries - 1);
    }
  };
  await start();
  return {
    port,
    url: `postgres://mailroom@127.0.0.1:${String(port)}/postgres`,
    start: () => start(),
    kill: () => server.kill(),
    close: async () => {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
