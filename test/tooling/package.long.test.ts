import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import {
  createProtocolConnection,
  InitializeRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findDeadLinks, reachablePages, type Place } from '../docs/markdown.ts';
import { ran, type Ran } from '../support/ran.ts';

/*
 * The package as a stranger gets it: packed, installed into an empty folder without a registry, and used from there.
 * `npm run test:other-nodes` names more programs of Node in MAILROOM_TEST_NODES.
 */

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const nodes = [process.execPath, ...(process.env['MAILROOM_TEST_NODES'] ?? '').split(':').filter(Boolean)];
const megabyte = 1_000_000;

let scratch = '';
let tarball = '';

function run(program: string, args: readonly string[], cwd: string, env = process.env): Promise<Ran> {
  return ran(program, args, { cwd, env });
}

/** Runs npm as a stranger's: with an empty cache, without settings, and no registry to reach. */
async function npm(...args: readonly string[]): Promise<string> {
  const { PATH } = process.env;
  const options = [
    `--cache=${join(scratch, 'cache')}`,
    '--registry=http://127.0.0.1:9/',
    '--fetch-retries=0',
  ];
  const ended = await run('npm', [...args, ...options], checkout, { PATH, HOME: scratch });
  if (ended.code !== 0) throw new Error(ended.stderr);
  return ended.stdout;
}

/** Bytes of a folder with everything in it. */
function sizeOf(path: string): number {
  const found = lstatSync(path);
  if (!found.isDirectory()) return found.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'mailroom-package-'));
  // The global setup has built dist/: the script that would build it again takes it from other tests.
  await run(process.execPath, [join(checkout, 'node_modules/tsx/dist/cli.mjs'), 'scripts/man.ts'], checkout);
  const packed = await npm('pack', '--ignore-scripts', '--json', '--pack-destination', scratch);
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  tarball = join(scratch, filename);
  await npm('install', '--prefix', join(scratch, 'prefix'), '--no-audit', '--no-fund', tarball);
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const installed = (...path: string[]) => join(scratch, 'prefix/node_modules/@mailroom-dev/mailroom', ...path);

describe('the package', () => {
  it('brings no other package, and is small', () => {
    const folder = join(scratch, 'prefix/node_modules');
    expect(readdirSync(folder).toSorted()).toEqual(['.bin', '.package-lock.json', '@mailroom-dev']);
    expect(readdirSync(join(folder, '.bin')).toSorted()).toEqual(['mailroom', 'orchestrate']);
    // dist/ also has the parts that builds of the last day have left; `npm run build` removes them.
    const program = readFileSync(installed('dist/app.cjs'), 'utf8');
    const left = readdirSync(installed('dist'))
      .filter((name) => name.endsWith('.cjs.br') && !program.includes(name))
      .reduce((sum, name) => sum + sizeOf(installed('dist', name)), 0);
    expect(statSync(tarball).size - left).toBeLessThan(2.5 * megabyte);
    expect(sizeOf(installed()) - left).toBeLessThan(5 * megabyte);
  });

  it('has the pages that the program names', () => {
    const texts = ['app', 'help'].map((name) => readFileSync(installed('dist', `${name}.cjs`), 'utf8'));
    const named = new Set(texts.flatMap((text) => text.match(/\bdocs\/[a-z/-]+\.md\b/g) ?? []));
    expect(named).toContain('docs/errors.md');
    expect([...named].filter((page) => !existsSync(installed(page)))).toEqual([]);
  });

  it('has what its README and its pages link to', () => {
    const place: Place = {
      exists: (path) => existsSync(installed(path)),
      read: (path) => readFileSync(installed(path), 'utf8'),
    };
    const pages = [...reachablePages('README.md', place)];
    expect(pages.length).toBeGreaterThan(50);
    expect(pages.flatMap((page) => findDeadLinks(page, place))).toEqual([]);
    expect(existsSync(installed('docs/contributing'))).toBe(false);
  });

  it('imports only what it has', () => {
    const parts = readdirSync(installed('dist')).filter((name) => /\.cjs(?:\.br)?$/.test(name));
    const textOf = (part: string) => {
      const bytes = readFileSync(installed('dist', part));
      return (part.endsWith('.br') ? brotliDecompressSync(bytes) : bytes).toString('utf8');
    };
    const required = parts.flatMap((part) =>
      [...textOf(part).matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name = '']) => name),
    );
    // `ws` uses the first two where somebody has installed them, and its own code elsewhere.
    const optional = ['bufferutil', 'utf-8-validate', ...parts.map((name) => `./${name}`)];
    const foreign = required.filter((name) => !name.startsWith('node:') && !optional.includes(name));
    expect(foreign.filter((name) => !builtinModules.includes(name))).toEqual([]);
    expect(required.length).toBeGreaterThan(5);
    // What few people need is not read by all.
    const names = [
      'app',
      'bull',
      'help',
      'launcher',
      'lsp',
      'mailbox',
      'otlp',
      'prompts',
      're2js',
      'tools',
      'ws',
    ];
    expect(parts.map((part) => part.replace(/(?:-\w+)?\.cjs(?:\.br)?$/, '')).toSorted()).toEqual(names);
    expect(textOf('app.cjs')).not.toMatch(/resourceSpans|bzpopmin|BODYSTRUCTURE|onDidChangeTextDocument/);
  });

  it('has the licences of all code that it took', () => {
    const text = readFileSync(installed('dist/licences.txt'), 'utf8');
    const names = [...text.matchAll(/^(\S+) \d+\.\S+ \(.+\)$/gm)].map(([, name]) => name);
    for (const name of ['zod', 'commander', '@codemirror/view', 'bullmq', 'imapflow', 'ws', 'vscode-jsonrpc'])
      expect(names).toContain(name);
    const sources = (
      JSON.parse(readFileSync(join(checkout, 'dist/app.cjs.map'), 'utf8')) as { sources: string[] }
    ).sources.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
    // One package was built of one that is not published.
    const all = new Set(sources.filter((name) => !name.endsWith('/core-internal')));
    expect(all.size).toBeGreaterThan(25);
    expect(names).toEqual(expect.arrayContaining([...all]));
  });
});

