import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { chmodSync, existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { appears } from '../support/appears.ts';
import { finished, said, TestProject } from '../support/project.ts';
import { Server } from '../support/server.ts';
import { team } from '../cli/team.ts';

const projects: TestProject[] = [];
const servers: Server[] = [];

function newProject(): TestProject {
  const made = new TestProject({ 'protocols/team.yaml': team, 'mailroom.yaml': 'trail: off\n' });
  projects.push(made);
  return made;
}

async function serving(of: TestProject): Promise<Server> {
  const server = await Server.start(of);
  servers.push(server);
  return server;
}

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  for (const each of projects.splice(0)) each.remove();
});

describe('mailroom serve', () => {
  it('answers on IPv4, IPv6 and its socket, with keys that only their owner can read', async () => {
    const made = newProject();
    const server = await serving(made);
    const told = (await (await server.get('/api/v1/session')).json()) as { project: string };
    expect(told.project).toBe(made.root);
    const six = await fetch(`http://[::1]:${String(server.port)}/api/v1/session`, {
      headers: { authorization: `Bearer ${server.key}` },
    });
    expect(six.status).toBe(200);
    const socketPath = join(made.root, '.mailroom/api/sock');
    const status = await new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${server.key}`, host: 'localhost' };
      request({ socketPath, path: '/api/v1/status', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(200);
    const mode = (path: string) => lstatSync(join(made.root, path)).mode & 0o777;
    expect(mode('.mailroom/api/keys.json')).toBe(0o600);
    expect(mode('.mailroom/api/sock')).toBe(0o600);
    expect(mode('.mailroom/api')).toBe(0o700);
    const commandLine = readFileSync(`/proc/${String(server.child.pid)}/cmdline`, 'utf8');
    expect(commandLine).not.toContain(server.key);
  });

  it('refuses headers that are too long, and a request that does not arrive', async () => {
    const server = await serving(newProject());
    const long = await server.get('/api/v1/status', { 'x-long': 'x'.repeat(20_000) });
    expect(long.status).toBe(431);
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
    expect((await server.get('/api/v1/status')).status).toBe(200);
  });

  it('reports the records of a controller, and ends although the stream is open', async () => {
    const made = newProject();
    const server = await serving(made);
    const stream = await server.get('/api/v1/events');
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    let heard = '';
    const until = async (pattern: RegExp) => {
      while (!pattern.test(heard)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`the stream ended with ${heard}`);
        heard += value;
      }
    };
    await until(/id: mail:0\n/);
    const up = await made.run(['up', '--until-idle']);
    expect(up.code).toBe(0);
    await until(/id: mail:[1-9]\d*\nevent: mail\n/);
    const past = (await (await server.get('/api/v1/status?at=1')).json()) as object;
    expect(past).toMatchObject({ at: { record: 1 } });
    expect((await server.get('/api/v1/status?at=100000')).status).toBe(404);
    expect((await server.get('/api/v1/status?at=soon')).status).toBe(422);
    const { code, stderr } = await server.stop();
    servers.pop();
    expect([code, stderr]).toEqual([0, '']);
  });

  it('is the only one of its project, names a port in use, and starts in no turn', async () => {
    const made = newProject();
    const server = await serving(made);
    const second = await made.run(['serve', '--port', '0']);
    expect([second.code, second.stderr]).toEqual([
      1,
      expect.stringMatching(/^error E_LOCKED: process \d+ on \S+ serves this project already\nhint: open/),
    ]);
    const other = newProject();
    const taken = await other.run(['serve', '--port', String(server.port)]);
    expect([taken.code, taken.stderr]).toEqual([
      2,
      expect.stringContaining(`E_PORT: port ${String(server.port)} is in use\nhint: stop what listens there`),
    ]);
    const inside = await other.run(['serve'], { MAILROOM_TURN: 't1', MAILROOM_ROLE: 'qa' });
    expect([inside.code, inside.stderr]).toEqual([1, expect.stringContaining('E_INSIDE_TURN')]);
    const next = await Server.start(other);
    expect((await next.stop()).code).toBe(0);
  });

  it('opens the page without showing the key to other processes', async () => {
    const made = newProject();
    made.write('bin/xdg-open', '#!/bin/sh\necho "$@" > opened; cat "$1" >> opened; mv opened done\n');
    chmodSync(join(made.root, 'bin/xdg-open'), 0o755);
    const path = `${join(made.root, 'bin')}:${process.env['PATH'] ?? ''}`;
    const server = await Server.start(made, { PATH: path }, ['--open']);
    servers.push(server);
    await appears(join(made.root, 'done'));
    const [argument, page] = made.read('done').split('\n');
    expect(argument).toBe(join(made.root, '.mailroom/api/open.html'));
    expect(page).toContain(`http://127.0.0.1:${String(server.port)}/#key=${server.key}`);
    expect(lstatSync(argument ?? '').mode & 0o777).toBe(0o600);
  });

  it('starts again after it was killed, with the same key', async () => {
    const made = newProject();
    const first = await Server.start(made);
    first.child.kill('SIGKILL');
    await first.ended;
    const second = await serving(made);
    expect(second.key).toBe(first.key);
    expect((await second.get('/api/v1/status')).status).toBe(200);
  });
});

