import { afterEach, expect, it } from 'vitest';
import { probeContainment } from '../../src/process/sandbox/containment.ts';
import { ImpostorProject } from '../support/impostor.ts';
import { program } from '../support/project.ts';
import { Server } from '../support/server.ts';

const { bubblewrap } = await probeContainment();

let project: ImpostorProject;
let server: Server;

afterEach(async () => {
  await server.stop();
  project.remove();
});

const team = `
name: one
version: "1"
roles:
  maker: { provider: claude, capabilities: [READ, EDIT, RUN_COMMANDS], retries: 0 }
  alone: { provider: claude, capabilities: [READ, EDIT, RUN_COMMANDS], retries: 0, network: false }
messages:
  task: { from: user, to: [maker, alone] }
  done: { from: [maker, alone], to: user, closes: true }
start: { type: task, to: maker }
`;

const gated = `
name: gated
version: "1"
timeout: 5m
steps: { ask: { gate: { message: Publish? } } }
`;

/** An agent that wants to approve a gate, and reports how far each way leads. */
const attacker = `
  const { connect } = await import('node:net');
  const { spawn } = await import('node:child_process');
  const [port, run, program] = fs.readFileSync(project + '/target', 'utf8').trim().split(' ');
  const api = project + '/.mailroom/api';
  const socket = (path) => new Promise((resolve) => {
    const made = connect(path, () => { made.destroy(); resolve('connected'); });
    made.on('error', (error) => resolve(error.code));
  });
  const asked = (path, method, headers) =>
    fetch('http://127.0.0.1:' + port + path, { method, headers, ...(method === 'POST' && { body: '{}' }) })
      .then(({ status }) => String(status), (error) => error.cause?.code ?? String(error));
  const gate = '/api/v1/workflow-runs/' + run + '/gates/ask/approve';
  const json = { 'content-type': 'application/json' };
  const seen = {
    files: attempt(() => { const found = fs.readdirSync(api); if (found.length > 0) throw new Error(found.join()); }),
    key: attempt(() => fs.readFileSync(api + '/keys.json')),
    write: attempt(() => fs.writeFileSync(api + '/keys.json', JSON.stringify({ keys: [{ name: 'user', access: 'write', key: 'a'.repeat(43) }] }))),
    socket: await socket(api + '/sock'),
    session: await asked('/api/v1/session', 'GET', {}),
    approve: await asked(gate, 'POST', json),
    guessed: await asked(gate, 'POST', { ...json, authorization: 'Bearer ' + 'a'.repeat(43) }),
    metrics: await asked('/metrics', 'GET', {}),
    processes: fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).filter((pid) => {
      try { return fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8').includes('serve'); } catch { return false; }
    }).length,
    server: await new Promise((resolve) => {
      const started = spawn(process.execPath, [program, 'serve', '--port', '0'], { cwd: project });
      let heard = '';
      started.stderr.on('data', (chunk) => (heard += chunk));
      started.on('error', (error) => resolve(error.code));
      started.on('close', (code) => resolve(code + ' ' + (/E_\\w+/.exec(heard)?.[0] ?? heard.slice(0, 200))));
    }),
  };
  send('done', 'user', JSON.stringify(seen));`;

async function approvals(): Promise<unknown[]> {
  const { stdout } = await project.run(['inbox', '--json']);
  const { items } = JSON.parse(stdout) as { items: { kind: string }[] };
  return items.filter(({ kind }) => kind === 'approval');
}

/** What an agent reports that must be in a sandbox; null: there is none here, so nothing started. */
async function attackedBy(role: string): Promise<Record<string, unknown> | null> {
  const files = {
    'protocols/team.yaml': team,
    'mailroom.yaml': 'sandbox: required\ntrail: off\n',
    'workflows/gated.yaml': gated,
  };
  project = new ImpostorProject({ [role]: attacker }, files);
  server = await Server.start(project);
  const started = (await (await server.post('/api/v1/workflows/gated/run', {})).json()) as { run: string };
  project.write('target', `${String(server.port)} ${started.run} ${program}\n`);
  await expect.poll(approvals).toHaveLength(1);
  const keys = project.read('.mailroom/api/keys.json');
  const { code } = await project.works(role);
  expect(project.read('.mailroom/api/keys.json')).toBe(keys);
  expect(project.list('.mailroom/api')).toEqual(['keys.json', 'lock', 'lock.json', 'seal.key', 'sock']);
  // Nobody has answered the gate.
  expect(await approvals()).toHaveLength(1);
  await project.run(['cancel', started.run]);
  if (code !== 0) return null;
  const rows = JSON.parse((await project.run(['trail', '--json'])).stdout) as {
    type: string;
    body: string;
  }[];
  return JSON.parse(rows.find(({ type }) => type === 'done')?.body ?? '{}') as Record<string, unknown>;
}

/** `port`: what comes of asking there. */
const kept = (port: string) => ({
  files: 'done',
  key: 'ENOENT',
  // Into an empty folder of its own, which is gone with the sandbox.
  write: 'done',
  socket: 'ENOENT',
  session: port,
  approve: port,
  guessed: port,
  metrics: port,
  processes: 0,
  server: '1 E_INSIDE_TURN',
});

it.each([
  ['the port refuses it', 'maker', '401'],
  ['without a network not the port', 'alone', 'ECONNREFUSED'],
])('an agent in a sandbox reaches neither the key nor the socket, and %s', async (_what, role, port) => {
  expect(await attackedBy(role)).toEqual(bubblewrap.works ? kept(port) : null);
});
