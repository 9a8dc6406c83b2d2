import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterEach, describe, expect, it } from 'vitest';
import { TestProject } from '../support/project.ts';
import { Server } from '../support/server.ts';

/** Its types need those of many other packages, so it is used as a program. */
const generator = join(
  dirname(createRequire(import.meta.url).resolve('@hey-api/openapi-ts')),
  '../bin/run.js',
);

let project: TestProject | null = null;
let server: Server | null = null;
const folders: string[] = [];

afterEach(async () => {
  await server?.stop();
  project?.remove();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  [server, project] = [null, null];
});

const ship = `# Ships a release.
workflow: { id: ship, name: Ship, version: 1.0.0 }
stages:
  - id: ask
    type: gate
    gate: { kind: manual_approval, message: "Ship it?", approvers: [ada] }
`;

async function serving(): Promise<{ made: TestProject; running: Server }> {
  project = new TestProject({ 'mailroom.yaml': 'trail: off\n', 'workflows/ship.yaml': ship });
  server = await Server.start(project, { MAILROOM_USER: 'ada' });
  return { made: project, running: server };
}

/** What a function of the generated client gives. */
interface Got {
  readonly data?: { readonly [key: string]: never };
  readonly error?: { readonly [key: string]: never };
  readonly response: Response;
  readonly stream: AsyncIterable<{ readonly event: string; readonly stage: string | null }>;
}

type Call = (options?: {
  readonly path?: object;
  readonly body?: object;
  readonly headers?: object;
  readonly query?: object;
  readonly signal?: AbortSignal;
  readonly onSseEvent?: (event: { readonly id?: string; readonly data?: unknown }) => void;
}) => Promise<Got>;

/** The functions that a public generator makes of the API's own description. */
async function generated({ port, key }: Server): Promise<Readonly<Record<string, Call>>> {
  const folder = mkdtempSync(join(tmpdir(), 'mailroom-client-'));
  folders.push(folder);
  const address = `http://127.0.0.1:${String(port)}`;
  const headers = { authorization: `Bearer ${key}` };
  const description = await (await fetch(`${address}/api/v1/openapi.json`, { headers })).text();
  writeFileSync(join(folder, 'openapi.json'), description);
  const files = ['-i', join(folder, 'openapi.json'), '-o', join(folder, 'client')];
  const plugins = ['@hey-api/client-fetch', '@hey-api/sdk', '@hey-api/typescript'];
  await promisify(execFile)(process.execPath, [generator, ...files, '-p', ...plugins, '--silent']);
  writeFileSync(
    join(folder, 'entry.ts'),
    "export * from './client/sdk.gen.ts';\nexport { client } from './client/client.gen.ts';\n",
  );
  const outfile = join(folder, 'client.mjs');
  await build({
    entryPoints: [join(folder, 'entry.ts')],
    bundle: true,
    format: 'esm',
    outfile,
    logLevel: 'silent',
  });
  const made = (await import(pathToFileURL(outfile).href)) as {
    readonly client: { setConfig(config: object): void };
  } & Readonly<Record<string, Call>>;
  made.client.setConfig({ baseUrl: address, auth: key });
  return made;
}