/** Ends a program that serves, and waits until it is gone. */
async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

describe.each(nodes)('the installed program, run by %s', (node) => {
  let project = '';
  let env: Record<string, string> = {};

  beforeAll(() => {
    project = join(scratch, `project-${String(nodes.indexOf(node))}`);
    mkdirSync(project);
    // `node` of the scripts that the program starts is the same one.
    const path = `${dirname(node)}:${join(scratch, 'prefix/node_modules/.bin')}:${process.env['PATH'] ?? ''}`;
    env = { PATH: path, HOME: project, NO_COLOR: '1' };
  });

  const mailroom = (...args: readonly string[]) => run('mailroom', args, project, env);
  const start = (...args: readonly string[]) =>
    spawn('mailroom', args, { cwd: project, env, stdio: ['pipe', 'pipe', 'inherit'] });

  it('makes a project, checks it and delivers a task', async () => {
    const version = await run(node, ['--version'], project, env);
    expect((await run('node', ['--version'], project, env)).stdout).toBe(version.stdout);
    expect(await mailroom('init')).toMatchObject({ code: 0, stderr: '' });
    expect(await mailroom('check')).toMatchObject({ code: 0, stderr: '' });
    expect(await mailroom('send', 'architect', '-m', 'Say what is here')).toMatchObject({ code: 0 });
    expect(await mailroom('up', '--until-idle')).toMatchObject({ code: 0 });
    const said = JSON.parse((await mailroom('trail', '--json')).stdout) as { type: string }[];
    expect(said.map(({ type }) => type)).toContain('delivered');
    expect((await run('orchestrate', ['--help'], project, env)).stdout).toMatch(/^Usage: orchestrate /);
  });

  it('loads each of its parts', async () => {
    const parts = readdirSync(installed('dist')).filter((name) => name.endsWith('.cjs.br'));
    const paths = [installed('bin/program.cjs'), ...parts.map((name) => installed('dist', name))];
    const program = paths.map((path) => `require(${JSON.stringify(path)});`).join('\n');
    expect(await run(node, ['-e', program], project, env)).toMatchObject({ code: 0, stderr: '' });
  });

  it('runs a workflow', async () => {
    expect(await mailroom('run', 'first-look')).toMatchObject({ code: 0 });
    const runs = JSON.parse((await mailroom('runs', '--json')).stdout) as { status: string }[];
    expect(runs.map(({ status }) => status)).toEqual(['SUCCEEDED']);
  });

  it('serves tools over MCP', async () => {
    const client = new Client({ name: 'stranger', version: '1' });
    await client.connect(new StdioClientTransport({ command: 'mailroom', args: ['mcp'], cwd: project, env }));
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    await client.close();
  });

  it('serves the page and the API', async () => {
    const child = start('serve', '--port', '0');
    try {
      const [line] = (await once(child.stdout, 'data')) as [Buffer];
      const { origin, hash } = new URL(line.toString().trim());
      const page = await fetch(origin);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringMatching(/html/)]);
      const headers = { authorization: `Bearer ${hash.slice('#key='.length)}` };
      expect((await fetch(`${origin}/api/v1/status`, { headers })).status).toBe(200);
    } finally {
      await end(child);
    }
  });

  it('serves editors', async () => {
    const child = start('lsp', '--stdio');
    const connection = createProtocolConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    connection.listen();
    try {
      const asked = { processId: process.pid, rootUri: `file://${project}`, capabilities: {} };
      const { capabilities } = await connection.sendRequest(InitializeRequest.type, asked);
      expect(capabilities).toMatchObject({ hoverProvider: true });
    } finally {
      connection.dispose();
      await end(child);
    }
  });
});
