import { RealDisk } from '../../../src/disk/real-disk.ts';
import { park } from '../../../src/host/parked.ts';
import { hostname } from 'node:os';
import { describe, expect, test, vi } from 'vitest';
import { finished, said } from '../../support/project.ts';
import { hostsFixture, kill, type Hosts, type WorkingHost } from './hosts.ts';

/** An agent and a command on workers, and a command here that takes what they made. */
const workflow = `
name: build
version: "1"
timeout: 5m
steps:
  make:
    provider: play
    instructions: Make it.
    capabilities: [READ, EDIT]
    workspace: { worktree: step }
    on: workers
    outputs: [{ name: notes, path: out/notes.md, required: true }]
    values: { size: { type: number } }
    on_failure: retry
    max_retries: 1
  test:
    command:
      - sh
      - -c
      - |
        cat made.txt; find in -type f -exec cat {} +; echo tested > tested.txt; echo "$WORD"
        echo "{\\"said\\": \\"it was $TOKEN\\"}" > "$MAILROOM_VALUES"
    env: { WORD: here }
    secrets: [TOKEN]
    values: { said: { type: string } }
    depends_on: [make]
    workspace: { worktree: step }
    on: { labels: [gpu] }
    inputs: [{ from: make, artifact: notes, as: in, required: true }]
    stdout: log.txt
    outputs: [{ name: log, path: log.txt }]
  read:
    command: [sh, -c, 'cat made.txt tested.txt']
    depends_on: [test]
    workspace: { worktree: step }
`;

const make = `
  note('begun');
  await untilStaged('go');
  const { mkdirSync } = await import('node:fs');
  writeFileSync('made.txt', 'made\\n');
  mkdirSync('out');
  writeFileSync('out/notes.md', 'Notes\\n');
  writeFileSync(process.env.MAILROOM_VALUES, JSON.stringify({ size: 3 }));`;

