import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Controller } from '../../../src/mail/controller/contract.ts';
import type { Json } from '../../../src/kernel/json.ts';
import type { JobName } from '../../../src/extensions/workers/queue/channel.ts';
import { openQueue, openSource } from '../../../src/extensions/workers/queue/bull.ts';
import {
  controllerCredentials,
  invite,
  workerCredentials,
} from '../../../src/extensions/workers/queue/credentials.ts';
import { workers as extension } from '../../../src/extensions/workers/index.ts';
import { placeOf } from '../../../src/extensions/workers/settings.ts';
import { sign, verify } from '../../../src/extensions/workers/queue/signed.ts';
import { Project } from '../../../src/project/project.ts';
import { startUp } from '../../../src/up/start.ts';
import { redisEngine, type TestServer } from './servers.ts';
import { milliseconds, percentile, perSecond, type Line } from '../../../bench/report.ts';
import { benchFolder, BenchProject } from '../../../bench/world.ts';

const packageRoot = fileURLToPath(new URL('../../..', import.meta.url));
const program = join(packageRoot, 'bin/mailroom');
const key = 'the key of the controller in this measure';
const signing = controllerCredentials(key, '');
const reporting = workerCredentials(invite(signing, 'bench')) ?? signing;
const lease = 5_000;
const drops = 80;
const jobs = 2_000;
/** How many jobs are on their way at once. */
const atOnce = 16;

const protocol = `
name: bench
version: "1"
workspace: { worktree: role }
roles:
  role0: { provider: bench, capabilities: [READ] }
  role1: { provider: bench, capabilities: [READ], on: workers, retries: 5 }
messages:
  task: { from: user, to: [role0, role1] }
`;

/** What the queue costs: turns here and on workers, short jobs, and a worker that is killed. */
export async function measure(): Promise<Line[]> {
  const { folder, lacks, open } = redisEngine;
  if (folder === null) {
    process.stderr.write(`${lacks}\n`);
    return [];
  }
  const server = await open(folder);
  try {
    return [...(await turns(server)), await throughput(server), await takeOver(server)];
  } finally {
    await server.close();
  }
}

/** A project whose second role works on workers, and the repository that they share. */
class Hosts {
  readonly project: BenchProject;
  readonly #hub = benchFolder();
  readonly #env: NodeJS.ProcessEnv;
  readonly #programs: ChildProcess[] = [];