describe('mailroom up --serve', () => {
  it('serves in a process of its own, which ends with it, also when it is killed', async () => {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const made = newProject();
      const up = made.start(['up', '--serve', '--port', '0', '--plain']);
      const ended = finished(up);
      const heardOf = await new Promise<string>((resolve) => {
        let heard = '';
        up.stderr?.on('data', (chunk: Buffer) => {
          heard += chunk.toString();
          if (heard.includes('page: ')) resolve(heard);
        });
      });
      expect(heardOf).toMatch(
        /^page: http:\/\/127\.0\.0\.1:\d+\/; its key is in \.mailroom\/api\/keys\.json\n/m,
      );
      const { keys } = JSON.parse(made.read('.mailroom/api/keys.json')) as { keys: { key: string }[] };
      const headers = { authorization: `Bearer ${keys[0]?.key ?? ''}` };
      const [, address = ''] = /(http:\S+)\/;/.exec(heardOf) ?? [];
      expect((await fetch(`${address}/api/v1/status`, { headers })).status).toBe(200);
      up.kill(signal);
      await ended;
      const isThere = () =>
        fetch(address).then(
          () => true,
          () => false,
        );
      await expect.poll(isThere).toBe(false);
      const next = await Server.start(made);
      expect((await next.stop()).code).toBe(0);
    }
    const taken = newProject();
    await serving(taken);
    const refused = await finished(taken.start(['up', '--serve', '--port', '0', '--until-idle']));
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('serves this project already'),
    ]);
    const alone = await taken.run(['up', '--port', '0']);
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('`--port` needs `--serve`')]);
  });

  it('starts the page again at its address when that process is killed, and says so', async () => {
    const made = newProject();
    const up = made.start(['up', '--serve', '--port', '0', '--plain']);
    const ended = finished(up);
    await said(up, 'roles');
    const holder = () => JSON.parse(made.read('.mailroom/api/lock.json')) as { pid: number };
    const again = said(up, 'the page is served again');
    process.kill(holder().pid, 'SIGKILL');
    await again;
    up.kill('SIGTERM');
    const { stdout, stderr } = await ended;
    expect(stdout).toContain('the process of the page ended (SIGKILL), and starts again\n');
    const [, address = ''] = /page: (http:\S+)\/;/.exec(stderr) ?? [];
    expect(address).not.toBe('');
    expect(stderr).not.toContain('error');
  });

  it('is refused where its port is in use, before anything starts', async () => {
    const server = await serving(newProject());
    const other = newProject();
    const { code, stderr } = await other.run(['up', '--serve', '--port', String(server.port)]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error E_PORT: port \d+ is in use\nhint: stop what listens there, .*--port N/);
    expect(existsSync(join(other.root, '.mailroom/journal'))).toBe(false);
  });
});
