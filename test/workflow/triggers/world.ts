import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { finished, TestProject } from '../../support/project.ts';

/** A protocol in which nobody has anything to do. */
const quiet = `
name: quiet
version: "1"
roles:
  maker: { provider: replay, capabilities: [READ] }
messages:
  task: { from: user, to: maker }
  done: { from: maker, to: user, closes: true }
`;

/** A project with one workflow, `up` on it, and what its runs have recorded. */
export class Upped {
  readonly project: TestProject;
  #up: ChildProcess | null = null;
  /** What `up` has said so far. */
  heard = '';

  constructor(
    workflow: string,
    files: Readonly<Record<string, string>> = {},
    protocol: string | null = quiet,
  ) {
    this.project = new TestProject({
      'mailroom.yaml': 'trail: off\nsandbox: off\nwebhooks: { port: 0 }\n',
      ...(protocol === null ? {} : { 'protocols/quiet.yaml': protocol }),
      'workflows/w.yaml': workflow,
      ...files,
    });
  }

  /** Starts `up` and waits until it has said these words. */
  async up(words: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
    const child = this.project.start(['up', '--plain'], env);
    this.#up = child;
    this.heard = '';
    await new Promise<void>((resolve, reject) => {
      const hear = (chunk: Buffer) => {
        this.heard += chunk.toString();
        if (this.heard.includes(words)) resolve();
      };
      child.stdout?.on('data', hear);
      child.stderr?.on('data', hear);
      child.once('exit', () => reject(new Error(`up has ended: ${this.heard}`)));
    });
    return this.heard;
  }

  /** The folders of runs, oldest first. */
  runs(): string[] {
    const folder = join(this.project.root, '.mailroom/runs');
    return existsSync(folder) ? readdirSync(folder).toSorted() : [];
  }

  events(run: string): JsonObject[] {
    const folder = join(this.project.root, '.mailroom/runs', run, 'journal');
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.log')) : [];
    return names.toSorted().flatMap((name) =>
      readFileSync(join(folder, name), 'utf8')
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => (JSON.parse(line.slice(line.indexOf(' ') + 1)) as { event: JsonObject }).event),
    );
  }

  /** What expressions of a run see as `trigger`. */
  trigger(run: string): JsonObject {
    const began = this.events(run).find(({ type }) => type === 'began');
    if (began === undefined) throw new Error(`${run} has not begun`);
    return (began['given'] as JsonObject)['trigger'] as JsonObject;
  }

  isClosed(run: string): boolean {
    return this.events(run).some(({ type }) => type === 'closed');
  }

  /** Resolves once that many runs are over; looks whenever something changes. */
  async closed(count: number): Promise<string[]> {
    await this.until(() => this.runs().filter((run) => this.isClosed(run)).length >= count);
    return this.runs();
  }

  async until(holds: () => boolean): Promise<void> {
    if (holds()) return;
    const abort = new AbortController();
    await new Promise<void>((resolve) => {
      const look = () => {
        if (!holds()) return;
        abort.abort();
        resolve();
      };
      watch(this.project.root, { recursive: true, signal: abort.signal }, look);
      look();
    });
  }

  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#up;
    this.#up = null;
    if (child === null || child.exitCode !== null) return;
    const over = finished(child);
    child.kill(signal);
    await over;
  }

  async remove(): Promise<void> {
    await this.end();
    this.project.remove();
  }
}
