import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join, relative } from 'node:path';
import process from 'node:process';
import { freePort } from './servers.ts';

/** Whether this process may make hosts that are networks of their own. */
export const hasNetworks =
  process.getuid?.() === 0 && spawnSync('ip', ['link', 'add', 'mrprobe', 'type', 'bridge']).status === 0;
if (hasNetworks) ip('link', 'del', 'mrprobe');

function ip(...args: readonly string[]): void {
  execFileSync('ip', args, { stdio: 'pipe' });
}

/** Hosts in network namespaces, joined by a bridge; this process is at the bridge. Needs root. */
export class Network {
  readonly #id = String(process.pid % 100_000);
  readonly #bridge = `mrb${this.#id}`;
  readonly #subnet = `10.${String(128 + (process.pid % 120))}.${String((process.pid >> 7) % 250)}`;
  readonly #hosts: string[] = [];
  readonly #folder: string;
  readonly #port: number;
  #daemon: ChildProcess | null = null;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  /** With a git server for the repositories in a folder. */
  static async open(folder: string): Promise<Network> {
    const network = new Network(folder, await freePort());
    ip('link', 'add', network.#bridge, 'type', 'bridge');
    ip('addr', 'add', `${network.here}/24`, 'dev', network.#bridge);
    ip('link', 'set', network.#bridge, 'up');
    const listens = ['--reuseaddr', `--listen=${network.here}`, `--port=${String(network.#port)}`];
    const serves = ['--export-all', '--enable=receive-pack', `--base-path=${folder}`, '--verbose'];
    const programs = execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim();
    const daemon = spawn(join(programs, 'git-daemon'), [...listens, ...serves], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    network.#daemon = daemon;
    await once(daemon.stderr, 'data');
    daemon.stderr.resume();
    return network;
  }

  /** The address of this process for all hosts. */
  get here(): string {
    return `${this.#subnet}.1`;
  }

  /** A repository in the folder of the git server, as hosts reach it. */
  address(repository: string): string {
    return `git://${this.here}:${String(this.#port)}/${relative(this.#folder, repository)}`;
  }

  add(host: string): void {
    this.#hosts.push(host);
    const [space, outer, inner] = [this.#space(host), this.#link(host), `${this.#link(host)}i`];
    ip('netns', 'add', space);
    ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', inner, 'netns', space);
    ip('link', 'set', outer, 'master', this.#bridge, 'up');
    ip('-n', space, 'addr', 'add', `${this.#subnet}.${String(this.#hosts.length + 1)}/24`, 'dev', inner);
    ip('-n', space, 'link', 'set', inner, 'up');
    ip('-n', space, 'link', 'set', 'lo', 'up');
  }

  /** What runs a program on a host, which has its name. */
  within(host: string): string[] {
    const named = ['sh', '-c', 'echo "$0" > /proc/sys/kernel/hostname; exec "$@"', host];
    return ['ip', 'netns', 'exec', this.#space(host), 'unshare', '--uts', ...named];
  }

  /** Nothing goes from or to a host until it is joined again. */
  cut(host: string): void {
    ip('link', 'set', this.#link(host), 'down');
  }

  join(host: string): void {
    ip('link', 'set', this.#link(host), 'up');
  }

  async close(): Promise<void> {
    for (const host of this.#hosts) ip('netns', 'del', this.#space(host));
    ip('link', 'del', this.#bridge);
    const daemon = this.#daemon;
    if (daemon === null || daemon.exitCode !== null) return;
    const ended = once(daemon, 'exit');
    daemon.kill('SIGKILL');
    await ended;
  }

  #space(host: string): string {
    return `mr-${this.#id}-${host}`;
  }

  #link(host: string): string {
    return `mrv${this.#id}${host.slice(0, 1)}`;
  }
}