interface Shown {
  readonly run: string;
  readonly status: string;
  readonly steps: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

async function shown(hosts: Hosts): Promise<Shown> {
  const { stdout } = await hosts.run('runs', '--json');
  const [first] = JSON.parse(stdout) as { run: string }[];
  return JSON.parse((await hosts.run('show', first?.run ?? '', '--json')).stdout) as Shown;
}

/** What a worker takes that runs all steps. */
const all = ['--steps', 'agents,commands', '--labels', 'gpu'];

/** The hosts of a test, with that workflow. */
function opened(bed: ReturnType<typeof hostsFixture>): Hosts {
  const hosts = bed.open({ make });
  hosts.controller.write('workflows/build.yaml', workflow);
  return hosts;
}

/** A run whose host was killed while its first step runs on a worker. */
async function interrupted(hosts: Hosts): Promise<{ readonly run: string; readonly worker: WorkingHost }> {
  const worker = await hosts.work(...all);
  const first = hosts.start('run', 'build', '--plain');
  await hosts.noted('begun');
  const { run } = await shown(hosts);
  await kill(first);
  return { run, worker };
}

/** What a run has left that ended while nothing was reached. */
function leftBehind(hosts: Hosts): void {
  const job = '01a21838-0000-726e-8428-7f93dcc90fbf.old-make.1.0.c4aa6944';
  hosts.git('push', '-q', 'origin', `main:refs/mailroom/turns/${job}/begin`);
  hosts.controller.write(`.mailroom/queued-steps/${job}@+agents+play`, '');
}

/** How often the agent was started in a worker's folder. */
function startsIn({ project }: WorkingHost): number {
  return project.read('make.log').trim().split('\n').length;
}

vi.stubEnv('TOKEN', 'known-to-the-controller');

describe('steps through Redis', () => {
  const bed = hostsFixture();

  test('an agent and a command run on workers, with their files and values', async () => {
    const hosts = opened(bed);
    leftBehind(hosts);
    await hosts.workWith({ TOKEN: 'known-to-the-worker' }, ...all);
    hosts.allow('go');
    const ran = await hosts.run('run', 'build', '--plain');
    expect(ran.stdout + ran.stderr).toContain('SUCCEEDED');
    const run = await shown(hosts);
    expect(run.status).toBe('SUCCEEDED');
    expect(run.steps['make']).toMatchObject({ host: hostname(), values: { size: 3 }, attempts: 1 });
    expect(run.steps['test']).toMatchObject({ host: hostname(), values: { said: 'it was ***' } });
    expect(run.steps['read']).toMatchObject({ host: null });
    expect(hosts.controller.read('log.txt')).toBe('made\nNotes\nhere\n');
    const costs = await hosts.run('costs', '--by', 'host', '--json');
    expect(costs.stdout).toContain(hostname());
    expect(hosts.shared()).toEqual(['refs/heads/main']);
  });

  test('a run that was killed finds its step that still runs, and starts no other', async () => {
    const hosts = opened(bed);
    const { run, worker } = await interrupted(hosts);
    const second = hosts.run('resume', run, '--plain');
    hosts.allow('go');
    expect((await second).stdout).toContain('SUCCEEDED');
    expect((await shown(hosts)).steps['make']).toMatchObject({ attempts: 1 });
    expect(startsIn(worker)).toBe(1);
  });
});

describe('steps', () => {
  const bed = hostsFixture();

  test('a run finds a step that has ended while it had no host', async () => {
    const hosts = opened(bed);
    const { run, worker } = await interrupted(hosts);
    const ended = said(worker.program, 'ended: done');
    hosts.allow('go');
    await ended;
    expect((await hosts.run('resume', run, '--plain')).stdout).toContain('SUCCEEDED');
    expect(startsIn(worker)).toBe(1);
  });

  test('a worker that is gone loses its step, and another one has it next', async () => {
    const hosts = opened(bed);
    const first = await hosts.work(...all);
    const run = hosts.run('run', 'build', '--plain');
    await hosts.noted('begun');
    await kill(first.program);
    const second = await hosts.work(...all);
    hosts.allow('go');
    expect((await run).stdout).toContain('SUCCEEDED');
    expect((await shown(hosts)).steps['make']).toMatchObject({ attempts: 2 });
    expect(startsIn(second)).toBe(1);
  });

  test('a run that is cancelled without a host ends its step on the worker', async () => {
    const hosts = opened(bed);
    const { run, worker } = await interrupted(hosts);
    const stopped = said(worker.program, 'was stopped');
    await hosts.run('cancel', run);
    await stopped;
    expect((await shown(hosts)).status).toBe('CANCELLED');
    expect(hosts.shared()).toEqual(['refs/heads/main']);
  });

  test('a worker that was not given the kind, or the labels, of a step leaves it to others', async () => {
    const hosts = opened(bed);
    hosts.allow('go');
    const agents = await hosts.work('--steps', 'agents');
    const commands = await hosts.work('--steps', 'commands', '--labels', 'gpu');
    expect((await hosts.run('run', 'build', '--plain')).stdout).toContain('SUCCEEDED');
    expect(agents.project.list('.mailroom/turns')).toEqual([expect.stringMatching(/-make$/)]);
    expect(commands.project.list('.mailroom/turns')).toEqual([expect.stringMatching(/-test$/)]);
  });

  test('a role on a worker does a step, with its files and values', async () => {
    const hosts = bed.open({ engineer: performing });
    hosts.controller.write('workflows/build.yaml', performed);
    await hosts.work('--steps', 'commands');
    expect((await hosts.run('run', 'build', '--plain')).stdout).toContain('SUCCEEDED');
    const run = await shown(hosts);
    expect(run.steps['build']).toMatchObject({ values: { size: 6 } });
    expect(run.steps['read']).toMatchObject({ values: {}, exit_code: 0 });
    expect(hosts.controller.read('report.md')).toBe('A report on: first\n');
    expect(hosts.shared()).toEqual(['refs/heads/main']);
  });

  test('a run starts without a secret that only a worker needs, and a worker without it says so', async () => {
    const hosts = bed.open({});
    hosts.controller.write('workflows/build.yaml', secret);
    const failed = finished(hosts.start('run', 'build', '--plain'));
    await expect
      .poll(async () => (await hosts.run('show', 'last')).stdout)
      .toMatch(/use .*waits for a worker/);
    const without = await hosts.work('--steps', 'commands');
    const why = 'the environment of this worker does not have ONLY_THERE';
    const { stdout, stderr } = await failed;
    expect(stdout + stderr).toContain(why);
    await kill(without.program);
    await hosts.workWith({ ONLY_THERE: 'known-to-the-worker' }, '--steps', 'commands');
    expect((await hosts.run('run', 'build', '--plain')).stdout).toContain('SUCCEEDED');
  });

  test('a worker that leaves the steps of one agent to others takes those of another', async () => {
    const hosts = bed.open({ limited: '', free: `note('free');` });
    for (const [name, provider] of Object.entries({ limited: 'other', free: 'play' }))
      hosts.controller.write(`workflows/${name}.yaml`, one(name, provider));
    const first = await hosts.work();
    await kill(first.program);
    const settings = (text: string) =>
      text.replace('providers: {', 'providers: { other: { command: [node, play/run.mjs] },');
    for (const project of [hosts.controller, first.project])
      project.write('mailroom.yaml', settings(project.read('mailroom.yaml')));
    park(new RealDisk(first.project.root), 'other', Date.now() + 3_600_000);
    hosts.start('run', 'limited', '--plain');
    await expect
      .poll(async () => (await hosts.run('show', 'last')).stdout)
      .toMatch(/limited .*waits for a worker/);
    await hosts.workIn(first.project, '--steps', 'agents');
    hosts.start('run', 'free', '--plain');
    await hosts.noted('free');
    expect(first.project.list('.')).not.toContain('limited.log');
  });
});

/** A step whose secret is that of a worker. */
const secret = `
name: build
version: "1"
timeout: 5m
steps:
  use:
    command: [sh, -c, 'test -n "$ONLY_THERE"']
    secrets: [ONLY_THERE]
    workspace: { worktree: step }
    on: workers
`;

/** A workflow of one step with an agent. */
const one = (name: string, provider: string) => `
name: ${name}
version: "1"
timeout: 5m
steps:
  ${name}: { provider: ${provider}, instructions: Do it., capabilities: [READ], workspace: { worktree: step }, on: workers }
`;

/** A step whose role works on another host, after one that did so, and before one that is done here. */
const performed = `
name: build
version: "1"
timeout: 5m
steps:
  first:
    command: [sh, -c, 'echo first > first.txt']
    workspace: { worktree: step }
    on: workers
    outputs: [{ name: text, path: first.txt }]
  build:
    role: engineer
    instructions: Build it.
    depends_on: [first]
    inputs: [{ from: first, artifact: text, as: given }]
    outputs: [{ name: report, path: report.md, required: true }]
    values: { size: { type: number } }
  read:
    command: [grep, -q, made, made.txt]
    depends_on: [build]
    workspace: { worktree: step }
`;

const performing = `
  const { readFileSync } = await import('node:fs');
  const [, given] = /made by \`first\`: \`(.*)\`/.exec(prompt);
  const [, folder] = /working directory is \`(.*)\`/.exec(prompt);
  const text = readFileSync(given + '/first.txt', 'utf8');
  writeFileSync('made.txt', 'made');
  writeFileSync(folder + '/report.md', 'A report on: ' + text);
  writeFileSync(process.env.MAILROOM_VALUES, JSON.stringify({ size: text.length }));`;