describe('a client that a generator has made of the OpenAPI description', () => {
  it('edits a workflow, runs it, follows it to its end over a cut connection, and counts it', async () => {
    const { made, running } = await serving();
    const client = await generated(running);
    const path = { id: 'ship' };
    const { data: read } = await client['getWorkflowsId']!({ path });
    expect(read).toMatchObject({ id: 'ship', text: ship, graph: { nodes: [{ id: 'ask', type: 'GATE' }] } });
    const operations = [{ do: 'set', path: ['workflow', 'name'], value: 'Ship it' }];
    const headers = { 'If-Match': `"${String(read?.['revision'])}"` };
    const saved = await client['putWorkflowsId']!({ path, body: { operations }, headers });
    const text = ship.replace('name: Ship,', 'name: Ship it,');
    expect([saved.response.status, made.read('workflows/ship.yaml')]).toEqual([200, text]);
    const stale = await client['putWorkflowsId']!({ path, body: { text: ship }, headers });
    expect(stale.response.status).toBe(412);
    expect(stale.error).toMatchObject({ code: 'E_REFUSED', current: { text } });
    expect(made.read('workflows/ship.yaml')).toBe(text);

    const typed = text.replace('type: gate', 'ty');
    const offset = typed.indexOf('ty\n') + 2;
    const completed = await client['postWorkflowsIdComplete']!({ path, body: { text: typed, offset } });
    expect(completed.data).toMatchObject({ completions: [{ label: 'type', kind: 'key', typed: 'ty' }] });

    const { data: started } = await client['postWorkflowsIdRun']!({ path, body: {} });
    const run = { id: String(started?.['run']) };
    const seen: string[] = [];
    const ids: string[] = [];
    const follow = async (last: string, until: string) => {
      const cut = new AbortController();
      const { stream } = await client['getWorkflowRunsIdEvents']!({
        path: run,
        headers: last === '' ? {} : { 'Last-Event-ID': last },
        // It is called for a comment, too, with the id of the event before it.
        onSseEvent: ({ id, data }) => void (id !== undefined && data !== undefined && ids.push(id)),
        signal: cut.signal,
      });
      for await (const { event, stage } of stream) {
        seen.push(`${event} ${stage ?? '-'}`);
        if (event === until) break;
      }
      cut.abort();
    };
    await follow('', 'gate_asked');
    const gate = { ...run, stage: 'ask' };
    const approved = await client['postWorkflowRunsIdGatesStageApprove']!({ path: gate, body: {} });
    expect([200, 202]).toContain(approved.response.status);
    await follow(ids.at(-1) ?? '', 'run_completed');
    expect(seen).toEqual([
      'run_started -',
      'gate_asked ask',
      'gate_approved ask',
      'stage_completed ask',
      'run_completed -',
    ]);
    expect(new Set(ids).size).toBe(ids.length);

    const { data: past } = await client['getWorkflowRunsId']!({ path: run, query: { at: '1' } });
    expect(past).toMatchObject({ steps: { ask: { status: 'PENDING' } } });
    const { data: metrics } = await client['getRootMetrics']!();
    expect(metrics).toContain(
      'mailroom_runs_ended_total{workflow="ship",version="1.0.0",status="succeeded"} 1\n',
    );
  });
});

describe('curl', () => {
  it('uses the Unix socket', async () => {
    const { made, running } = await serving();
    const curl = async (...more: string[]) => {
      const socket = join(made.root, '.mailroom/api/sock');
      const args = ['-s', '--unix-socket', socket, '-H', `Authorization: Bearer ${running.key}`, ...more];
      return (await promisify(execFile)('curl', args)).stdout;
    };
    const address = 'http://localhost/api/v1/workflows/ship';
    expect(await curl('-H', 'Accept: application/yaml', address)).toBe(ship);
    const { revision } = JSON.parse(await curl(address)) as { revision: string };
    const json = ['-X', 'PUT', '-H', 'Content-Type: application/json'];
    const body = JSON.stringify({ text: ship.replace('Ships', 'Makes') });
    const answer = await curl(...json, '-H', `If-Match: "${revision}"`, '-d', body, address);
    expect(JSON.parse(answer)).toMatchObject({ file: 'workflows/ship.yaml', warnings: [] });
    expect(made.read('workflows/ship.yaml')).toBe(ship.replace('Ships', 'Makes'));
  });
});

describe('a request that never ends', () => {
  it('is answered with 408, and disturbs no other', async () => {
    const { running } = await serving();
    const socket = connect(running.port, '127.0.0.1');
    let heard = '';
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(
      `POST /api/v1/pause HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${running.key}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );
    expect((await running.get('/api/v1/status')).status).toBe(200);
    await closed;
    expect(heard).toMatch(/^HTTP\/1\.1 408 /);
  });
});