  constructor(command: readonly string[], url: string) {
    this.project = new BenchProject(2, command);
    this.project.write('protocols/bench.yaml', protocol);
    this.project.write(
      'mailroom.yaml',
      `providers: { bench: { command: ${JSON.stringify(command)} } }\ntrail: off\nworkers: { lease: ${String(lease / 1_000)}s }\n`,
    );
    this.project.write('.gitignore', '.mailroom/\nagents/\nstaged/\n');
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@bench', ...args], {
        cwd: this.project.root,
        stdio: 'ignore',
      });
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('commit', '-q', '-m', 'Begin');
    git('init', '-q', '--bare', this.#hub);
    git('remote', 'add', 'origin', this.#hub);
    git('push', '-q', 'origin', 'main');
    const own = invite(controllerCredentials(key, placeOf(this.#hub, '')), 'bench');
    this.#env = { ...process.env, MAILROOM_QUEUE: url, MAILROOM_WORKER_KEY: own };
    Object.assign(process.env, { MAILROOM_QUEUE: url, MAILROOM_WORKER_KEY: key });
  }

  /** Starts a worker in a clone of its own; resolves when it takes turns. */
  async work(): Promise<ChildProcess> {
    const root = benchFolder();
    execFileSync('git', ['clone', '-q', '--branch', 'main', this.#hub, root], { stdio: 'ignore' });
    const stdio = ['ignore', 'pipe', 'inherit'] as const;
    const worker = spawn(program, ['worker', '--roles', 'role1'], {
      cwd: root,
      env: this.#env,
      stdio: [...stdio],
    });
    this.#programs.push(worker);
    await once(worker.stdout, 'data');
    worker.stdout.resume();
    return worker;
  }

  controller(onChange: (state: Controller['state']) => void): Promise<Controller> {
    const options = { untilIdle: false, record: null, triggers: false, onChange };
    return startUp(
      Project.at(this.project.root, { packageRoot, environment: process.env, hooks: [extension] }),
      options,
    );
  }

  async close(): Promise<void> {
    for (const worker of this.#programs) {
      if (worker.exitCode !== null || worker.signalCode !== null) continue;
      worker.kill('SIGKILL');
      await once(worker, 'exit');
    }
  }
}

/** Whole turns whose agent does nothing, here and on a worker in turn. */
async function turns({ url }: TestServer): Promise<Line[]> {
  const hosts = new Hosts(['true'], url);
  await hosts.work();
  let heard = () => {};
  let [running, done] = [0, 0];
  const seen = new Set<string>();
  const controller = await hosts.controller((state) => {
    for (const id of state.turns.keys()) seen.add(id);
    running = state.turns.size;
    done = seen.size;
    heard();
  });
  const ended = controller.run();
  const took: [number[], number[]] = [[], []];
  for (let index = 0; index < 2 * drops; index += 1) {
    const [before, role] = [done, index % 2];
    const at = hosts.project.drop(role, `m${String(index)}.md`);
    await new Promise<void>((resolve) => {
      heard = () => {
        if (done > before && running === 0) resolve();
      };
    });
    took[role]?.push(performance.timeOrigin + performance.now() - at);
    await setTimeout(100);
  }
  controller.end('stop');
  await ended;
  await hosts.close();
  const [here, away] = took.map((each) => each.slice(10)) as [number[], number[]];
  const half = percentile(away, 0.5) - percentile(here, 0.5);
  const most = percentile(away, 0.99) - percentile(here, 0.99);
  const line: Line = {
    what: `a turn on a worker against one here, nothing to transfer`,
    seen: `p50 ${milliseconds(half)} more, p99 ${milliseconds(most)} more`,
    ratio: `a turn here p50 ${milliseconds(percentile(here, 0.5))}, p99 ${milliseconds(percentile(here, 0.99))}`,
    budget: 'p50 ≤ 60 ms, p99 ≤ 200 ms',
    met: half <= 60 && most <= 200,
  };
  return [line];
}

function signed(kind: 'job' | 'result', job: string) {
  const about = { kind, job, nonce: job, expires: Date.now() + 60_000 };
  return sign(kind === 'job' ? signing : reporting, about, { text: 'x'.repeat(2_000) });
}

/** Throws for a result with a wrong signature. */
function expectSigned(result: Json, job: string): void {
  const checked = verify(signing, result, { kind: 'result', job, nonce: job, now: Date.now() });
  if (!checked.ok) throw new Error(checked.problem);
}

/** Signed jobs through the queue, from adding to the checked result, without git and agents. */
async function throughput({ url }: TestServer): Promise<Line> {
  const woken = new Set<() => void>();
  const onChange = () => {
    for (const wake of woken) wake();
    woken.clear();
  };
  const changed = () => new Promise<void>((resolve) => void woken.add(resolve));
  const address = { url, name: 'bench', roles: ['role'], lease: 60_000, onChange };
  const [queue, source] = [openQueue(address), openSource(address, [])];
  let left = jobs;
  const work = async () => {
    while (left > 0) {
      const held = await source.take();
      if (held === null) await changed();
      else {
        await held.finish(signed('result', held.id));
        left -= 1;
        onChange();
      }
    }
  };
  let next = 0;
  const want = async () => {
    while (next < jobs) {
      const name: JobName = { role: 'role', id: `job${String((next += 1))}` };
      await queue.add(name, signed('job', name.id), []);
      onChange();
      for (let state = await queue.look(name); ; state = await queue.look(name)) {
        if (state.is === 'done') {
          expectSigned(state.result, name.id);
          break;
        }
        await changed();
      }
      await queue.remove(name);
    }
  };
  const from = performance.now();
  const all = Array.from({ length: atOnce }, want);
  const workings = Array.from({ length: 4 }, work);
  await Promise.all(all);
  const rate = perSecond(jobs, performance.now() - from);
  left = 0;
  onChange();
  await Promise.all(workings);
  await Promise.all([queue.close(), source.close()]);
  return {
    what: `short jobs through the queue, ${String(atOnce)} at once`,
    seen: `${String(rate)} jobs/s`,
    ratio: '',
    budget: '≥ 100 jobs/s',
    met: rate >= 100,
  };
}

/** From the death of a worker to the start of its turn on another. */
async function takeOver({ url }: TestServer): Promise<Line> {
  const hosts = new Hosts(['sleep', '60'], url);
  const first = await hosts.work();
  let heard = () => {};
  let hostsSeen = new Set<string>();
  const controller = await hosts.controller((state) => {
    const workersNow = [...state.turns.values()].flatMap(({ phase }) =>
      phase.is === 'active' && phase.worker !== null ? [phase.worker.id] : [],
    );
    hostsSeen = new Set([...hostsSeen, ...workersNow]);
    heard();
  });
  const ended = controller.run();
  const until = (count: number) =>
    new Promise<void>((resolve) => {
      heard = () => {
        if (hostsSeen.size >= count) resolve();
      };
      heard();
    });
  hosts.project.drop(1, 'task.md');
  await until(1);
  await hosts.work();
  const at = performance.now();
  first.kill('SIGKILL');
  await until(2);
  const took = performance.now() - at;
  controller.end('stop');
  await ended;
  await hosts.close();
  return {
    what: `a worker is killed → its turn runs on another, lease ${String(lease / 1_000)} s`,
    seen: `${(took / 1_000).toFixed(1)} s`,
    ratio: '',
    budget: `≤ ${String(lease / 1_000 + 5)} s`,
    met: took <= lease + 5_000,
  };
}
