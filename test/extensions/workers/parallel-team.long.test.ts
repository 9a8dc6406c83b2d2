import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { appears } from '../../support/appears.ts';
import { finished, said, TestProject } from '../../support/project.ts';
import { controllerCredentials, invite } from '../../../src/extensions/workers/queue/credentials.ts';
import { placeOf } from '../../../src/extensions/workers/settings.ts';
import { key, kill } from './hosts.ts';
import { hasNetworks, Network } from './network.ts';
import { openRedis } from './redis.ts';
import { redisEngine, type TestServer } from './servers.ts';

/*
 * docs/workers.md as a newcomer follows it, with the template of a parallel team: the controller and
 * two workers on three hosts, which are network namespaces with a queue and a git server beside them.
 */

const stage = realpathSync(mkdtempSync(join(tmpdir(), 'mailroom-stage-')));
const projects: TestProject[] = [];
let network: Network;
let server: TestServer;

beforeEach(async ({ skip }) => {
  if (!hasNetworks || redisEngine.folder === null)
    return skip('they need root and redis-server: run them as root, and install it');
  network = await Network.open(stage);
  for (const host of ['controller', 'one', 'two']) network.add(host);
  server = await openRedis(redisEngine.folder, undefined, network.here);
});
afterEach(async () => {
  await server.close();
  await network.close();
  for (const project of projects) project.remove();
  rmSync(stage, { recursive: true, force: true });
});

const env = (own = key) => ({ MAILROOM_QUEUE: server.url, MAILROOM_WORKER_KEY: own });
/** The key of the workers. */
let invitation = '';

/** Engineers wait in the middle of their work until both have begun and one host was killed. */
const waiting = `
import { hostname } from 'node:os';
function waits(name) {
  const stage = ${JSON.stringify(stage)};
  writeFileSync(stage + '/' + name + '-on-' + hostname(), '');
  while (!existsSync(stage + '/go')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}
`;

/** Makes the project, and the repository that all hosts reach. */
async function begin(): Promise<TestProject> {
  const project = new TestProject({});
  projects.push(project);
  await project.run(['init', '.', '--template', 'parallel-team', '--provider', 'rehearsal']);
  const change = (path: string, edit: (text: string) => string) =>
    project.write(path, edit(project.read(path)));
  change('mailroom.yaml', (text) => `${text}\nworkers: { lease: 5s }\n`);
  change('protocols/parallel-team.yaml', (text) =>
    text.replaceAll(/( {2}engineer-[ab]:\n)/g, '$1    on: workers\n    retries: 3\n'),
  );
  change(
    'agents/plays.mjs',
    (text) => waiting + text.replace('function build(name) {', '$&\n  waits(name);'),
  );
  project.makeRepository();
  const hub = join(stage, 'hub.git');
  project.git('init', '-q', '--bare', hub);
  project.git('push', '-q', hub, 'main');
  project.git('remote', 'add', 'origin', network.address(hub));
  const place = placeOf(network.address(hub), '');
  invitation = invite(controllerCredentials(key, place), 'builder');
  return project;
}

async function work(host: string, origin: string) {
  const project = new TestProject({});
  projects.push(project);
  execFileSync('git', ['clone', '-q', '--branch', 'main', join(stage, 'hub.git'), '.'], {
    cwd: project.root,
  });
  project.git('remote', 'set-url', 'origin', origin);
  const program = project.start(
    ['worker', '--roles', 'engineer-a,engineer-b'],
    env(invitation),
    network.within(host),
  );
  await said(program, 'worker: takes turns');
  return program;
}

test('a parallel team delivers from two hosts, although one of them and the controller are killed', async () => {
  const project = await begin();
  const origin = project.git('remote', 'get-url', 'origin');
  const workers = new Map([
    ['one', await work('one', origin)],
    ['two', await work('two', origin)],
  ]);
  const up = (...args: readonly string[]) =>
    project.start(['up', '--plain', ...args], env(), network.within('controller'));
  await project.run(['send', 'architect', '--message', 'Add an import and an export.']);
  const first = up();
  const places = ['import-on-one', 'import-on-two'].map((name) =>
    appears(join(stage, name)).then(() => name),
  );
  const lost = (await Promise.race(places)).endsWith('one') ? 'one' : 'two';
  await appears(join(stage, `export-on-${lost === 'one' ? 'two' : 'one'}`));
  await kill(workers.get(lost)!);
  await kill(first);
  writeFileSync(join(stage, 'go'), '');
  const second = await finished(up('--until-idle'));
  for (const worker of workers.values()) await kill(worker);
  expect(second.stdout).toMatch(/idle: done\n$/);
  const trail = await project.run(['trail', '--json']);
  const messages = JSON.parse(trail.stdout) as { type: string; landed: { branch: string } | null }[];
  expect(messages.map(({ type }) => type).toSorted()).toEqual(
    ['task', 'part', 'built-a', 'built-b', 'delivered'].toSorted(),
  );
  expect(messages.find(({ type }) => type === 'delivered')?.landed?.branch).toBe('main');
  const features = readFileSync(join(project.root, 'FEATURES.md'), 'utf8').trim().split('\n');
  expect(features.toSorted()).toEqual(['', '# Features', '- export', '- import']);
  expect(project.git('show', 'main:import.md')).toBe('This is the import.');
  expect(project.git('show', 'main:export.md')).toBe('This is the export.');
  const refs = project.git('ls-remote', join(stage, 'hub.git')).split('\n');
  expect(refs.map((line) => line.split('\t')[1])).toEqual(['refs/heads/main']);
  expect(project.survivors()).toEqual([]);
});
