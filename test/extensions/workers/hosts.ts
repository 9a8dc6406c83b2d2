import { execFileSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { workerKeys } from './credentials.ts';
import { appears } from '../../support/appears.ts';
import { playProject, type Plays } from '../../support/play.ts';
import { finished, said, TestProject, type Ran } from '../../support/project.ts';
import {
  controllerCredentials,
  invite,
  type Credentials,
} from '../../../src/extensions/workers/queue/credentials.ts';
import { placeOf } from '../../../src/extensions/workers/settings.ts';
import type { Network } from './network.ts';
import { redisEngine, type TestServer } from './servers.ts';
import { team } from './team.ts';

const settingsOf = (lease: string) => `
providers: { play: { command: [node, play/run.mjs] } }
defaults: { provider: play, retries: 2 }
trail: off
workers: { lease: ${lease} }
`;

/** That of the controller. */
export const key = 'the key of the controller in this test';

export interface WorkingHost {
  readonly project: TestProject;
  readonly program: ChildProcess;
  readonly ended: Promise<Ran>;
}

/** A finding of `doctor`. */
interface Found {
  readonly state: string;
  readonly text: string;
}

/** A controller, workers in folders of their own, the repository that they share, and a queue. */
export class Hosts {
  /** What plays wait for, and leave: every host sees it. */
  readonly stage = realpathSync(mkdtempSync(join(tmpdir(), 'mailroom-stage-')));
  readonly controller: TestProject;
  /** Of the controller. */
  readonly credentials: Credentials;
  readonly #workerKey: string;
  readonly #server: TestServer;
  readonly #network: Network | null;
  readonly #hub = join(this.stage, 'hub.git');
  readonly #workers: TestProject[] = [];
  readonly #programs: ChildProcess[] = [];

  /** Plays can `await untilStaged(name)` a file of the stage, and `note(name)` one. */
  constructor(
    server: TestServer,
    plays: Plays,
    protocol = team,
    lease = '5s',
    network: Network | null = null,
  ) {
    this.#server = server;
    this.#network = network;
    const words = `
      const { existsSync } = await import('node:fs');
      const stage = ${JSON.stringify(this.stage)};
      const note = (name) => writeFileSync(stage + '/' + name, '');
      const untilStaged = (name) => until(stage + '/' + name);`;
    const told = Object.entries(plays).map(([role, body]) => [role, `${words}\n${body}`]);
    this.controller = playProject(protocol, Object.fromEntries(told) as Plays, {
      'mailroom.yaml': settingsOf(lease),
      '.gitignore': '.mailroom/\nagents/\n.drop/\n*.log\n',
    });
    this.controller.makeRepository();
    this.git('init', '-q', '--bare', this.#hub);
    this.git('push', '-q', this.#hub, 'main');
    const origin = network?.address(this.#hub) ?? this.#hub;
    this.git('remote', 'add', 'origin', origin);
    this.credentials = controllerCredentials(key, placeOf(origin, ''));
    this.#workerKey = invite(this.credentials, 'builder');
  }

  git(...args: readonly string[]): string {
    return this.controller.git(...args);
  }

  /** The refs of the shared repository. */
  shared(): string[] {
    const args = ['--git-dir', this.#hub, 'for-each-ref', '--format=%(refname)'];
    return execFileSync('git', args, { encoding: 'utf8' }).trim().split('\n');
  }

  /** Starts a worker in a clone of its own, and waits until it takes turns. */
  work(...options: readonly string[]): Promise<WorkingHost> {
    return this.workIn(this.#clone(), ...options);
  }

  /** The same with other variables. */
  workWith(env: Readonly<Record<string, string>>, ...options: readonly string[]): Promise<WorkingHost> {
    return this.#working(this.#clone(), ['--roles', 'engineer', ...options], { env });
  }

  #clone(): TestProject {
    const project = new TestProject({});
    this.#workers.push(project);
    execFileSync('git', ['clone', '-q', '--branch', 'main', this.#hub, '.'], { cwd: project.root });
    return project;
  }

  /** Starts a worker on a host of the network. */
  async workOn(host: string): Promise<WorkingHost> {
    const project = this.#clone();
    project.git('remote', 'set-url', 'origin', this.git('remote', 'get-url', 'origin'));
    return this.#working(project, ['--roles', 'engineer'], { within: this.#network?.within(host) ?? [] });
  }

  /** Starts a worker where one was before. */
  workIn(project: TestProject, ...options: readonly string[]): Promise<WorkingHost> {
    return this.#working(project, ['--roles', 'engineer', ...options]);
  }

  async #working(
    project: TestProject,
    options: readonly string[],
    {
      env = {},
      within = [],
    }: { readonly env?: Readonly<Record<string, string>>; readonly within?: readonly string[] } = {},
  ): Promise<WorkingHost> {
    const program = this.#start(project, ['worker', ...options], env, within);
    const ended = finished(program);
    await said(program, 'worker: takes turns');
    return { project, program, ended };
  }

  /** What a worker of another name signs with. */
  invited(name: string): Credentials {
    return workerKeys(name, this.credentials);
  }

  /** Starts the controller. */
  up(...args: readonly string[]): ChildProcess {
    return this.#start(this.controller, ['up', '--plain', ...args]);
  }

  /** Starts a command in the controller's project. */
  start(...args: readonly string[]): ChildProcess {
    return this.#start(this.controller, args);
  }

  /** Starts a command there with other variables. */
  startWith(env: Readonly<Record<string, string>>, ...args: readonly string[]): ChildProcess {
    return this.#start(this.controller, args, env);
  }

  /** Starts another controller. */
  upIn(project: TestProject, ...args: readonly string[]): ChildProcess {
    return this.#start(project, ['up', '--plain', ...args]);
  }

  /** Runs a command in the controller's project. */
  run(...args: readonly string[]): Promise<Ran> {
    return finished(this.#start(this.controller, args));
  }

  /** The same with other variables. */
  runWith(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Ran> {
    return finished(this.#start(this.controller, args, env));
  }

  /** What `doctor` finds about workers in a project. `env` precedes what all programs here get. */
  async doctor(env: Readonly<Record<string, string>> = {}, project = this.controller): Promise<Found[]> {
    const { stdout } = await finished(this.#start(project, ['doctor', '--json'], env));
    const { findings } = JSON.parse(stdout) as { findings: (Found & { topic: string })[] };
    return findings.flatMap(({ topic, state, text }) => (topic === 'workers' ? [{ state, text }] : []));
  }

  #start(
    project: TestProject,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    within: readonly string[] = [],
  ) {
    const isController = args[0] === 'up' || (project === this.controller && args[0] !== 'worker');
    const own = isController ? key : this.#workerKey;
    const given = { MAILROOM_QUEUE: this.#server.url, MAILROOM_WORKER_KEY: own, ...env };
    const program = project.start(args, given, within);
    this.#programs.push(program);
    return program;
  }

  drop(): void {
    this.controller.drop('agents/engineer/inbox/task.md', 'Build it\n');
  }

  /** What plays have noted. */
  noticed(): string[] {
    return readdirSync(this.stage);
  }

  /** The command lines of processes that have something to do with these hosts. */
  survivors(): string[] {
    const folders = [this.stage, this.controller.root, ...this.#workers.map(({ root }) => root)];
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .flatMap((pid) => {
        const about = proc(`${pid}/cmdline`) + proc(`${pid}/environ`);
        return folders.some((folder) => about.includes(folder)) ? [about.split('\0', 3).join(' ')] : [];
      });
  }

  /** Lets plays pass that wait for this. */
  allow(name: string): void {
    writeFileSync(join(this.stage, name), '');
  }

  /** Resolves when a play has noted this. */
  async noted(name: string): Promise<void> {
    await appears(join(this.stage, name));
  }

  async close(): Promise<void> {
    for (const program of this.#programs) await kill(program);
    for (const project of [this.controller, ...this.#workers]) project.remove();
    rmSync(this.stage, { recursive: true, force: true });
  }
}

function proc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'latin1');
  } catch {
    return '';
  }
}

/** The moment of a kill, in so many milliseconds: whatever happens then is what is tested. */
export function randomMoment(after: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, after));
}

/** Kills a program at once, and waits until it is gone and its locks are free. */
export async function kill(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const ended = finished(program);
  program.kill('SIGKILL');
  await ended;
}

/** Hosts for each test of a suite. Without a server for their queue its tests are skipped. */
export function hostsFixture(): {
  open(plays: Plays, protocol?: string, lease?: string): Hosts;
  readonly server: TestServer;
} {
  let server: TestServer | null = null;
  let hosts: Hosts | null = null;
  beforeAll(async () => {
    if (redisEngine.folder !== null) server = await redisEngine.open(redisEngine.folder);
  });
  beforeEach(({ skip }) => {
    if (server === null) skip(redisEngine.lacks);
  });
  afterEach(async () => {
    await hosts?.close();
    hosts = null;
  });
  afterAll(() => server?.close());
  return {
    open: (...given) => (hosts = new Hosts(server!, ...given)),
    get server() {
      return server!;
    },
  };
}
